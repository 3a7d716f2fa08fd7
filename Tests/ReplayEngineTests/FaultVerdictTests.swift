import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// What a fault excuses, and what it does not.
struct FaultVerdictTests {
  /// Three writes and a read.
  private static func scenario(match: MatchLevel = .perAttribute, unmatched: UnmatchedPolicy = .again) -> Scenario {
    .small([.write(0, [1]), .write(20, [2]), .write(40, [3]), .read(60, [7])], match: match, unmatched: unmatched)
  }

  /// Sends PDUs, and tells the verdict where nothing may be left out.
  private static func verdict(_ faults: [String], _ pdus: [String], _ scenario: Scenario = scenario()) throws -> Verdict {
    let central = TestCentral(scenario, faults: try faults.map { try Fault($0) })
    central.connect()
    for pdu in pdus { central.send(pdu, wait: .milliseconds(20)) }
    return Verdict(central.air, seed: 0, failOn: [.unused, .unmatched, .substituted])
  }

  @Test(arguments: [
    "drop@before:write:FFE1#2", "corrupt:3^0xff@before:write:FFE1#2", "error:0x80@before:entry:1.2", "silence@after:entry:1.2",
  ])
  func whatFollowsAHarmfulFaultIsExcused(fault: String) throws {
    let verdict = try Self.verdict([fault], ["12 0300 01", "12 0300 02"])
    #expect(verdict.firings.count == 1)
    #expect(verdict.passed, "\(verdict)")
    #expect(verdict.sessions[0].unused == [])
    // A write that never arrived is not made either.
    let isLost = fault.hasPrefix("drop")
    #expect(verdict.sessions[0].excused.map(\.entry) == (isLost ? [1, 2, 3] : [2, 3]))
  }

  /// An app may do in another order what was recorded: all that it has not done yet may be missing for the fault.
  @Test(arguments: ["drop@before:read:FFE1", "error:0x80@before:read:FFE1"])
  func whatWasNotMadeYetIsExcused(fault: String) throws {
    let verdict = try Self.verdict([fault], ["12 0300 01", "0a 0300"])
    #expect(verdict.firings.count == 1 && verdict.passed)
    #expect(verdict.sessions[0].excused.map(\.entry) == [1, 2, 3])
    #expect(try !Self.verdict([], ["12 0300 01", "0a 0300"]).passed)
  }

  @Test(arguments: ["delay:5ms@before:write:FFE1#2", "reorder@before:write:FFE1#2", "duplicate@before:write:FFE1#2"])
  func whatIsMerelyLateExcusesNothing(fault: String) throws {
    let verdict = try Self.verdict([fault], ["12 0300 01", "12 0300 02"])
    #expect(verdict.firings.count == 1)
    #expect(!verdict.passed)
    #expect(verdict.sessions[0].excused.isEmpty)
    #expect(!verdict.sessions[0].unused.isEmpty)
  }

  /// The app wrote once; that the device got it twice is not the app's doing.
  @Test(arguments: [UnmatchedPolicy.fail, .error, .again])
  func aCopyIsNotHeldAgainstTheApp(policy: UnmatchedPolicy) throws {
    let whole = ["12 0300 01", "12 0300 02", "12 0300 03", "0a 0300"]
    for match in [MatchLevel.perAttribute, .strict] {
      let verdict = try Self.verdict(["duplicate@before:write:FFE1#3"], whole, Self.scenario(match: match, unmatched: policy))
      #expect(verdict.firings.count == 1)
      #expect(verdict.passed, "\(verdict)")
      #expect(verdict.sessions[0].nearMisses == [] && verdict.sessions[0].substitutions == [])
    }
  }

  @Test func firingsAreListedWithTimeLinkAndPlace() throws {
    let verdict = try Self.verdict(["delay:1ms@before:write:FFE1*2"], ["12 0300 01", "12 0300 02", "12 0300 03", "0a 0300"])
    #expect(
      verdict.firings.map { "\($0)" } == [
        "delay:1ms@before:write:FFE1*2 at 0.000000000 s on link 1, at PDU 1",
        "delay:1ms@before:write:FFE1*2 at 0.020000000 s on link 1, at PDU 3",
      ])
    #expect(verdict.description.contains("fault fired: delay:1ms@before:write:FFE1*2 at 0.020000000 s on link 1, at PDU 3"))
    #expect(verdict.faultsFired.count == 1 && verdict.faultsNotReached == [])
  }

  @Test func manyFiringsAreCounted() throws {
    let entries = (0..<1500).map { TimelineEntry(at: .milliseconds($0), action: .writeCommand(AttributeHandle(6), [1])) }
    let replay = ScenarioReplay(.small(entries), faults: [try Fault("delay:0ms@pdu:1*all")])
    #expect(replay.verdict.firings.count == 1000 && replay.verdict.furtherFirings == 500)
    #expect(replay.verdict.description.contains("fault fired: 1480 more times"))
  }

  @Test func aScenarioHasNoFaultsWithoutEnd() throws {
    var scenario = Self.scenario()
    scenario.faults = Array(repeating: "drop@pdu:999", count: 1005)
    let verdict = ScenarioReplay(scenario).verdict
    #expect(verdict.faultsNotReached.count == 1000)
    #expect(verdict.failures == ["5 faults are more than the 1000 that an air takes, and were left out"])
  }

  @Test func theNumberOfTimesHoldsOverAllLinks() throws {
    var scenario = Self.scenario()
    scenario.sessions.append(scenario.sessions[0])
    let replay = ScenarioReplay(scenario, faults: [try Fault("delay:1ms@before:write:FFE1#2*4")])
    #expect(replay.verdict.firings.map(\.link) == [1, 1, 2, 2])
    let all = ScenarioReplay(scenario, faults: [try Fault("delay:1ms@phase:discovery*all"), try Fault("delay:1ms@before:write:FFE1*all")])
    #expect(all.verdict.firings.map(\.link) == [1, 1, 1, 2, 2, 2])
  }
}
