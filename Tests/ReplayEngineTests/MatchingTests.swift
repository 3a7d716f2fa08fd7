import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

struct MatchingTests {
  @Test func writesAreConsumedOnceAndInOrder() {
    let central = TestCentral(.small([.write(0, [1]), .write(50, [2], answer: .error(.unlikelyError)), .write(100, [3])]))
    central.connect()
    #expect(central.send("12 0300 01") == ["13"])
    #expect(central.send("12 0300 02") == ["0112030" + "00e"])
    #expect(central.send("12 0300 03") == ["13"])
    #expect(central.verdict.sessions[0].consumed == 3)
    #expect(central.verdict.notes == [])
  }

  @Test func anotherValueTakesTheEntrysPlace() {
    let central = TestCentral(.small([.write(0, [1, 2, 3], id: "w"), .notify(20, [9], after: .entry("w"), 5)]))
    central.connect()
    central.send("12 0400 0100")
    #expect(central.send("12 0300 01ff03") == ["13", "1b030009"])
    let verdict = central.verdict
    #expect(verdict.passed)
    #expect(verdict.notes.count == 1)
    #expect(verdict.notes[0].contains("recorded 010203, got 01ff03, equal up to byte 1"))
    #expect(!Verdict(central.air, seed: 0, failOn: .substituted).passed)
  }

  /// A matcher says which values are the same; only others are noted.
  @Test func matchersTellWhatIsTheSame() {
    func entry(_ at: Int, _ value: [UInt8], _ matcher: WriteMatcher) -> TimelineEntry {
      var entry = TimelineEntry.write(at, value)
      entry.matcher = matcher
      return entry
    }
    let count = WriteMatcher.counter(at: 1, bytes: 1, bigEndian: false)
    let entries = [
      entry(0, [1, 2, 3], .mask([0xFF, 0, 0])), entry(50, [4], .any), entry(100, [5, 10], count), entry(150, [5, 11], count),
      entry(200, [5, 12], count),
    ]
    for match in MatchLevel.allCases {
      let central = TestCentral(.small(entries, match: match))
      central.connect()
      for value in ["010909", "ffff", "05fe", "05ff", "0500"] { #expect(central.send("12 0300 " + value) == ["13"]) }
      #expect(central.verdict.notes == [])
      #expect(central.verdict.passed)
    }
    let other = TestCentral(.small(entries))
    other.connect()
    for value in ["020909", "", "05fe", "05fe", "0500"] { #expect(other.send("12 0300 " + value) == ["13"]) }
    #expect(other.verdict.sessions[0].substitutions.map(\.entry) == [0, 3, 4])
  }

  /// After the tape a value that a matcher takes for the same is answered again.
  @Test func againGoesByTheMatcher() {
    var entry = TimelineEntry.write(0, [1, 2], id: "w")
    entry.matcher = .prefix(1)
    let central = TestCentral(.small([.write(0, [1, 0], handle: 4), entry, .notify(20, [9], after: .entry("w"), 5)]))
    central.connect()
    central.send("12 0400 0100")
    #expect(central.send("12 0300 01ff") == ["13", "1b030009"])
    #expect(central.send("12 0300 01aabb") == ["13", "1b030009"])
    #expect(central.send("12 0300 02") == ["13"])
  }

  /// What an app leaves out is unused; what follows is not taken for it.
  @Test func anAppMayLeaveAWriteOut() {
    let central = TestCentral(
      .small([.write(0, [1]), .write(50, [2]), .write(100, [3], answer: .error(.unlikelyError)), .write(150, [4])]))
    central.connect()
    #expect(["01", "03", "04"].map { central.send("12 0300 " + $0) } == [["13"], ["011203000e"], ["13"]])
    let report = central.verdict.sessions[0]
    #expect(report.substitutions == [])
    #expect(report.nearMisses == [])
    #expect(report.unused.map(\.entry) == [1])
  }

  @Test func anAppMayExchangeWrites() {
    let central = TestCentral(.small([.write(0, [1]), .write(50, [2]), .write(100, [3]), .write(150, [4])]))
    central.connect()
    for value in ["03", "01", "04", "02"] { #expect(central.send("12 0300 " + value) == ["13"]) }
    #expect(central.verdict.notes == [])
  }

  @Test func strictWantsTheRecordedOrder() {
    let entries: [TimelineEntry] = [.write(0, [1]), .read(50, [7]), .write(100, [2])]
    let right = TestCentral(.small(entries, match: .strict))
    right.connect()
    for pdu in ["12 0300 01", "0a 0300", "12 0300 02"] { right.send(pdu) }
    #expect(right.verdict.passed)
    let wrong = TestCentral(.small(entries, match: .strict))
    wrong.connect()
    for pdu in ["12 0300 02", "12 0300 01"] { wrong.send(pdu) }
    let verdict = wrong.verdict
    #expect(!verdict.passed)
    #expect(
      verdict.failures.contains { $0.contains("Write Request FFE1 (0x0003) matches nothing on the tape (0 of 3 consumed)") }, "\(verdict)")
    #expect(verdict.failures.contains { $0.contains("recorded requests were not made") })
  }

  @Test func attributesInterleaveUnlessStrict() {
    let entries: [TimelineEntry] = [
      .write(0, [1]), TimelineEntry(at: .milliseconds(50), action: .writeCommand(AttributeHandle(6), [8])), .write(100, [2]),
    ]
    let central = TestCentral(.small(entries))
    central.connect()
    for pdu in ["52 0600 08", "12 0300 01", "12 0300 02"] { central.send(pdu) }
    #expect(central.verdict.notes == [])
    #expect(central.verdict.sessions[0].consumed == 3)
  }

  @Test func afterTheTapeTheLatestEqualRequestIsAnsweredAgain() {
    let central = TestCentral(.small([.write(0, [1], id: "w"), .notify(20, [9], after: .entry("w"), 5)]))
    central.connect()
    central.send("12 0400 0100")
    #expect(central.send("12 0300 01") == ["13", "1b030009"])
    #expect(central.send("12 0300 01") == ["13", "1b030009"])
    #expect(central.verdict.sessions[0].nearMisses.count == 1)
  }

  @Test func errorPolicyRefusesWhatTheTapeLacks() {
    let central = TestCentral(.small([], unmatched: .error))
    central.connect()
    #expect(central.send("12 0300 01") == ["011203000e"])
    #expect(central.send("0a 0300") == ["010a03000e"])
    #expect(central.send("52 0600 01") == [])
    #expect(central.verdict.sessions[0].nearMisses.count == 3)
  }

  @Test func againFallsBackToTheDatabase() {
    let central = TestCentral(.small([]))
    central.connect()
    #expect(central.send("0a 0300") == ["0b55"])
    #expect(central.send("12 0300 77") == ["13"])
    #expect(central.send("0a 0300") == ["0b77"])
    #expect(central.send("0a 6000") == ["010a600001"])
    #expect(central.send("0a 0600") == ["010a060002"])
  }

  @Test func aPollerDoesNotShiftTheTape() {
    let central = TestCentral(.small([.read(0, [1]), .read(1000, [2]), .write(1500, [0x10]), .read(2000, [3])]))
    central.connect()
    for _ in 0..<5 { #expect(central.send("0a 0300", wait: .milliseconds(50)) == ["0b01"]) }
    central.wait(.seconds(1))
    #expect(central.send("0a 0300", wait: .milliseconds(50)) == ["0b02"])
    #expect(central.send("0a 0300", wait: .milliseconds(50)) == ["0b02"])
    // A write moves on to what was read behind it.
    #expect(central.send("12 0300 10", wait: .milliseconds(50)) == ["13"])
    #expect(central.send("0a 0300", wait: .milliseconds(50)) == ["0b03"])
    #expect(central.verdict.notes == [])
  }

  /// An app that reads as often as the recorded one, but after the tape moved on, leaves nothing out.
  @Test func readsThatComeLateAreMade() {
    let central = TestCentral(
      .small([
        .read(0, [1]), .notify(100, [9], after: .connection, 100), .read(200, [2]), .notify(300, [8], after: .previous, 200),
        .read(400, [3]),
      ]))
    central.connect()
    central.send("12 0400 0100", wait: .seconds(2))
    for read in 1...4 {
      #expect(central.send("0a 0300", wait: .milliseconds(20)) == ["0b03"])
      #expect(central.verdict.sessions[0].consumed == min(read, 3))
    }
    #expect(central.verdict.sessions[0].unused == [])
  }

  @Test func stackTrafficNeverCounts() {
    let central = TestCentral(.small([.write(0, [1])]))
    central.connect()
    #expect(central.send("02 0002") == ["034000"])
    #expect(central.send("10 0100 ffff 0028") == ["1106" + "01001000e0ff"])
    #expect(central.send("10 1100 ffff 0028") == ["011011000a"])
    #expect(central.send("04 0400 0400") == ["0501" + "04000229"])
    #expect(central.send("12 0400 0100") == ["13"])
    #expect(central.verdict.sessions[0].nearMisses == [])
    #expect(central.verdict.sessions[0].unused.map(\.entry) == [0])
  }

  @Test func recordedDiscoveryIsGivenBackAtTheSameMTU() {
    let recorded = TimelineEntry(
      at: .zero, action: .pdu(hex("1001 00ff ff00 28")), answer: .pdu(hex("1106 0100 0f00 1234")), latency: .milliseconds(7))
    let central = TestCentral(.small([recorded]))
    central.connect()
    #expect(central.send("10 0100 ffff 0028") == ["1106" + "01000f001234"])
    central.send("02 0002")
    #expect(central.send("10 0100 ffff 0028") == ["1106" + "01001000e0ff"])
  }

  @Test func valuesNeedASubscription() {
    let entries: [TimelineEntry] = [.notify(10, [1], after: .connection, 10), .notify(500, [2], after: .previous, 490)]
    let central = TestCentral(.small(entries))
    central.connect()
    central.wait(.milliseconds(100))
    #expect(central.received.isEmpty)
    #expect(central.send("12 0400 0100") == ["13", "1b030002"])
    #expect(central.verdict.sessions[0].notSendable == [0])
    var free = Scenario.small(entries)
    free.device.sendsUnsubscribed = true
    let other = TestCentral(free)
    other.connect()
    other.wait(.seconds(1))
    #expect(other.received.map { Hexadecimal.encode($0.bytes) } == ["1b030001", "1b030002"])
  }

  @Test func aValueMayComeBeforeTheWriteResponse() {
    var subscribe = TimelineEntry.write(0, [1, 0], handle: 4, id: "s")
    subscribe.latency = .milliseconds(50)
    let central = TestCentral(.small([subscribe, .notify(20, [1], after: .request("s"), 20), .notify(60, [2], after: .entry("s"), 10)]))
    central.connect()
    #expect(central.send("12 0400 0100") == ["1b030001", "13", "1b030002"])
    #expect(central.received.map { $0.at.nanoseconds / 1_000_000 } == [20, 50, 60])
  }

  @Test func aLongWriteIsOneWrite() {
    let value = Array(UInt8(0)..<40)
    var entry = TimelineEntry.write(0, value)
    entry.parts = [
      .init(offset: .zero, count: 18, latency: .milliseconds(1)), .init(offset: .milliseconds(2), count: 18, latency: .milliseconds(1)),
      .init(offset: .milliseconds(4), count: 4, latency: .milliseconds(1)),
      .init(offset: .milliseconds(6), count: nil, latency: .milliseconds(1)),
    ]
    let central = TestCentral(.small([entry]))
    central.connect()
    // Other bounds than the recorded ones: the whole value counts.
    for (offset, part) in [(0, value[0..<10]), (10, value[10..<25]), (25, value[25..<40])] {
      let text = "0300 \(Hexadecimal.encode([UInt8(offset)]))00 \(Hexadecimal.encode(Array(part)))"
      #expect(central.send("16 " + text) == ["17" + text.replacing(" ", with: "")])
    }
    #expect(central.send("18 01") == ["19"])
    #expect(central.verdict.sessions[0].consumed == 1)
    #expect(central.verdict.notes == [])
  }

  @Test func theNextConnectionPlaysTheNextSession() {
    var scenario = Scenario.small([.read(0, [1])])
    scenario.sessions.append(Session(failed: .connectionFailedToBeEstablished))
    scenario.sessions.append(Session(entries: [.read(0, [2])]))
    let central = TestCentral(scenario)
    central.connect()
    #expect(central.send("0a 0300") == ["0b01"])
    if let link = central.link { central.air.disconnect(link) }
    #expect(central.ended == .connectionTerminatedByLocalHost)
    central.connect()
    #expect(central.failed == .connectionFailedToBeEstablished)
    for _ in 0..<2 {
      central.connect()
      #expect(central.send("0a 0300") == ["0b02"])
      if let link = central.link { central.air.disconnect(link) }
    }
    #expect(central.verdict.sessions.map(\.session) == [0, 2, 2])
  }
}

/// Subscriptions over connections.
struct SubscriptionTests {
  static let told: [TimelineEntry] = [
    TimelineEntry(
      at: .milliseconds(100), origin: .peripheral, action: .notify(AttributeHandle(3), [7]),
      anchor: Anchor(.connection, delay: .milliseconds(100)))
  ]

  /// A bonded device keeps them; one that forgot them is silent until the app subscribes again.
  @Test(arguments: [true, false])
  func theyAreKeptOrForgotten(keeps: Bool) {
    var scenario = Scenario.small(Self.told)
    scenario.device.keepsSubscriptions = keeps
    let central = TestCentral(scenario)
    central.connect()
    #expect(central.send("12040001 00".replacingOccurrences(of: " ", with: "")) == ["13", "1b030007"])
    if let link = central.link { central.air.disconnect(link) }
    central.wait(.seconds(1))
    central.connect()
    let before = central.received.count
    central.wait(.seconds(1))
    #expect(central.received.dropFirst(before).map { Hexadecimal.encode($0.bytes) } == (keeps ? ["1b030007"] : []))
    #expect(central.send("0a0400") == [keeps ? "0b0100" : "0b0000"])
  }
}
