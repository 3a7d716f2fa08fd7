/// A sweep under way in this process.
struct SweepRun {
  private let sweep: Sweep
  private let journal: SweepJournal?
  private var waiting: ArraySlice<Int>
  private var points: [Int: SweepResult.Point]

  init(_ sweep: Sweep, _ journal: SweepJournal?) throws {
    (self.sweep, self.journal) = (sweep, journal)
    points = try journal?.begin(sweep) ?? [:]
    waiting = sweep.numbers.filter { [points] in points[$0] == nil }[...]
  }

  /// The next point to run, written down before it is; `nil` where none is left.
  mutating func next() throws -> Int? {
    guard !(sweep.stopsAtFirstFailure && points.values.contains { $0.outcome.isFailure }), let number = waiting.popFirst() else {
      return nil
    }
    try journal?.begin(number)
    return number
  }

  /// A point was run.
  mutating func end(_ number: Int, _ played: Played, seconds: Double) throws {
    let point = played.point(number, sweep.points[number], seconds: seconds)
    points[number] = point
    try journal?.end(point)
  }

  /// What is known of the shard's points; those that were left out are told, too.
  var result: SweepResult { sweep.result(of: points) }
}

extension Sweep {
  /// The result of the shard's points; those that are not among `points` were skipped.
  package func result(of points: [Int: SweepResult.Point]) -> SweepResult {
    var result = emptyResult
    result.points = numbers.map { points[$0] ?? SweepResult.Point(number: $0, point: self.points[$0], outcome: .skipped) }
    return result
  }
}
