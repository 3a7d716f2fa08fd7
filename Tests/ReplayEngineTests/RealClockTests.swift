import Foundation
@testable import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// The real clock, on a time that tests make: nothing comes early, the order is kept, and lateness does not add up.
struct RealClockTests {
  /// Time that goes by when it is waited for, somewhat more than asked, as a machine's does.
  final class MadeTime: RealTime, @unchecked Sendable {
    private let lock = NSLock()
    private var current = Duration.zero
    private var generator: SeededGenerator
    private let latest: Int64
    private(set) var waits = 0

    init(seed: UInt64, latest: Duration) { (generator, self.latest) = (SeededGenerator(seed: seed), latest.inNanoseconds) }

    var now: Duration { lock.withLock { current } }

    func wait(until moment: Duration?) {
      lock.withLock {
        waits += 1
        guard let moment else { return }
        current = max(current, moment) + .nanoseconds(latest == 0 ? 0 : Int64.random(in: 0...latest, using: &generator))
      }
    }

    func wake() {}
    func pass(_ duration: Duration) { lock.withLock { current += duration } }
  }

  private static let count = 3000
  /// A minute of notifications twenty milliseconds apart, after a subscription.
  private static let burst: Scenario = {
    let entries =
      [TimelineEntry(at: .zero, action: .write(AttributeHandle(4), [1, 0]), answer: .ok)]
      + (1...count).map { number in
        TimelineEntry(
          at: .milliseconds(20 * number), origin: .peripheral, action: .notify(AttributeHandle(3), [UInt8(truncatingIfNeeded: number)]),
          anchor: Anchor(.connection, delay: .milliseconds(20 * number)))
      }
    return .small(entries)
  }()

  /// Connects, subscribes, and follows the clock until nothing more is to come.
  private static func play(_ air: VirtualAir, _ clock: RealClock, _ central: Recorder) {
    air.withCore { core in
      core.connect(central, to: 0)
      while central.link == nil { core.step() }
      if let link = central.link { core.send(hex("12 0400 0100"), on: link) }
    }
    air.setPacer(clock)
    while let deadline = air.follow(clock).deadline { clock.wait(for: deadline) }
  }

  /// Plays the burst on made time; tells the real moments at which each value came, and the clock.
  private static func played(_ pace: AirPace, seed: UInt64, latest: Duration) -> (moments: [Duration], air: VirtualAir, clock: RealClock) {
    let time = MadeTime(seed: seed, latest: latest)
    let air = VirtualAir(scenarios: [burst])
    let clock = RealClock(pace, at: .start, time)
    let central = Recorder(time)
    play(air, clock, central)
    return (central.moments, air, clock)
  }

  private final class Recorder: AirCentral, @unchecked Sendable {
    let time: MadeTime
    var link: Int?
    var moments: [Duration] = []
    var values: [UInt8] = []
    init(_ time: MadeTime) { self.time = time }
    func handle(_ event: AirEvent, in air: AirCore) {
      switch event {
      case .connected(let link, _): self.link = link
      case .received(_, let bytes, _) where bytes.first == 0x1B:
        moments.append(time.now)
        values.append(bytes[3])
      default: break
      }
    }
  }

  @Test(arguments: [0, 1, 2, 3] as [UInt64], [0.5, 1, 4])
  func neverEarlyAndWithoutDrift(seed: UInt64, speed: Double) {
    let latest = Duration.microseconds(900)
    let (moments, air, clock) = Self.played(AirPace(speed: speed), seed: seed, latest: latest)
    #expect(moments.count == Self.count)
    for (place, moment) in moments.enumerated() {
      let due = Duration.nanoseconds(Int64((Double(20_000_000 * (place + 1)) / speed).rounded(.down)))
      #expect(moment >= due, "early")
      // The last is no later than the first: each is counted from the beginning.
      #expect(moment - due <= latest + .nanoseconds(2))
    }
    #expect(moments == moments.sorted())
    let lateness = clock.lateness
    #expect(
      lateness.count >= Self.count && lateness.median <= lateness.p99 && lateness.p99 <= lateness.longest
        && lateness.longest <= latest + .nanoseconds(2))
    #expect(lateness.median > .zero)
    #expect(air.verdict.lateness == lateness && "\(air.verdict)".contains("lateness: \(lateness)"))
    // The log has the times that were due.
    #expect(Set(air.log.lines.map(\.time)).isSuperset(of: (1...Self.count).map { AirInstant(nanoseconds: 20_000_000 * Int64($0)) }))
  }

  @Test func gapsAreCut() {
    var scenario = Self.burst
    scenario.sessions[0].entries =
      [scenario.sessions[0].entries[0]]
      + [20, 40, 60].map { seconds in
        TimelineEntry(
          at: .seconds(seconds), origin: .peripheral, action: .notify(AttributeHandle(3), [1]),
          anchor: Anchor(.connection, delay: .seconds(seconds)))
      }
    let time = MadeTime(seed: 1, latest: .zero)
    let clock = RealClock(AirPace(longestGap: .seconds(2)), at: .start, time)
    let air = VirtualAir(scenarios: [scenario])
    let central = Recorder(time)
    Self.play(air, clock, central)
    #expect(central.moments == [2, 4, 6].map { .seconds($0) })
    // The air's own time went on as recorded.
    #expect(air.withCore { $0.now } == AirInstant(nanoseconds: 60_000_000_000))
  }

  /// What the app does counts from the moment at which it does it.
  @Test func callsComeWhenTheyAreMade() {
    let time = MadeTime(seed: 1, latest: .zero)
    let clock = RealClock(AirPace(speed: 2), at: .start, time)
    let air = VirtualAir(scenarios: [Self.burst])
    air.setPacer(clock)
    time.pass(.seconds(3))
    let seen = Guarded<AirInstant?>(nil)
    air.enqueue { seen.value = $0.now }
    _ = air.follow(clock)
    #expect(seen.value == AirInstant(nanoseconds: 6_000_000_000))
    air.stop()
    #expect(air.now == AirInstant(nanoseconds: 6_000_000_000))
  }

  /// Subscribes as soon as it is connected.
  private final class Subscriber: AirCentral, @unchecked Sendable {
    let values = Guarded(0)
    func handle(_ event: AirEvent, in air: AirCore) {
      switch event {
      case .connected(let link, _): air.send(hex("12 0400 0100"), on: link)
      case .received(_, let bytes, _) where bytes.first == 0x1B: values.value += 1
      default: break
      }
    }
  }

  @Test func timeGoesOnByItself() throws {
    weak var gone: VirtualAir?
    do {
      let air = VirtualAir(scenarios: [Self.burst])
      gone = air
      let central = Subscriber()
      air.start(pace: AirPace(speed: 1000))
      air.enqueue { $0.connect(central, to: 0) }
      try air.run(until: central.values.value == Self.count)
      #expect(air.now >= AirInstant(nanoseconds: 60_000_000_000) && air.lateness.count > Self.count)
      air.stop()
      let end = air.now
      #expect(air.now == end && air.lateness == Lateness())
    }
    // The thread lets go of it.
    let limit = ContinuousClock.now.advanced(by: .seconds(10))
    while gone != nil, ContinuousClock.now < limit { Thread.sleep(forTimeInterval: 0.001) }
    #expect(gone == nil)
  }

  /// Step by step, real time stands still as the virtual one does.
  @Test func stepsOnTheRealClock() {
    let air = VirtualAir(scenarios: [Self.burst])
    let central = Subscriber()
    air.start(pace: AirPace(speed: 0.001))
    air.enqueue { $0.connect(central, to: 0) }
    var moments: [AirInstant] = []
    while central.values.value < 3 { moments += air.step().map(\.time) }
    let (last, second) = (moments.suffix(3), AirInstant(nanoseconds: 20_000_000))
    #expect(last.map { ($0.duration(since: second)).inNanoseconds / 1_000_000 } == [0, 20, 40])
    #expect(air.now == last.last)
    air.resume()
    air.stop()
  }

  @Test func histogramsAreTrueToAnEighth() {
    var histogram = LatenessHistogram()
    #expect(histogram.summary == Lateness())
    for number in 1...10_000 { histogram.add(.microseconds(number)) }
    let summary = histogram.summary
    for (got, exact) in [(summary.median, 5_000), (summary.p99, 9_900), (summary.longest, 10_000)] {
      #expect(got >= .microseconds(exact) && got <= .microseconds(exact + exact / 8))
    }
    histogram.add(.nanoseconds(Int64.max))
    histogram.add(.seconds(-1))
    #expect(histogram.summary.longest == .nanoseconds(Int64.max) && histogram.summary.count == 10_002)
  }

  @Test func pacesAreSane() {
    #expect(AirPace(speed: .nan).speed == 1 && AirPace(speed: 0).speed == 0.001 && AirPace(speed: .infinity).speed == 1)
    #expect(AirPace(longestGap: .seconds(-1)).longestGap == .zero)
  }
}
