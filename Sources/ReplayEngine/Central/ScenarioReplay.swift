public import ReplayScenarios

/// A scenario driven by its own recorded central on the virtual clock.
public struct ScenarioReplay: Sendable {
  /// What happened, in order.
  public let log: AirLog
  public let verdict: Verdict
  /// Where the peripheral answered or told something else than recorded, in words; empty for a faithful scenario.
  ///
  /// With faults, what follows a fault differs by nature.
  public let differences: [String]
  /// The same where the scenario's rules answer or tell instead of the recording.
  public let differencesByRule: [String]

  /// Plays all sessions, or those whose numbers (from 0) are given.
  public init(
    _ scenario: Scenario, sessions: [Int]? = nil, faults: [Fault] = [], timing: LinkTiming = .recorded, seed: UInt64 = 0,
    failOn: Verdict.Strictness = []
  ) {
    var scenario = scenario
    // The recorded app neither scans here nor tells how far it came.
    scenario.expectations.removeAll { expectation in
      switch expectation.event {
      case .scan, .mark: true
      case .attempt, .connect, .disconnect, .read, .write, .subscribe, .idle: false
      }
    }
    let air = AirCore([scenario], seed: seed)
    air.chosenSessions = sessions
    // A scenario has an end, and whoever replays one wants all of it.
    (air.logLimit, air.reports.limit, air.reports.detailLimit) = (.max, .max, .max)
    air.timing = timing
    for fault in faults { air.arm(fault) }
    let central = RecordedCentral(scenario, sessions: sessions)
    central.start(in: air)
    while air.step() {}
    log = air.log
    verdict = Verdict(air, seed: seed, failOn: failOn)
    (differences, differencesByRule) = (central.differences, central.differencesByRule)
  }

  /// What went over the link of each session that was played, by its number from 0; of one that was played again the first time.
  public var trafficBySession: [Int: LinkTraffic] {
    let links = Dictionary(verdict.sessions.map { ($0.session, $0.link) }, uniquingKeysWith: min)
    return links.mapValues { log.traffic(link: $0) }
  }
}
