import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// What requests get that match nothing, for a scenario and for single attributes; it holds to the end of the run.
struct PolicyTests {
  /// One write of 0x0003 that is answered and told of, and nothing for the value 0x0006 and the unread value 0x0003.
  private static func scenario(_ policy: UnmatchedPolicy, of attribute: UnmatchedPolicy? = nil, match: MatchLevel? = nil) -> Scenario {
    var scenario = Scenario.small(
      [.write(0, [1], id: "w"), .notify(20, [9], after: .entry("w"), 5), .write(50, [1, 1], handle: 4)], unmatched: policy)
    scenario.database[1].unmatched = attribute
    scenario.database[1].match = match
    return scenario
  }

  private static func connected(_ scenario: Scenario) -> TestCentral {
    let central = TestCentral(scenario)
    central.connect()
    central.send("12 0400 0100")
    // The tape's only write.
    #expect(central.send("12 0300 01") == ["13", "1b030009"])
    return central
  }

  static let outcomes: [(UnmatchedPolicy, other: [String], read: [String])] = [
    (.again, ["13"], ["0b07"]), (.last, ["13", "1b030009"], ["0b07"]), (.error, ["011203000e"], ["010a03000e"]), (.silence, [], []),
    (.fail, ["011203000e"], ["010a03000e"]),
  ]

  @Test(arguments: 0..<5, [false, true])
  func afterTheTape(number: Int, ofTheAttribute: Bool) {
    let (policy, other, read) = Self.outcomes[number]
    // The scenario's own policy is another one where the attribute has its own.
    let central = Self.connected(ofTheAttribute ? Self.scenario(policy == .error ? .again : .error, of: policy) : Self.scenario(policy))
    for _ in 0..<3 { #expect(central.send("12 0300 07") == other) }
    #expect(central.send("0a 0300") == (policy == .last ? ["0b09"] : policy == .again ? ["0b07"] : read))
    let verdict = central.verdict
    #expect(verdict.passed == (policy != .fail))
    let lines = policy == .fail ? verdict.failures : verdict.notes
    #expect(lines.count { $0.contains("matches nothing on the tape") } == 4)
    let words = [
      UnmatchedPolicy.again: "answered as before or from the database", .last: "answered as it was last, or from the database",
      .error: "answered with an error", .fail: "answered with an error", .silence: "not answered",
    ]
    #expect(lines.allSatisfy { $0.hasSuffix("it was \(words[policy] ?? "")") })
  }

  @Test func commandsAreDroppedOrTaken() {
    for policy in UnmatchedPolicy.allCases {
      let central = Self.connected(Self.scenario(policy))
      #expect(central.send("52 0600 07") == [])
      #expect(central.verdict.passed == (policy != .fail))
      #expect((central.verdict.failures + central.verdict.notes).count { $0.contains("Write Command") } == 1)
    }
  }

  /// An attribute may be stricter, or have a memory, in a scenario that is not and has none.
  @Test func oneAttributeHasItsOwnLevel() {
    let strict = TestCentral(Self.scenario(.error, match: .strict))
    strict.connect()
    #expect(strict.send("12 0300 05") == ["011203000e"])
    let stateful = TestCentral(Self.scenario(.error, match: .stateful))
    stateful.connect()
    #expect(stateful.send("12 0300 05") == ["13"] && stateful.send("0a 0300") == ["0b05"])
    #expect(stateful.send("52 0600 05") == [] && stateful.verdict.notes.count { $0.contains("Write Command") } == 1)
    let usual = TestCentral(Self.scenario(.error))
    usual.connect()
    #expect(usual.send("12 0300 05") == ["13"] && usual.verdict.notes.count { $0.contains("another value") } == 1)
  }

  /// An app that writes on and on when the tape is over, as in another transfer, takes time in proportion.
  @Test func writesAfterALongTapeFindTheirLikeAtOnce() {
    func value(_ number: Int) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number >> 16)] }
    let count = 20_000
    let central = TestCentral(.small((0..<count).map { .write($0, value($0), answer: $0 == 7 ? .error(.unlikelyError) : .ok) }))
    central.connect()
    func write(_ number: Int) -> [String] { central.send(Hexadecimal.encode([0x12, 3, 0] + value(number)), wait: .milliseconds(10)) }
    for number in 0..<count { _ = write(number) }
    var answers: [[String]: Int] = [:]
    for number in 0..<2 * count { answers[write(number), default: 0] += 1 }
    // The one that was refused is refused again, and what was never recorded is taken.
    #expect(answers == [["13"]: 2 * count - 1, ["011203000e"]: 1])
  }
}
