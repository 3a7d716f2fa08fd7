import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// What entries of the peripheral's wait for, and what calls them off.
struct AnchorTests {
  private func central(_ entries: [TimelineEntry], unsubscribed: Bool = true) -> TestCentral {
    var scenario = Scenario.small(entries)
    scenario.device.sendsUnsubscribed = unsubscribed
    let central = TestCentral(scenario)
    central.connect()
    return central
  }

  private func command(_ at: Int, _ value: UInt8, id: String? = nil) -> TimelineEntry {
    TimelineEntry(id: id, at: .milliseconds(at), action: .writeCommand(AttributeHandle(6), [value]))
  }

  // MARK: Every n-th write

  private func every(_ count: Int, since: String? = nil) -> Anchor.Cause { .every(count: count, write: AttributeHandle(6), since: since) }

  @Test func everyThirdWriteBringsTheNextEntry() {
    let entries =
      [UInt8(0), 1, 2, 3, 4, 5, 6].map { command(Int($0), $0) } + [
        .notify(30, [1], after: every(3), 2), .notify(60, [2], after: every(3), 2),
      ]
    let central = central(entries)
    // Whatever is written counts, also what the tape has otherwise or not at all.
    let told = (UInt8(0)..<10).map { central.send("52 0600 " + Hexadecimal.encode([$0 + 20]), wait: .milliseconds(10)) }
    #expect(told == [[], [], ["1b030001"], [], [], ["1b030002"], [], [], [], []])
  }

  @Test func countingBeginsAnew() {
    let entries: [TimelineEntry] = [
      .write(0, [7], id: "start"), command(10, 1), command(20, 2), .notify(30, [1], after: every(2, since: "start"), 0),
      .notify(60, [2], after: every(2, since: "start"), 0), .notify(60, [3], after: every(5), 0),
    ]
    let central = central(entries)
    // Nothing is counted before the start.
    for _ in 0..<3 { #expect(central.send("52 0600 01") == []) }
    #expect(central.send("12 0300 07") == ["13"])
    #expect(central.send("52 0600 01") == [])
    #expect(central.send("52 0600 01") == ["1b030001", "1b030003"])
    // The same start again begins with the first entry.
    #expect(central.send("52 0600 01") == [])
    #expect(central.send("12 0300 07") == ["13"])
    #expect(central.send("52 0600 01") == [])
    #expect(central.send("52 0600 01") == ["1b030001"])
    #expect(central.send("52 0600 01") == [])
    #expect(central.send("52 0600 01") == ["1b030002"])
    #expect(central.send("52 0600 01") == [])
  }

  // MARK: Silence

  @Test func silenceIsCountedFromTheLastPDU() {
    let end = TimelineEntry(
      at: .seconds(9), origin: .peripheral, action: .disconnect(.remoteUserTerminatedConnection), anchor: Anchor(.idle, delay: .seconds(8)))
    let central = central([.read(0, [1]), .notify(500, [5], after: .connection, 6_000), end])
    central.wait(.seconds(5))
    // Both what comes and what goes is traffic.
    central.send("0a 0300", wait: .seconds(7))
    #expect(central.ended == nil)
    #expect(central.received.count == 2)
    let last = central.received.last?.at
    central.wait(.seconds(20))
    #expect(central.ended == .remoteUserTerminatedConnection)
    #expect(last?.nanoseconds == 6_000_000_000)
    #expect(central.air.log.lines.last?.time.nanoseconds == 14_000_000_000)
  }

  @Test func entriesThatWaitForSilenceComeOneAfterTheOther() {
    let entries: [TimelineEntry] = [
      .notify(0, [1], after: .idle, 1000), .notify(0, [2], after: .idle, 1000), .notify(0, [3], after: .idle, 500),
    ]
    let central = central(entries)
    central.wait(.seconds(10))
    #expect(central.received.map { $0.at.nanoseconds / 1_000_000 } == [1000, 2000, 2500])
  }

  // MARK: The link is lost

  @Test(arguments: [(Duration.milliseconds(720) as Duration?, Int64(5_720)), (nil, 9_000)])
  func aPeripheralThatVanishedHearsAndSaysNothing(latency: Duration?, end: Int64) {
    let vanish = TimelineEntry(
      at: .seconds(5), origin: .peripheral, action: .vanish, latency: latency, anchor: Anchor(.connection, delay: .seconds(5)))
    var scenario = Scenario.small([.read(0, [1]), .notify(5500, [5], after: .connection, 5_500), vanish])
    scenario.device.sendsUnsubscribed = true
    scenario.sessions[0].parameters = ConnectionParameters(interval: 24, latency: 0, timeout: 400)
    let central = TestCentral(scenario)
    central.connect()
    central.wait(.milliseconds(5_100))
    #expect(central.send("0a 0300", wait: .milliseconds(500)) == [])
    #expect(central.ended == nil)
    central.wait(.seconds(20))
    #expect(central.ended == .connectionTimeout)
    #expect(central.received.isEmpty)
    #expect(central.air.log.lines.last?.time.nanoseconds == end * 1_000_000)
  }

  /// The device may be seen again before the central takes the link for lost.
  @Test func aPeripheralThatVanishedMayAdvertise() {
    let vanish = TimelineEntry(
      at: .seconds(5), origin: .peripheral, action: .vanish, latency: .seconds(2), anchor: Anchor(.connection, delay: .seconds(5)))
    let central = central([vanish])
    central.air.startScanning(central)
    central.wait(.seconds(4))
    #expect(central.advertisements == 0)
    central.wait(.seconds(2))
    #expect(central.ended == nil)
    #expect(central.advertisements > 0)
  }

  // MARK: What calls entries off

  /// A stream ends with its subscription, and begins again with the next.
  @Test func aStreamStopsWhenTheAppUnsubscribes() {
    let entries: [TimelineEntry] = [
      .write(0, [1, 0], handle: 4, id: "on"), .notify(110, [1], after: .entry("on"), 100), .notify(210, [2], after: .previous, 100),
      .notify(310, [3], after: .previous, 100), .notify(410, [4], after: .previous, 100),
    ]
    let central = central(entries, unsubscribed: false)
    #expect(central.send("12 0400 0100", wait: .milliseconds(250)) == ["13", "1b030001", "1b030002"])
    #expect(central.send("12 0400 0000", wait: .seconds(5)) == ["13"])
    #expect(central.send("12 0400 0100", wait: .seconds(5)) == ["13", "1b030001", "1b030002", "1b030003", "1b030004"])
    #expect(central.verdict.sessions[0].notSendable == [])
  }

  /// Until its response a write that unsubscribes stops nothing: values may be on their way.
  @Test func valuesMayComeUntilUnsubscribingIsAnswered() {
    var off = TimelineEntry.write(200, [0, 0], handle: 4)
    off.latency = .milliseconds(60)
    let entries: [TimelineEntry] = [
      .write(0, [1, 0], handle: 4, id: "on"), .notify(110, [1], after: .entry("on"), 100), off, .notify(210, [2], after: .previous, 120),
      .notify(310, [3], after: .previous, 100),
    ]
    let central = central(entries, unsubscribed: false)
    #expect(central.send("12 0400 0100", wait: .milliseconds(200)) == ["13", "1b030001"])
    #expect(central.send("12 0400 0000") == ["1b030002", "13"])
  }

  @Test func whatNothingCancelsComesLate() {
    var late = TimelineEntry.notify(500, [2], after: .entry("on"), 500)
    late.anchor?.cancel = []
    let entries: [TimelineEntry] = [.write(0, [1, 0], handle: 4, id: "on"), .notify(400, [1], after: .entry("on"), 400), late]
    let central = central(entries)
    #expect(central.send("12 0400 0100", wait: .milliseconds(100)) == ["13"])
    #expect(central.send("12 0400 0000") == ["13", "1b030002"])
  }

  /// A stream that a write began ends with the next write to the same attribute, if it says so.
  @Test(arguments: [true, false])
  func aLaterWriteEndsAStream(isCancelled: Bool) {
    var entries: [TimelineEntry] = [.write(0, [1], id: "go"), .notify(110, [1], after: .entry("go"), 100)]
    for value in UInt8(2)...5 { entries.append(.notify(Int(value) * 100 + 10, [value], after: .previous, 100)) }
    if isCancelled { for place in entries.indices { entries[place].anchor?.cancel.insert(.write) } }
    entries.append(.write(2000, [0]))
    let central = central(entries)
    #expect(central.send("12 0300 01", wait: .milliseconds(250)) == ["13", "1b030001", "1b030002"])
    // A write to another attribute ends nothing.
    #expect(central.send("52 0600 01", wait: .milliseconds(100)) == ["1b030003"])
    #expect(central.send("12 0300 00") == ["13"] + (isCancelled ? [] : ["1b030004", "1b030005"]))
  }

  /// A request that is made again before its reply came is replied to once.
  @Test func aReplyIsNotSentTwice() {
    let central = central([.write(0, [1], id: "w"), .notify(500, [9], after: .entry("w"), 490)])
    #expect(central.send("12 0300 01", wait: .milliseconds(300)) == ["13"])
    #expect(central.send("12 0300 01", wait: .seconds(5)) == ["13", "1b030009"])
  }
}
