import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// Reads by tape position, groups, anchors and what the peripheral asks.
struct TapeTests {
  @Test func aCauseMovesReadsAlsoOverOnesThatWereSkipped() {
    let central = TestCentral(.small([.read(0, [1]), .read(1000, [2]), .write(1500, [0x10]), .read(2000, [3]), .read(9000, [4])]))
    central.connect()
    #expect(central.send("0a 0300", wait: .milliseconds(20)) == ["0b01"])
    #expect(central.send("12 0300 10", wait: .milliseconds(20)) == ["13"])
    for _ in 0..<3 { #expect(central.send("0a 0300", wait: .milliseconds(20)) == ["0b03"]) }
    central.wait(.seconds(7))
    #expect(central.send("0a 0300", wait: .milliseconds(20)) == ["0b04"])
  }

  @Test func theFirstReadStandsBehindWhatWasWritten() {
    let central = TestCentral(.small([.read(0, [1]), .write(100, [0x10]), .read(200, [2])]))
    central.connect()
    central.send("12 0300 10", wait: .milliseconds(20))
    #expect(central.send("0a 0300") == ["0b02"])
  }

  @Test func underStrictAReadTooManyShowsTheValueAsItStands() {
    let central = TestCentral(.small([.read(0, [1]), .write(100, [0x10]), .read(200, [2])], match: .strict))
    central.connect()
    #expect(central.send("0a 0300", wait: .milliseconds(20)) == ["0b01"])
    #expect(central.send("0a 0300", wait: .milliseconds(20)) == ["0b01"])
    #expect(!central.verdict.passed)
  }

  @Test func strictHoldsForWholePDUsAndGoesOn() {
    let multiple = TimelineEntry(
      at: .milliseconds(10), action: .pdu(hex("0e 0300 0600")), answer: .pdu(hex("0f 0108")), latency: .milliseconds(5))
    let central = TestCentral(.small([.write(0, [1]), multiple, .write(20, [2])], match: .strict))
    central.connect()
    #expect(central.send("0e 0300 0600").first?.hasPrefix("010e") == true)
    #expect(central.send("12 0300 01") == ["13"])
    #expect(central.send("0e 0300 0600") == ["0f0108"])
    #expect(central.send("12 0300 02") == ["13"])
    #expect(central.verdict.sessions[0].nearMisses.count == 1)
    #expect(central.verdict.sessions[0].unused == [])
  }

  @Test(arguments: [(false, 1), (true, 1)])
  func aLongReadIsCompletedOnce(hasEmptyEnd: Bool, count: Int) {
    let value = Array(repeating: UInt8(7), count: 44)
    var entry = TimelineEntry.read(0, value)
    entry.id = "r"
    entry.parts = [
      .init(offset: .zero, count: 22, latency: .milliseconds(1)), .init(offset: .milliseconds(2), count: 22, latency: .milliseconds(1)),
    ]
    if hasEmptyEnd { entry.parts.append(.init(offset: .milliseconds(4), count: 0, latency: .milliseconds(1))) }
    var scenario = Scenario.small([entry, .notify(10, [9], after: .entry("r"), 0)])
    scenario.device.sendsUnsubscribed = true
    let after = [Fault(.disconnect(.connectionTimeout), at: .after(.read("FFE1", count: 2)))]
    let central = TestCentral(scenario, faults: after)
    central.connect()
    let part = String(repeating: "07", count: 22)
    #expect(central.send("0a 0300") == ["0b" + part])
    #expect(central.send("0c 0300 1600") == ["0d" + part] + (hasEmptyEnd ? [] : ["1b030009"]))
    #expect(central.send("0c 0300 2c00") == ["0d"] + (hasEmptyEnd ? ["1b030009"] : []))
    #expect(central.send("0c 0300 2d00") == ["010c030007"])
    // A read of several requests is one read for a fault that counts them.
    #expect(central.verdict.faultsFired == [])
    #expect(central.ended == nil)
  }

  @Test func aPreparedWriteAtAnotherMTUIsAnswered() {
    let alone = TimelineEntry(
      at: .zero, action: .pdu(hex("16 0300 0000 0102")), answer: .pdu(hex("17 0300 0000 0102")), latency: .milliseconds(1))
    let central = TestCentral(.small([alone]))
    central.connect()
    central.send("02 4000")
    #expect(central.send("16 0300 0000 0102") == ["17030000000102"])
    #expect(central.send("18 01") == ["19"])
    #expect(central.send("0a 0300") == ["0b0102"])
  }

  @Test func aRefusedPartIsNotWritten() {
    let refused = TimelineEntry(
      at: .zero, action: .pdu(hex("16 0300 0000 0102")), answer: .error(.prepareQueueFull), latency: .milliseconds(1))
    let central = TestCentral(.small([refused]))
    central.connect()
    #expect(central.send("16 0300 0000 0102") == ["0116030009"])
    #expect(central.send("18 01") == ["19"])
    #expect(central.send("0a 0300") == ["0b55"])
  }

  @Test func partsGoOverWhatTheDatabaseHas() {
    let central = TestCentral(.small([]))
    central.connect()
    #expect(central.send("12 0300 01020304") == ["13"])
    #expect(central.send("16 0300 0200 ff") == ["1703000200ff"])
    #expect(central.send("16 0300 0400 ee") == ["1703000400ee"])
    #expect(central.send("18 01") == ["19"])
    #expect(central.send("0a 0300") == ["0b0102ff04ee"])
    #expect(central.send("16 0300 0900 ff") == ["1703000900ff"])
    #expect(central.send("18 01") == ["0118030007"])
  }

  @Test func aRecordedSilenceStaysSilent() {
    let central = TestCentral(.small([.write(0, [1], answer: TimelineEntry.Answer.none), .write(10, [2])]))
    central.connect()
    #expect(central.send("12 0300 01") == [])
    #expect(central.send("12 0300 02") == ["13"])
    let fault = Fault(.disconnect(.connectionTimeout), at: .after(.entry(session: 0, entry: 0)))
    let other = TestCentral(.small([.write(0, [1], answer: TimelineEntry.Answer.none)]), faults: [fault])
    other.connect()
    #expect(other.send("12 0300 01") == [])
    #expect(other.ended == .connectionTimeout)
  }

  @Test func whatTheSessionBeganWithIsSubscribed() {
    var scenario = Scenario.small([.notify(10, [1], after: .connection, 10)])
    scenario.sessions[0].subscriptions = [AttributeHandle(4): 1]
    let central = TestCentral(scenario)
    central.connect()
    #expect(central.send("0a 0400") == ["0b0100", "1b030001"])
    central.send("12 0400 0000")
    #expect(central.send("0a 0400") == ["0b0000"])
  }

  @Test func anIndicationWaitsForTheOneBefore() {
    func indicate(_ at: Int, _ value: UInt8) -> TimelineEntry {
      TimelineEntry(
        at: .milliseconds(at), origin: .peripheral, action: .indicate(AttributeHandle(3), [value]), answer: .ok, latency: .milliseconds(1),
        anchor: Anchor(.connection, delay: .milliseconds(at)))
    }
    var scenario = Scenario.small([indicate(10, 1), indicate(20, 2), indicate(30, 3)])
    scenario.device.sendsUnsubscribed = true
    let central = TestCentral(scenario)
    central.connect()
    central.wait(.seconds(1))
    #expect(central.received.count == 1)
    #expect(central.send("1e") == ["1d030002"])
    #expect(central.send("1e") == ["1d030003"])
    #expect(central.send("1e") == [])
    #expect(ScenarioReplay(scenario).differences == [])
  }

  @Test func thePeripheralsOwnRequestWantsItsOwnAnswer() {
    let ask = TimelineEntry(
      id: "a", at: .milliseconds(10), origin: .peripheral, action: .exchangeMTU(100), answer: .mtu(64), latency: .milliseconds(5),
      anchor: Anchor(.connection, delay: .milliseconds(10)))
    var scenario = Scenario.small([ask, .notify(20, Array(repeating: 1, count: 50), after: .entry("a"), 5)])
    scenario.device.sendsUnsubscribed = true
    let central = TestCentral(scenario)
    central.connect()
    central.wait(.milliseconds(100))
    #expect(central.received.map { Hexadecimal.encode($0.bytes) } == ["026400"])
    #expect(central.send("13") == [])
    #expect(central.send("0b 01") == [])
    #expect(central.send("03 4000") == ["1b0300" + String(repeating: "01", count: 50)])
  }

  @Test func repeatedCommandsBringTheirNotificationsAgain() {
    let command = TimelineEntry(id: "c", at: .zero, action: .writeCommand(AttributeHandle(6), [8]))
    var scenario = Scenario.small([command, .notify(5, [1], after: .entry("c"), 5), .notify(5, [2], after: .request("c"), 1)])
    scenario.device.sendsUnsubscribed = true
    let central = TestCentral(scenario)
    central.connect()
    for _ in 0..<3 { #expect(central.send("52 0600 08") == ["1b030002", "1b030001"]) }
    #expect(central.send("52 0600 09") == [])
    #expect(central.verdict.sessions[0].nearMisses.count == 3)
  }

  /// Each PDU that is sent while something far off is scheduled leaves no wake-up behind.
  @Test func wakeUpsDoNotPileUp() {
    let central = TestCentral(.small([.notify(0, [1], after: .connection, 3_600_000)]))
    central.connect()
    for _ in 0..<1000 { central.send("0a 0300", wait: .zero) }
    var steps = 0
    while central.air.step() { steps += 1 }
    #expect(steps <= 3)
  }
}
