import Dispatch
public import ReplayScenarios

/// Runs an app once for each fault point, each time on a new air, and says how it stood each.
public struct Sweep: Sendable {
  /// What is swept: the scenario's name, or several with commas.
  public var name: String
  public var seed: UInt64
  /// All points; their places are their numbers.
  public var points: [FaultPoint]
  /// Which of them are run.
  public var shard: Shard
  /// Which of those one of several processes of this machine runs.
  package var part = Shard.whole
  /// Whether no point is run any more once one has failed; those are then told as skipped.
  public var stopsAtFirstFailure = false

  /// Joins all.
  public init(_ name: String, points: [FaultPoint], seed: UInt64 = 0, shard: Shard = .whole) {
    (self.name, self.points, self.seed, self.shard) = (name, points, seed, shard)
  }

  /// Several actions at the same points of scenarios, action by action.
  public init(
    _ actions: [Fault.Action], at selection: FaultPoint.Selection = .everyEntry, of scenarios: [Scenario], seed: UInt64 = 0,
    shard: Shard = .whole
  ) {
    let names = scenarios.map { $0.device.name ?? $0.origin?.file ?? "a device without a name" }
    let points = actions.flatMap { action in
      scenarios.enumerated().flatMap { place, scenario in
        FaultPoint.all(action, at: selection, in: scenario).map { point in
          var point = point
          if scenarios.count > 1 { point.fault.peripheral = place }
          return point
        }
      }
    }
    self.init(names.joined(separator: ", "), points: points, seed: seed, shard: shard)
  }

  /// The numbers of the points that the shard holds.
  public var numbers: [Int] { points.indices.filter(shard.holds).enumerated().filter { part.holds($0.offset) }.map(\.element) }

  /// A result without points yet.
  public var emptyResult: SweepResult { SweepResult(name: name, seed: seed, count: points.count) }

  /// Runs the shard's points that the journal does not tell of yet, one after the other.
  ///
  /// `makeAir` makes the air of one run; `body` makes the app, runs the air, and may throw.
  public func run(
    journal: SweepJournal? = nil, clock: any Clock<Duration> = ContinuousClock(), makeAir: () throws -> VirtualAir,
    _ body: (VirtualAir) throws -> Void
  ) throws -> SweepResult {
    var run = try SweepRun(self, journal)
    while let number = try run.next() {
      let time = SweepTime(clock)
      var played = Played()
      do {
        let air = try makeAir()
        defer { air.close() }
        air.inject(points[number])
        do { try VirtualAir.$current.withValue(air) { try body(air) } } catch { played.add(error) }
        played.verdict = air.verdict
      } catch { played.failures.append("there is no air: \(error)") }
      try run.end(number, played, seconds: time.seconds)
    }
    return run.result
  }

  /// The same for an app that is run by asynchronous code.
  public func run(
    journal: SweepJournal? = nil, clock: any Clock<Duration> = ContinuousClock(), makeAir: () throws -> VirtualAir,
    isolation: isolated (any Actor)? = #isolation, _ body: (VirtualAir) async throws -> Void
  ) async throws -> SweepResult {
    var run = try SweepRun(self, journal)
    while let number = try run.next() {
      let time = SweepTime(clock)
      var played = Played()
      do {
        let air = try makeAir()
        defer { air.close() }
        air.inject(points[number])
        do { try await VirtualAir.$current.withValue(air) { try await body(air) } } catch { played.add(error) }
        played.verdict = air.verdict
      } catch { played.failures.append("there is no air: \(error)") }
      try run.end(number, played, seconds: time.seconds)
    }
    return run.result
  }

  /// Has `play` play each of the shard's points, several at once where the processors allow it and the first failure is not to end it.
  public func run(clock: any Clock<Duration> & Sendable = ContinuousClock(), _ play: @Sendable (FaultPoint) -> Verdict) -> SweepResult {
    let all = numbers
    let found = Guarded([Int: SweepResult.Point]())
    @Sendable func playOne(_ number: Int) {
      let time = SweepTime(clock)
      let point = Played(verdict: play(points[number])).point(number, points[number], seconds: time.seconds)
      found.withValue { $0[number] = point }
    }
    if stopsAtFirstFailure {
      for number in all {
        playOne(number)
        if found.value[number]?.outcome.isFailure ?? false { break }
      }
    } else {
      DispatchQueue.concurrentPerform(iterations: all.count) { playOne(all[$0]) }
    }
    return result(of: found.value)
  }
}

/// What came of the run of one point.
struct Played {
  var failures: [String] = []
  var verdict: Verdict?

  mutating func add(_ error: any Error) { failures += (error as? RecordedFailures)?.messages ?? ["\(error)"] }

  func point(_ number: Int, _ point: FaultPoint, seconds: Double) -> SweepResult.Point {
    let failures = failures + (verdict?.failures ?? [])
    let isReached = verdict?.faultsNotReached.isEmpty ?? true
    return SweepResult.Point(
      number: number, point: point, outcome: failures.isEmpty ? isReached ? .passed : .notReached : .failed, failures: failures,
      verdict: verdict.map { "\($0)" }, seconds: seconds)
  }
}

/// What assertions of a test said of one run.
package struct RecordedFailures: Error {
  package var messages: [String]
  /// Wraps them.
  package init(_ messages: [String]) { self.messages = messages }
}

/// What a clock says has passed.
private struct SweepTime {
  private let elapsed: () -> Duration

  init(_ clock: any Clock<Duration>) { elapsed = Self.since(clock) }

  private static func since<C: Clock>(_ clock: C) -> () -> Duration where C.Duration == Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }

  var seconds: Double { elapsed() / .seconds(1) }
}
