import BLEWire
import ReplayReports
import ReplayScenarios

@testable import ReplayEngine

/// Reports whose pages have everything that a page can show.
enum PageSamples {
  private static func read(_ answer: [UInt8], at time: Int) -> TimelineEntry {
    TimelineEntry(
      at: .milliseconds(time), action: .read(SmallRun.value), answer: .value(answer), latency: .milliseconds(3))
  }

  /// Traffic of one session; `changed` takes the place of the third write.
  private static func entries(changed: [UInt8], leavesOut: Bool) -> [TimelineEntry] {
    var entries = [TimelineEntry(at: .milliseconds(1), action: .exchangeMTU(185), answer: .mtu(100), latency: .milliseconds(2))]
    entries.append(
      TimelineEntry(
        at: .milliseconds(5), action: .write(AttributeHandle(4), [1, 0]), answer: .ok, latency: .milliseconds(2)))
    for number in 0..<20 {
      var notification = SmallRun.notification(Array("<img src=x onerror=alert(\(number))>".utf8))
      notification.at = .milliseconds(10 + number * 100)
      notification.anchor = Anchor(.connection, delay: notification.at)
      entries.append(notification)
      if number % 4 == 1, !(leavesOut && number == 17) {
        entries.append(
          SmallRun.write(number == 9 ? changed : [UInt8(number), 0xFE, 0xED, 0xA0, 0x80], at: .milliseconds(60 + number * 100)))
      }
      if number % 5 == 2 { entries.append(read([UInt8(number)], at: 80 + number * 100)) }
    }
    entries.append(TimelineEntry(at: .milliseconds(9000), action: .disconnect(HCIErrorCode(rawValue: 0x13))))
    return entries
  }

  /// A run that went otherwise than recorded, met a fault, and used the framework wrongly; everybody's names are hostile.
  static let run: Report = {
    let recorded = SmallRun.scenario([entries(changed: [9, 9], leavesOut: false)], name: SmallRun.hostile)
    let fault = Fault(.delay(.milliseconds(7)), at: .pdu(9))
    let replay = ScenarioReplay(SmallRun.scenario([entries(changed: [8, 9], leavesOut: true)]), faults: [fault])
    var (verdict, log) = (replay.verdict, replay.log)
    let written = log.lines.first { if case .pdu(true, [0x12, 3, 0, 8, 9], bearer: 0) = $0.event { true } else { false } }
    verdict.sessions[0].substitutions = [
      SessionReport.Substitution(
        time: written?.time ?? .start, entry: 13, attribute: "FFE1 (0x0003)", expected: [9, 9], got: [8, 9])
    ]
    verdict.sessions[0].unused = [SessionReport.NamedEntry(entry: 25, words: "Write Request FFE1 (0x0003)")]
    verdict.failures = [SmallRun.hostile, "link 1: something failed"]
    verdict.misuse = [SmallRun.hostile]
    log.note(misuse: SmallRun.hostile, at: AirInstant(nanoseconds: 700_000_000))
    return Report(
      title: "check \(SmallRun.hostile)",
      runs: [
        Report.Run(name: SmallRun.hostile, verdict: verdict, seconds: 0.25, scenarios: [recorded], log: log),
        Report.Run(name: "unreadable", failures: [SmallRun.hostile]),
      ])
  }()

  /// Sixty points of all outcomes, of two scenarios.
  static let sweep = Report(
    title: "sweep",
    sweeps: [
      SweepResult(
        name: SmallRun.hostile, seed: 7, count: 60,
        points: (0..<60).map { number in
          let outcome = SweepResult.Outcome.allCases[number % 5]
          return SweepResult.Point(
            number: number,
            point: FaultPoint(
              Fault(
                .disconnect(.connectionTimeout), at: .after(.entry(session: 0, entry: number % 30)), of: number / 30),
              name: SmallRun.hostile),
            outcome: outcome, failures: outcome == .failed ? ["it broke", SmallRun.hostile] : [],
            verdict: outcome == .failed ? "verdict: FAILED\n  failure: it broke" : nil, seconds: 0.01)
        })
    ],
    sweptScenarios: [0, 30].map { first in
      SmallRun.scenario([(0..<30).map { SmallRun.write([UInt8(first + $0)], at: .milliseconds($0)) }])
    })

  /// Ten thousand entries.
  static let long: Report = {
    var entries: [TimelineEntry] = []
    for number in 0..<10_000 {
      let value = (0..<20).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
      if number % 4 == 0 {
        entries.append(
          TimelineEntry(at: .milliseconds(number * 5), action: .writeCommand(SmallRun.value, value)))
      } else {
        var notification = SmallRun.notification(value)
        notification.at = .milliseconds(number * 5)
        entries.append(notification)
      }
    }
    entries.append(TimelineEntry(at: .seconds(60), action: .disconnect(HCIErrorCode(rawValue: 0x13))))
    var recorded = SmallRun.scenario([entries])
    recorded.sessions[0].subscriptions = [AttributeHandle(4): 1]
    for index in recorded.sessions[0].entries.indices where recorded.sessions[0].entries[index].origin == .peripheral {
      recorded.sessions[0].entries[index].anchor = Anchor(.connection, delay: recorded.sessions[0].entries[index].at)
    }
    let replay = ScenarioReplay(recorded)
    return Report(title: "long", runs: [Report.Run(name: "long", verdict: replay.verdict, scenarios: [recorded], log: replay.log)])
  }()
}
