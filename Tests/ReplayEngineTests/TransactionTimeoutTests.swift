import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// A central that does not answer what the peripheral asks or indicates (Core 5.4, Vol 3, Part F, 3.3.3).
struct TransactionTimeoutTests {
  private static func indicate(_ at: Int, _ value: [UInt8], after cause: Anchor.Cause, _ delay: Int) -> TimelineEntry {
    TimelineEntry(
      at: .milliseconds(at), origin: .peripheral, action: .indicate(AttributeHandle(3), value), answer: .ok,
      anchor: Anchor(cause, delay: .milliseconds(delay)))
  }

  /// One indication at 1 s, a notification of the same value at 20 s, another at 40 s, and one more indication at 41 s.
  private static func central() -> TestCentral {
    let central = TestCentral(
      .small([
        TimelineEntry(id: "s", at: .zero, action: .write(AttributeHandle(4), [3, 0]), answer: .ok),
        indicate(1000, [1], after: .entry("s"), 1000), .notify(20_000, [2], after: .entry("s"), 20_000),
        .notify(40_000, [3], after: .entry("s"), 40_000), indicate(41_000, [4], after: .entry("s"), 41_000),
      ]))
    central.connect()
    return central
  }

  @Test func afterThirtySecondsTheLinkEnds() {
    let central = Self.central()
    #expect(central.send("12 0400 0300", wait: .seconds(100)) == ["13", "1d030001", "1b030002"])
    #expect(central.ended == .remoteUserTerminatedConnection)
    #expect(central.air.log.lastTime == AirInstant.start.advanced(by: .seconds(31)))
    let verdict = central.verdict
    #expect(verdict.passed)
    #expect(
      verdict.notes.contains(
        "link 1, session 1: it, or a channel of it, was ended by the peripheral, for the central had not answered an indication or a "
          + "request for 30 s"))
  }

  @Test(arguments: [(29_999, ["1b030003", "1d030004"]), (30_000, [])])
  func aConfirmationCountsUntilThen(milliseconds: Int, rest: [String]) {
    let central = Self.central()
    central.send("12 0400 0300", wait: .milliseconds(1000 + milliseconds))
    #expect(central.send("1e", wait: .milliseconds(59_999 - milliseconds)) == rest)
  }

  @Test func requestsToTheCentralTimeOutAsWell() {
    let request = TimelineEntry(
      at: .zero, origin: .peripheral, action: .read(AttributeHandle(3)), answer: .value([1]), anchor: Anchor(.connection, delay: .zero))
    let central = TestCentral(.small([request, .notify(31_000, [2], after: .connection, 31_000)]))
    central.connect()
    central.send("12 0400 0100", wait: .seconds(40))
    #expect(central.received.map { Hexadecimal.encode($0.bytes) } == ["0a0300", "13"])
    #expect(central.ended == .remoteUserTerminatedConnection)
  }

  @Test(arguments: [nil, TimelineEntry.Answer.none])
  func requestsThatGotNoAnswerInTheRecordingDoNot(answer: TimelineEntry.Answer?) {
    let request = TimelineEntry(
      at: .zero, origin: .peripheral, action: .read(AttributeHandle(3)), answer: answer, anchor: Anchor(.connection, delay: .zero))
    let central = TestCentral(.small([request, .notify(31_000, [2], after: .connection, 31_000)]))
    central.connect()
    central.send("12 0400 0100", wait: .seconds(40))
    #expect(central.received.map { Hexadecimal.encode($0.bytes) } == ["0a0300", "13", "1b030002"])
  }

  @Test(arguments: [(40_000, nil), (40_999, nil), (41_000, HCIErrorCode.remoteUserTerminatedConnection)])
  func anAnswerThatTookLongerMayTakeSoAgain(milliseconds: Int, end: HCIErrorCode?) {
    let slow = TimelineEntry(
      at: .zero, origin: .peripheral, action: .indicate(AttributeHandle(3), [1]), answer: .ok, latency: .seconds(40),
      anchor: Anchor(.entry("s"), delay: .zero))
    let central = TestCentral(
      .small([TimelineEntry(id: "s", at: .zero, action: .write(AttributeHandle(4), [2, 0]), answer: .ok), slow]))
    central.connect()
    central.send("12 0400 0200", wait: .milliseconds(milliseconds))
    central.send("1e", wait: .seconds(100))
    #expect(central.ended == end)
  }

  @Test func indicationsOfRulesEndTheLinkAsWell() {
    let central = TestCentral(.small([]))
    central.air.deviceRules[0] = [DeviceRule(on: .write, of: "FFE1") { _ in .accept(.notify("FFE1", [7])) }]
    central.connect()
    central.send("12 0400 0200")
    #expect(central.send("12 0300 01", wait: .seconds(29)) == ["13", "1d030007"])
    #expect(central.send("12 0300 01", wait: .seconds(31)) == ["13"])
    #expect(central.ended == .remoteUserTerminatedConnection)
  }

  @Test func aChannelOfEnhancedATTIsClosedAndTheLinkStays() throws {
    let parameters = L2CAPChannelParameters(mtu: 64, mps: 64, credits: 2)
    let opening = L2CAPChannelOpening(channel: 1, psm: L2CAPChannelOpening.enhancedATT, central: parameters, peripheral: parameters)
    var scenario = Scenario.small([
      TimelineEntry(id: "o", at: .zero, action: .link(.openChannel(opening)), answer: .ok)
    ])
    for (time, value) in [(1000, 1), (2000, 2)] {
      var entry = Self.indicate(time, [UInt8(value)], after: .entry("o"), time)
      entry.bearer = 1
      scenario.sessions[0].entries.append(entry)
    }
    scenario.device.sendsUnsubscribed = true
    let central = TestCentral(scenario, performsProcedures: true)
    central.connect()
    central.air.perform(.openChannel(opening), on: try #require(central.link))
    central.wait(.seconds(40))
    #expect(central.procedures == [LinkProcedure.closeChannel(1).words])
    let pdus = central.air.log.pdus(link: 1)
    #expect(pdus.map(\.bearer) == [1, 0] && pdus.map(\.bytes) == [hex("1d0300 01"), hex("1d0300 02")])
    #expect(central.received.map(\.at) == [1, 31].map { AirInstant.start.advanced(by: .seconds($0)) })
    #expect(central.send("1e") == [] && central.ended == nil)
    #expect(central.verdict.sessions.first.map(\.timedOut) ?? 1 == 1)
  }
}
