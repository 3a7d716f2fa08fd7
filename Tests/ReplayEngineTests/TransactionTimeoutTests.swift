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

  @Test func afterThirtySecondsNothingMoreIsTold() {
    let central = Self.central()
    #expect(central.send("12 0400 0300", wait: .seconds(100)) == ["13", "1d030001", "1b030002"])
    let verdict = central.verdict
    #expect(verdict.passed)
    #expect(
      verdict.notes.contains(
        "link 1, session 1: 2 values or requests were not sent, for the central had not answered an earlier one for 30 s"))
  }

  @Test(arguments: [(29_999, ["1b030003", "1d030004"]), (30_000, [])])
  func aConfirmationCountsUntilThen(milliseconds: Int, rest: [String]) {
    let central = Self.central()
    central.send("12 0400 0300", wait: .milliseconds(1000 + milliseconds))
    #expect(central.send("1e", wait: .seconds(60)) == rest)
  }

  @Test func requestsToTheCentralTimeOutAsWell() {
    let request = TimelineEntry(
      at: .zero, origin: .peripheral, action: .read(AttributeHandle(3)), answer: .value([1]), anchor: Anchor(.connection, delay: .zero))
    let central = TestCentral(.small([request, .notify(31_000, [2], after: .connection, 31_000)]))
    central.connect()
    central.send("12 0400 0100", wait: .seconds(40))
    #expect(central.received.map { Hexadecimal.encode($0.bytes) } == ["0a0300", "13"])
    // What the central asks is still answered.
    #expect(central.send("0a 0300") == ["0b55"])
  }

  @Test func rulesTellNothingMoreEither() {
    let central = TestCentral(.small([]))
    central.air.deviceRules[0] = [DeviceRule(on: .write, of: "FFE1") { _ in .accept(.notify("FFE1", [7])) }]
    central.connect()
    central.send("12 0400 0200")
    #expect(central.send("12 0300 01", wait: .seconds(31)) == ["13", "1d030007"])
    #expect(central.send("12 0300 01", wait: .seconds(31)) == ["13"])
    #expect(central.send("1e") == [])
  }
}
