import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// One way to fail, and one way not to, a line.
struct VerdictTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var match = MatchLevel.perAttribute
    var unmatched = UnmatchedPolicy.again
    var failOn: Verdict.Strictness = []
    var pdus: [String]
    var faults: [Fault] = []
    var passes: Bool
  }

  private static let whole = ["12 0300 01", "0a 0300", "52 0600 08"]
  private static let cut = Fault(.disconnect(.connectionTimeout), at: .pdu(2))

  static let cases: [Case] = [
    Case(testDescription: "all as recorded", pdus: whole, passes: true),
    Case(
      testDescription: "all as recorded, everything asked for", match: .strict,
      failOn: [.unused, .substituted, .unmatched, .misuse, .notReached],
      pdus: whole, passes: true),
    Case(testDescription: "unused is a note", pdus: ["12 0300 01"], passes: true),
    Case(testDescription: "unused, asked for", failOn: .unused, pdus: ["12 0300 01"], passes: false),
    Case(testDescription: "unused, something else asked for", failOn: [.substituted, .unmatched], pdus: ["12 0300 01"], passes: true),
    Case(testDescription: "unused under strict", match: .strict, pdus: ["12 0300 01"], passes: false),
    Case(testDescription: "substituted is a note", pdus: ["12 0300 02", "0a 0300", "52 0600 08"], passes: true),
    Case(testDescription: "substituted, asked for", failOn: .substituted, pdus: ["12 0300 02", "0a 0300", "52 0600 08"], passes: false),
    Case(testDescription: "substituted command", failOn: .substituted, pdus: ["12 0300 01", "0a 0300", "52 0600 09"], passes: false),
    Case(testDescription: "another value under strict", match: .strict, pdus: ["12 0300 02", "0a 0300", "52 0600 08"], passes: false),
    Case(testDescription: "unmatched is a note", pdus: whole + ["12 0300 01"], passes: true),
    Case(testDescription: "unmatched, asked for", failOn: .unmatched, pdus: whole + ["12 0300 01"], passes: false),
    Case(testDescription: "unmatched command, asked for", failOn: .unmatched, pdus: whole + ["52 0600 08"], passes: false),
    Case(testDescription: "unmatched read multiple", failOn: .unmatched, pdus: whole + ["0e 0300 0600"], passes: false),
    Case(testDescription: "unmatched under strict", match: .strict, pdus: whole + ["52 0600 08"], passes: false),
    Case(testDescription: "unmatched under the error policy", unmatched: .error, pdus: whole + ["12 0300 01"], passes: true),
    Case(testDescription: "another order", pdus: ["52 0600 08", "0a 0300", "12 0300 01"], passes: true),
    Case(testDescription: "another order under strict", match: .strict, pdus: ["52 0600 08", "0a 0300", "12 0300 01"], passes: false),
    Case(
      testDescription: "a repeated read", failOn: [.unmatched, .unused], pdus: ["12 0300 01", "0a 0300", "0a 0300", "52 0600 08"],
      passes: true),
    Case(
      testDescription: "stack traffic", match: .strict, pdus: ["02 4000", "10 0100 ffff 0028", "12 0400 0100", "12 0400 0000"] + whole,
      passes: true),
    Case(testDescription: "what a fault cut off", match: .strict, failOn: .unused, pdus: ["12 0300 01"], faults: [cut], passes: true),
    Case(
      testDescription: "a fault not reached is a note", pdus: whole, faults: [Fault(.disconnect(.connectionTimeout), at: .pdu(99))],
      passes: true),
    Case(
      testDescription: "a fault not reached, asked for", failOn: .notReached, pdus: whole,
      faults: [Fault(.disconnect(.connectionTimeout), at: .pdu(99))], passes: false),
    Case(testDescription: "a fault reached, asked for", failOn: .notReached, pdus: ["12 0300 01"], faults: [cut], passes: true),
  ]

  @Test(arguments: cases)
  func rule(_ rule: Case) {
    let command = TimelineEntry(at: .milliseconds(100), action: .writeCommand(AttributeHandle(6), [8]))
    let central = TestCentral(
      .small([.write(0, [1]), .read(50, [7]), command], match: rule.match, unmatched: rule.unmatched), faults: rule.faults)
    central.connect()
    for pdu in rule.pdus { central.send(pdu) }
    let verdict = Verdict(central.air, seed: 0, failOn: rule.failOn)
    #expect(verdict.passed == rule.passes, "\(verdict)")
  }

  @Test func misuseFailsWhereAsked() {
    let central = TestCentral(.small([]))
    central.air.misuse.append("it was wrong")
    #expect(Verdict(central.air, seed: 0).notes == ["it was wrong"])
    #expect(Verdict(central.air, seed: 0, failOn: .misuse).failures == ["it was wrong"])
    for _ in 0..<2000 { central.air.misuse.append("again") }
    #expect(Verdict(central.air, seed: 0).misuse.count == 1001)
    #expect(Verdict(central.air, seed: 0).misuse.last == "there were 1001 more wrong uses")
  }

  @Test func nearMissesNameBytesAndPlace() {
    let central = TestCentral(.small([.write(0, [1, 2]), .write(10, [3, 4])], match: .strict))
    central.connect()
    central.send("12 0300 0102")
    central.send("12 0300 03ff")
    let line = Verdict(central.air, seed: 0).failures.first ?? ""
    #expect(
      line
        == "link 1, session 1: at 1.000000000 s, Write Request FFE1 (0x0003) matches nothing on the tape (1 of 2 consumed); next is entry 2: "
        + "Write Request FFE1 (0x0003) 0304: recorded 0304, got 03ff, equal up to byte 1; it was answered as before or from the database")
  }

  @Test func anAppThatLoopsFillsNoMemory() {
    let entries = (0..<1500).map { TimelineEntry.write($0, [UInt8(truncatingIfNeeded: $0)]) }
    let central = TestCentral(.small(entries))
    central.connect()
    for _ in 0..<3700 { central.send("12 0300 ffff", wait: .milliseconds(11)) }
    let report = central.verdict.sessions[0]
    #expect(report.substitutions.count == 1000)
    #expect(report.furtherSubstitutions == 500)
    #expect(report.nearMisses.count == 1000)
    #expect(report.furtherNearMisses == 1200)
    #expect(central.verdict.notes.contains { $0.contains("1200 more requests match nothing") })
    #expect(central.verdict.notes.contains { $0.contains("500 more writes had another value") })
    #expect(!Verdict(central.air, seed: 0, failOn: .unmatched).passed)

    let silent = (0..<1400).map { TimelineEntry.notify($0, [1], after: .connection, $0) }
    let other = TestCentral(.small(silent))
    other.connect()
    other.wait(.seconds(10))
    #expect(other.verdict.sessions[0].notSendable.count == 1000)
    #expect(other.verdict.sessions[0].furtherNotSendable == 400)
    #expect(other.verdict.notes == ["link 1, session 1: 1400 values were not sent, for nothing was subscribed"])
  }
}
