import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// Connection events, their room, jitter, and how long answers take.
struct LinkTimingTests {
  /// So many notifications right after a subscription, and a link with these parameters.
  private static func burst(
    _ count: Int, bytes: Int = 20, parameters: ConnectionParameters? = ConnectionParameters(interval: 24, latency: 0, timeout: 100),
    before: [TimelineEntry] = [], after: [TimelineEntry] = []
  ) -> Scenario {
    let subscription = TimelineEntry(
      id: "s", at: .milliseconds(1), action: .write(AttributeHandle(4), [1, 0]), answer: .ok, latency: .milliseconds(40))
    let values = (0..<count).map { number in
      TimelineEntry(
        at: .milliseconds(50), origin: .peripheral,
        action: .notify(AttributeHandle(3), [UInt8(truncatingIfNeeded: number)] + Array(repeating: 0, count: bytes - 1)),
        anchor: Anchor(.entry("s"), delay: .milliseconds(25)))
    }
    var scenario = Scenario.small(before + [subscription] + values + after)
    scenario.sessions[0].parameters = parameters
    scenario.sessions[0].mtu = 185
    return scenario
  }

  private static func central(_ scenario: Scenario, _ timing: LinkTiming, seed: UInt64 = 0) -> TestCentral {
    let central = TestCentral(scenario, seed: seed)
    central.air.timing = timing
    central.connect()
    return central
  }

  /// Milliseconds from the connection to each PDU that came, the answers left out.
  private static func values(_ central: TestCentral) -> [Double] {
    central.received.filter { $0.bytes[0] == 0x1B }.map { Double($0.at.nanoseconds) / 1e6 }
  }

  /// The connection event, from 1, in which a moment lies, at 30 ms.
  private static func event(_ milliseconds: Double, interval: Double = 30) -> Int { Int(milliseconds / interval) }

  @Test func anAnswerComesAtTheFirstEventThatIsNotBeforeItsRecordedTime() throws {
    let central = Self.central(.small([.read(0, [7])]), LinkTiming(interval: .milliseconds(30)))
    central.wait(.milliseconds(4))
    central.send("0a0300")
    // Sent at 4 ms, heard by the device at 30 ms, recorded 10 ms after the request: the next event is at 60 ms. The air time of six
    // bytes is on top: the header of L2CAP, opcode and value.
    let expected: [Int64] = [60_128_000]
    #expect(central.received.map(\.at.nanoseconds) == expected)
  }

  @Test(arguments: [10, 45, 100, 101, 250])
  func recordedLatencyIsNotCountedTwice(milliseconds: Int) throws {
    var entry = TimelineEntry.read(0, [7])
    entry.latency = .milliseconds(milliseconds)
    let central = Self.central(.small([entry]), LinkTiming(interval: .milliseconds(20)))
    central.wait(.milliseconds(3))
    central.send("0a0300")
    let came = try #require(central.received.first).at.nanoseconds
    let due = Int64(3 + milliseconds) * 1_000_000
    // Never earlier than recorded, and later by what is left of the interval and by the air time; but a device cannot answer
    // before it has heard the question.
    let latest: Int64 = max(due + 20_000_000, 40_000_000) + 200_000
    #expect(came >= due && came <= latest)
  }

  @Test func withoutTimingAnswersComeWhenTheyCame() {
    let central = Self.central(.small([.read(0, [7])]), .recorded)
    central.wait(.milliseconds(4))
    central.send("0a0300")
    #expect(central.received.map(\.at.nanoseconds) == [14_000_000])
  }

  @Test func anEventHasRoomForSoManyPackets() {
    let central = Self.central(Self.burst(100), LinkTiming(packetsPerEvent: 4))
    central.send("12040001 00", wait: .seconds(3))
    let values = Self.values(central)
    #expect(values.count == 100)
    // Value, opcode, handle and header of L2CAP are one packet of 27 bytes: four values an event, twenty-five events in a row.
    let events = values.map { Self.event($0) }
    let counts: [Int] = Dictionary(grouping: events, by: { $0 }).values.map(\.count)
    #expect(counts.allSatisfy { $0 == 4 })
    let reach = (events.max() ?? 0) - (events.min() ?? 0)
    #expect(Set(events).count == 25 && reach == 24)
    #expect(values == values.sorted())
  }

  @Test func aLongValueTakesSeveralPacketsUntilTheDataLengthIsUpdated() {
    let update = TimelineEntry(
      at: .zero, origin: .peripheral, action: .link(.updateDataLength(central: 251, peripheral: 251)),
      anchor: Anchor(.connection, delay: .zero))
    for (before, events) in [([], 10), ([update], 3)] {
      let central = Self.central(Self.burst(10, bytes: 100, before: before), LinkTiming(packetsPerEvent: 4))
      central.send("12040001 00", wait: .seconds(3))
      // 107 bytes are four packets of 27, or one of 251.
      #expect(Set(Self.values(central).map { Self.event($0) }).count == events)
    }
  }

  @Test func anotherPHYHasRoomForMore() {
    func count(_ phy: LinkPHY) -> Int {
      let update = TimelineEntry(
        at: .zero, origin: .peripheral, action: .link(.updatePHY(central: phy, peripheral: phy)), anchor: Anchor(.connection, delay: .zero))
      let central = Self.central(Self.burst(400, before: [update]), .connectionEvents)
      central.send("12040001 00", wait: .seconds(10))
      #expect(Self.values(central).count == 400)
      return Dictionary(grouping: Self.values(central).map { Self.event($0) }) { $0 }.values.map(\.count).max() ?? 0
    }
    // A packet of 27 bytes, the other end's empty one, and twice 150 µs: 676 µs, 496 µs and 3,468 µs of 30 ms.
    #expect(count(.le1M) == 44)
    #expect(count(.le2M) == 60)
    #expect(count(.leCoded) == 8)
  }

  @Test func otherParametersMeanOtherEvents() {
    let update = TimelineEntry(
      at: .milliseconds(60), origin: .peripheral,
      action: .link(.updateParameters(ConnectionParameters(interval: 80, latency: 0, timeout: 100))),
      anchor: Anchor(.entry("s"), delay: .milliseconds(40)))
    let late = TimelineEntry(
      at: .milliseconds(70), origin: .peripheral, action: .notify(AttributeHandle(3), [9]),
      anchor: Anchor(.entry("s"), delay: .milliseconds(50)))
    let central = Self.central(Self.burst(1, after: [update, late]), .connectionEvents)
    central.send("12040001 00", wait: .seconds(3))
    // The subscription's answer is due at 40 ms, the value at 65 ms; the parameters change at 80 ms: from 90 ms on events are 100 ms apart.
    let came = Self.values(central).map { Int($0) }
    #expect(came == [90, 190])
  }

  @Test func anIdlePeripheralListensNowAndThen() {
    var scenario = Scenario.small([])
    scenario.sessions[0].parameters = ConnectionParameters(interval: 24, latency: 3, timeout: 100)
    let central = Self.central(scenario, .connectionEvents)
    central.wait(.milliseconds(500))
    central.send("0a0300", wait: .zero)
    central.wait(.seconds(1))
    // The event at 510 ms is passed over, as are the next two: the device listens at each fourth, at 600 ms.
    let came = central.received.map { Int($0.at.nanoseconds / 1_000_000) }
    #expect(came == [630])
  }

  @Test func jitterComesFromTheSeedAndKeepsTheOrder() {
    let timing = LinkTiming(jitter: .uniform(.zero ... .milliseconds(8)))
    func run(_ seed: UInt64) -> (times: [Double], bytes: [UInt8]) {
      let central = Self.central(Self.burst(200), timing, seed: seed)
      central.send("12040001 00", wait: .seconds(3))
      return (Self.values(central), central.received.filter { $0.bytes[0] == 0x1B }.map { $0.bytes[3] })
    }
    let (one, other) = (run(1), run(2))
    #expect(one.times == run(1).times && one.times != other.times)
    #expect(one.bytes == Array(0..<200) && other.bytes == Array(0..<200))
    let outside = one.times.filter { $0 < 65 || $0 > 81 }
    #expect(outside == [])
    #expect(Set(one.times).count > 1)
  }

  @Test func answersTakeWhatTheModelSays() {
    func latencies(_ model: LatencyModel) -> [Double] {
      let central = Self.central(.small([.read(0, [7])]), LinkTiming(response: model), seed: 3)
      return (0..<400).map { _ in
        let before = central.air.now
        central.send("0a0300", wait: .seconds(20))
        return Double((central.received.last?.at ?? before).duration(since: before).inNanoseconds) / 1e6
      }
    }
    #expect(Set(latencies(.fixed(.milliseconds(25)))) == [25])
    let uniform = latencies(.uniform(.milliseconds(10) ... .milliseconds(20)))
    let outside = uniform.filter { $0 < 10 || $0 > 20 }
    #expect(outside == [] && Set(uniform).count > 300)
    let mean: Double = uniform.reduce(0, +) / 400
    #expect(mean > 14 && mean < 16)
    let spread = latencies(.logNormal(median: .milliseconds(30), sigma: 0.5)).sorted()
    #expect(spread[200] > 26 && spread[200] < 34)
    #expect((spread.last ?? 0) > 75 && spread[0] > 0)
    #expect(latencies(.logNormal(median: .milliseconds(30), sigma: 0.5)).sorted() == spread)
    #expect(Set(latencies(.logNormal(median: .milliseconds(30), sigma: -1))) == [30])
  }

  @Test func noModelDrawsWhatIsNoTime() {
    var random = SeededRandom(seed: 1)
    for sigma in [0, 0.5, 1000, 1e308, -1, .infinity, .nan] {
      for median in [Duration.zero, .seconds(-1), .nanoseconds(1), .seconds(Int64.max)] {
        let model = LatencyModel.logNormal(median: median, sigma: sigma)
        let times = (0..<100).map { _ in model.draw(nil, &random) }
        let outside = times.filter { $0 < .zero || $0 > .seconds(3600) && $0 != median }
        #expect(outside == [])
        if median <= .zero { #expect(Set(times) == [.zero]) }
      }
    }
  }

  @Test func whatIsSetLaterIsInItsRangeToo() {
    var timing = LinkTiming.recorded
    timing.interval = .zero
    #expect(timing == LinkTiming(interval: .microseconds(7500)))
    (timing.interval, timing.packetsPerEvent) = (.seconds(60), 0)
    #expect(timing == LinkTiming(interval: .seconds(4), packetsPerEvent: 1))
    timing = .recorded
    timing.packetsPerEvent = 2
    #expect(timing == LinkTiming(packetsPerEvent: 2))
  }

  /// The clock ends after 292 years; what is later never comes, and nothing comes before its time.
  @Test func atTheEndOfTheClockNothingComesEarly() {
    let timing = LinkTiming(interval: .seconds(4), jitter: .fixed(.seconds(9_223_372_035)))
    let central = Self.central(.small([.read(0, [7])]), timing)
    for _ in 0..<10 { #expect(central.send("0a0300", wait: .seconds(100)) == []) }
  }

  @Test func whatWasSentBeforeTheEndStillArrives() {
    let end = TimelineEntry(
      at: .milliseconds(51), origin: .peripheral, action: .disconnect(.remoteUserTerminatedConnection),
      anchor: Anchor(.entry("s"), delay: .milliseconds(26)))
    let central = Self.central(Self.burst(20, after: [end]), LinkTiming(packetsPerEvent: 2))
    central.send("12040001 00", wait: .seconds(3))
    #expect(Self.values(central).count == 20)
    #expect(central.ended == .remoteUserTerminatedConnection)
  }

  @Test func theSupervisionTimeoutCanBeAnother() {
    let vanish = TimelineEntry(
      at: .milliseconds(51), origin: .peripheral, action: .vanish, anchor: Anchor(.entry("s"), delay: .milliseconds(10)))
    for (timing, end) in [(LinkTiming.recorded, 1050), (LinkTiming(supervisionTimeout: .seconds(4)), 4050)] {
      let central = Self.central(Self.burst(0, after: [vanish]), timing)
      central.send("12040001 00", wait: .milliseconds(end - 1))
      #expect(central.ended == nil)
      central.wait(.milliseconds(2))
      #expect(central.ended == .connectionTimeout)
    }
  }

  /// What comes late may come behind something else, or behind the central's end; but all that was asked is answered from the tape.
  @Test func ownScenariosArePlayedOverConnectionEvents() throws {
    for name in ["heart-strap", "motion-stream", "serial-bridge", "thermo-logger"] {
      let scenario = try ScenarioSource.file(Repository.root.appending(path: "scenarios/\(name).json5").path).load()
      for timing in [LinkTiming.connectionEvents, LinkTiming(interval: .milliseconds(8), jitter: .uniform(.zero ... .milliseconds(3)))] {
        let replay = ScenarioReplay(scenario, timing: timing, seed: 5)
        #expect(replay.verdict.passed, "\(name)")
        #expect(replay.verdict.sessions.allSatisfy { $0.unused == [] && $0.nearMisses == [] && $0.substitutions == [] }, "\(name)")
        #expect(replay.log.text == ScenarioReplay(scenario, timing: timing, seed: 5).log.text)
      }
    }
  }
}
