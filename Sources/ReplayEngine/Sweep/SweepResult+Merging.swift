extension SweepResult {
  /// The numbers of points of which nothing is known, in order.
  public var missing: [Int] {
    let known = Set(points.map(\.number))
    return (0..<max(0, count)).filter { !known.contains($0) }
  }

  /// Joins what shards of one sweep found to what one run would have found.
  ///
  /// A point that one shard skipped is what another found; else each may be there once.
  public init(merging parts: [SweepResult]) throws(SweepMergeError) {
    guard let first = parts.first else { throw SweepMergeError(description: "there is no result to merge; name the files of all shards") }
    self.init(name: first.name, seed: first.seed, count: first.count)
    var found: [Int: Point] = [:]
    for (place, part) in parts.enumerated() {
      guard part.name == name, part.seed == seed, part.count == count else {
        throw SweepMergeError(
          description: "result \(place + 1) is of another sweep: \(part.words), the first is of \(words); merge only the shards of one")
      }
      for point in part.points {
        guard (0..<count).contains(point.number) else {
          throw SweepMergeError(description: "result \(place + 1) has point \(point.number + 1) of \(count); run that shard again")
        }
        if let other = found[point.number] {
          guard other.point == point.point else {
            throw SweepMergeError(
              description: "point \(point.number + 1) is \(other.point) in one result and \(point.point) in result \(place + 1); "
                + "run all shards with the same scenario")
          }
          guard other.outcome == .skipped || point.outcome == .skipped else {
            throw SweepMergeError(
              description: "point \(point.number + 1), \(point.point), is in result \(place + 1) and in one before; name each shard once")
          }
          if point.outcome == .skipped { continue }
        }
        found[point.number] = point
      }
    }
    points = found.values.sorted { $0.number < $1.number }
  }

  private var words: String { "\(name), seed \(seed), \(count) points" }
}

/// Results that are not of one sweep.
public struct SweepMergeError: Error, Sendable, CustomStringConvertible {
  /// What is wrong, and what to do.
  public let description: String
}
