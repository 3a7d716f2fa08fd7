import CoreBluetooth
import Foundation
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// The same scenario and the same faults give the same outcome whether the recorded central plays or an app does the same through the
/// framework: passed or failed, the entries that were consumed, and the faults that fired.
@Suite struct ParityTests {
  /// What one run came to.
  private struct Outcome: Equatable {
    var passed: Bool
    /// By link: its session, and the entries that count and were not consumed.
    var sessions: [String]
    var faults: [String]

    /// `armed` has the faults under which the other run knows them.
    init(_ verdict: Verdict, without obstacles: [Int: Set<Int>], armed: [Fault: Fault] = [:]) {
      passed = verdict.passed
      sessions = verdict.sessions.map { session in
        let missing = (session.unused + session.excused).map(\.entry).filter { !(obstacles[session.session]?.contains($0) ?? false) }
        return "session \(session.session + 1) of \(session.counted), not: \(missing.sorted().map { "\($0 + 1)" }.joined(separator: " "))"
      }
      faults = verdict.faultsFired.map { "\(armed[$0] ?? $0)" }.sorted()
    }
  }

  /// An app asks for what the recorded central asked for, so that long values have the same parts.
  private static func mtu(of scenario: Scenario) -> Int {
    let asked = scenario.sessions.lazy.flatMap(\.entries).compactMap { entry -> Int? in
      if case .exchangeMTU(let mtu) = entry.action, entry.origin == .central { Int(mtu) } else { nil }
    }.first
    return min(max(asked ?? 185, 23), 527)
  }

  static func play(_ scenario: Scenario, _ faults: [Fault]) throws -> (verdict: Verdict, app: ScenarioApp, log: AirLog) {
    let air = VirtualAir(scenarios: [scenario])
    air.centralMTU = mtu(of: scenario)
    for fault in faults { air.inject(fault) }
    let queue = DispatchQueue(label: "app")
    let app = VirtualAir.$current.withValue(air) { ScenarioApp(scenario, air: air, queue: queue, mtu: mtu(of: scenario)) }
    do { try air.run(until: app.isFinished) } catch let idle as AirIdle { Issue.record("\(idle); \(app.notes.suffix(5))") }
    air.runUntilIdle()
    return (air.verdict, app, air.log)
  }

  /// Both with these faults; where the app is to get others in their place, in the same order.
  private static func compare(_ scenario: Scenario, _ faults: [Fault], ofApp others: [Fault]? = nil) throws {
    let recorded = ScenarioReplay(scenario, faults: faults)
    let (verdict, app, log) = try play(scenario, others ?? faults)
    let obstacles = Dictionary(
      uniqueKeysWithValues: scenario.sessions.enumerated().map { number, session in
        (number, Set(ScenarioApp.plan(of: session, in: scenario, mtu: mtu(of: scenario)).obstacles.keys))
      })
    let armed = Dictionary(zip(others ?? [], faults), uniquingKeysWith: { first, _ in first })
    let (one, other) = (Outcome(recorded.verdict, without: obstacles), Outcome(verdict, without: obstacles, armed: armed))
    #expect(one == other, "\(faults): \(app.notes)")
    if one != other, let folder = ProcessInfo.processInfo.environment["PARITY_LOGS"] {
      let name = "\(scenario.device.name ?? "") \(faults)".replacing("/", with: "_")
      try recorded.log.text.write(toFile: "\(folder)/\(name).recorded", atomically: true, encoding: .utf8)
      try log.text.write(toFile: "\(folder)/\(name).app", atomically: true, encoding: .utf8)
    }
  }

  static let shipped = ["echo-device", "heart-strap", "motion-stream", "serial-bridge", "thermo-logger"]

  private static func scenario(_ name: String) throws -> Scenario {
    try ScenarioSource.file(Repository.root.appending(path: "scenarios/\(name).json5").path).load()
  }

  @Test(arguments: shipped)
  func withoutFaults(name: String) throws { try Self.compare(Self.scenario(name), []) }

  /// What no app on CoreBluetooth can do of the shipped scenarios.
  @Test func obstaclesAreKnown() throws {
    var found: [String] = []
    for name in Self.shipped {
      let scenario = try Self.scenario(name)
      for (number, session) in scenario.sessions.enumerated() {
        let obstacles = ScenarioApp.plan(of: session, in: scenario, mtu: Self.mtu(of: scenario)).obstacles
        found += obstacles.sorted { $0.key < $1.key }.map { "\(name) \(number + 1).\($0.key + 1) \($0.value)" }
      }
    }
    #expect(found == ["thermo-logger 1.26 noCall", "thermo-logger 1.27 noCall", "thermo-logger 1.29 noCall"])
  }

  @Test(arguments: shipped, FaultList.actionsAtEntries)
  func withAFaultAtAnEntry(name: String, action: Fault.Action) throws {
    let scenario = try Self.scenario(name)
    for fault in FaultList.atEntries(action, of: scenario, mtu: Self.mtu(of: scenario)) { try Self.compare(scenario, [fault]) }
  }

  @Test(arguments: shipped)
  func withAFaultOfTheConnection(name: String) throws {
    let scenario = try Self.scenario(name)
    for fault in try FaultList.ofConnections() { try Self.compare(scenario, [fault]) }
  }

  @Test(arguments: shipped)
  func withAFaultAtAnAttribute(name: String) throws {
    let scenario = try Self.scenario(name)
    for fault in try FaultList.atAttributes(of: scenario) { try Self.compare(scenario, [fault]) }
  }

  /// Times count from the air's start, and an app connects later than the recorded central: its times are as long after its links.
  @Test(arguments: shipped)
  func withAFaultAtATime(name: String) throws {
    let scenario = try Self.scenario(name)
    func starts(_ log: AirLog) -> [AirInstant] { log.lines.filter { if case .connected = $0.event { true } else { false } }.map(\.time) }
    let ofRecorded = starts(ScenarioReplay(scenario).log)
    let ofApp = starts(try Self.play(scenario, []).log)
    #expect(ofRecorded.count == scenario.sessions.count && ofApp.count == ofRecorded.count)
    for (number, session) in scenario.sessions.enumerated() {
      // The first things of an app's own come behind its discovery.
      for (part, action) in [(0.45, Fault.Action.disconnect(.connectionTimeout)), (0.7, .vanish), (0.85, .drop)] {
        let after = (session.entries.last?.at ?? .zero) * part
        let faults = [ofRecorded, ofApp].map { starts in
          Fault(action, at: .time(starts[number].advanced(by: after).duration(since: .start)))
        }
        try Self.compare(scenario, [faults[0]], ofApp: [faults[1]])
      }
    }
  }

  // MARK: - Foreign captures

  /// The first sessions of a scenario, as many as have not too many entries together; all where `UNDERSTUDY_ALL_POINTS` is set.
  private static func shortened(_ scenario: Scenario) -> Scenario {
    guard ProcessInfo.processInfo.environment["UNDERSTUDY_ALL_POINTS"] == nil else { return scenario }
    var (short, entries) = (scenario, 0)
    short.sessions = Array(
      scenario.sessions.prefix { session in
        entries += session.entries.count
        return entries <= 1500
      })
    return short
  }

  @Test(.enabled(if: ForeignCaptures.folder != nil, "UNDERSTUDY_FOREIGN_CAPTURES is not set"), arguments: ForeignCaptures.files)
  func withForeignCaptures(file: String) throws {
    // What is refused, and why, is asserted where captures are read.
    guard let recording = try? CaptureRecording(path: ForeignCaptures.path(file)) else { return }
    let extractor = ScenarioExtractor(recording)
    for subject in extractor.subjects {
      let scenario = Self.shortened(extractor.scenario(of: subject))
      try Self.compare(scenario, [])
      let faults = FaultList.atEntries(.disconnect(.connectionTimeout), of: scenario, mtu: Self.mtu(of: scenario))
      for fault in faults { try Self.compare(scenario, [fault]) }
    }
  }
}
