import ReplayReports
import ReplayScenarios

@testable import ReplayEngine

/// A device with two attributes, and what reports are made of.
enum SmallRun {
  static let value = AttributeHandle(3)

  static func scenario(_ sessions: [[TimelineEntry]], name: String = "Small", faults: [String] = []) -> Scenario {
    Scenario(
      device: Device(name: name),
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(9))),
        Attribute(
          handle: AttributeHandle(2), kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x1A, value: value)),
        Attribute(handle: AttributeHandle(4), kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
      ], faults: faults, sessions: sessions.map { Session(entries: $0) })
  }

  static func write(_ value: [UInt8], at time: Duration = .milliseconds(5)) -> TimelineEntry {
    TimelineEntry(at: time, action: .write(Self.value, value), answer: .ok, latency: .milliseconds(1))
  }

  static func notification(_ value: [UInt8]) -> TimelineEntry {
    TimelineEntry(at: .zero, origin: .peripheral, action: .notify(Self.value, value), anchor: Anchor(.connection, delay: .zero))
  }

  /// A session's report with near misses and other values.
  static func failedVerdict(misses: Int = 1, bytes: Int = 4) -> Verdict {
    var verdict = ScenarioReplay(scenario([[write([1])]])).verdict
    for index in 0..<misses {
      verdict.sessions[0].nearMisses.append(
        SessionReport.NearMiss(
          time: AirInstant(nanoseconds: 1_500_000_000), request: "Write Request FFE1 (0x0003)", got: [1, 2, UInt8(index & 0xFF), 4],
          expectedEntry: 3, expected: "Write Request FFE1 (0x0003) 010203", expectedBytes: [1, 2, 0xEE], position: 3, count: 9,
          answer: "answered with an error", fails: true))
    }
    verdict.sessions[0].substitutions = [
      SessionReport.Substitution(
        time: AirInstant(nanoseconds: 5), entry: 0, attribute: "FFE1 (0x0003)", expected: Array(repeating: 7, count: bytes),
        got: Array(repeating: 7, count: bytes - 1) + [8])
    ]
    verdict.failures = (0..<misses).map { "link 1, session 1: miss \($0)" }
    return verdict
  }

  /// What names and values of a hostile device may hold.
  static let hostile = "</script><img src=x onerror=alert(1)>`|``*_[x](y)\\\u{202E}evil\u{2028}\u{0}\u{1B}[31m&lt;\"'@all]]>\u{FFFF}\n- # x"

  static let sweep = SweepResult(
    name: "Small", seed: .max, count: 9,
    points: SweepResult.Outcome.allCases.enumerated().map { index, outcome in
      SweepResult.Point(
        number: index * 2,
        point: FaultPoint(
          Fault(.disconnect(.connectionTimeout), at: .after(.entry(session: 0, entry: index))), name: "FFE1 (0x0003)"),
        outcome: outcome, failures: outcome == .failed ? ["one <b>", "two\n\u{7}"] : outcome == .trapped ? ["signal 5"] : [],
        verdict: index % 2 == 0 ? "verdict: \(outcome)\nlines" : nil, seconds: [0, 0.1, 1e-9, 3, 12345.678][index])
    })
}
