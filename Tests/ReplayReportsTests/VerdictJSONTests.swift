import Foundation
import ReplayEngine
import ReplayReports
import ReplayScenarios
import Testing

struct VerdictJSONTests {
  private static func scenario(_ entries: [TimelineEntry]) -> Scenario {
    Scenario(
      device: Device(name: "Small"),
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(9))),
        Attribute(
          handle: AttributeHandle(2),
          kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x1A, value: AttributeHandle(3))),
        Attribute(handle: AttributeHandle(4), kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
      ], sessions: [Session(entries: entries)])
  }

  private static let three = AttributeHandle(3)
  private static let notification = TimelineEntry(
    at: .zero, origin: .peripheral, action: .notify(three, [1]), anchor: Anchor(.connection, delay: .zero))

  private func parse(_ verdict: Verdict) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(verdict.json.utf8)) as? [String: Any])
  }

  private static let members: Set = [
    "format", "passed", "time", "seed", "failures", "notes", "faultsFired", "faultsNotReached", "firings", "furtherFirings", "misuse",
    "sessions", "furtherSessions", "firstDivergence", "coverage", "timing", "lateness",
  ]
  private static let sessionMembers: Set = [
    "link", "peripheral", "session", "consumed", "counted", "begun", "spontaneous", "endedByFault", "unused", "substituted", "unmatched",
    "notSent", "furtherSubstituted", "furtherUnmatched", "furtherNotSent", "excused", "changedErrors", "timing", "timedOut", "overlapping",
    "firstOverlap",
  ]

  @Test func membersAreAsDocumented() throws {
    let write = TimelineEntry(at: .milliseconds(5), action: .write(Self.three, [0xAB]), answer: .ok, latency: .zero)
    let fault = Fault(.disconnect(.connectionTimeout), at: .pdu(99))
    let verdict = ScenarioReplay(Self.scenario([Self.notification, write]), faults: [fault], seed: .max).verdict
    let json = try parse(verdict)
    #expect(Set(json.keys) == Self.members)
    #expect(json["format"] as? String == Verdict.jsonFormat)
    #expect(json["passed"] as? Bool == true)
    #expect(json["seed"] as? String == "18446744073709551615")
    #expect(json["faultsNotReached"] as? [String] == ["disconnect:0x08@pdu:99"])
    #expect(json["faultsFired"] as? [String] == [])
    let session = try #require((json["sessions"] as? [[String: Any]])?.first)
    #expect(Set(session.keys) == Self.sessionMembers)
    #expect(session["link"] as? Int == 1)
    #expect(session["session"] as? Int == 1)
    #expect(session["consumed"] as? Int == 1)
    #expect(session["counted"] as? Int == 1)
    #expect(session["notSent"] as? [Int] == [1])
  }

  @Test func whatDiffersStandsInTheSession() throws {
    var verdict = ScenarioReplay(Self.scenario([])).verdict
    var report = try #require(verdict.sessions.first)
    report.unused = [SessionReport.NamedEntry(entry: 4, words: "Read \"x\"\\\u{7}\n\u{1F600}")]
    report.changedErrors = [SessionReport.NamedEntry(entry: 1, words: "Read")]
    report.furtherNearMisses = 7
    verdict.sessions = [report]
    verdict.failures = ["tab\tand \u{7F}"]
    verdict.misuse = ["wrong"]
    let json = try parse(verdict)
    #expect(json["passed"] as? Bool == false)
    #expect(json["failures"] as? [String] == verdict.failures)
    #expect(json["misuse"] as? [String] == ["wrong"])
    let session = try #require((json["sessions"] as? [[String: Any]])?.first)
    #expect(session["furtherUnmatched"] as? Int == 7)
    let unused = try #require((session["unused"] as? [[String: Any]])?.first)
    #expect(unused["entry"] as? Int == 5)
    #expect(unused["request"] as? String == report.unused[0].words)
    let changed = try #require((session["changedErrors"] as? [[String: Any]])?.first)
    #expect(changed["entry"] as? Int == 2)
    let coverage = try #require((json["coverage"] as? [[String: Any]])?.first)
    #expect(coverage["peripheral"] as? Int == 1 && coverage["playedSessions"] as? Int == 1)
    let timing = try #require(json["timing"] as? [[String: Any]])
    #expect(timing.count == 11 && timing[0]["from"] is NSNull && timing[5]["from"] as? Int == -1 && timing[5]["to"] as? Int == 1)
  }

  @Test func theSameRunGivesTheSameBytes() {
    let scenario = Self.scenario([Self.notification])
    let fault = Fault(.disconnect(.connectionTimeout), at: .phase(.connecting))
    let json = ScenarioReplay(scenario, faults: [fault]).verdict.json
    for _ in 0..<20 { #expect(ScenarioReplay(scenario, faults: [fault]).verdict.json == json) }
    #expect(json.hasPrefix("{\n  \"format\": \"understudy-verdict/1\",\n  \"passed\": true,\n"))
    #expect(json.hasSuffix("}\n"))
  }
}
