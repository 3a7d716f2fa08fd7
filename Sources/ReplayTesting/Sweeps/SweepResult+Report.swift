import ReplayEngine

extension SweepResult.Point {
  /// The point and what came of it, for a test's failure.
  var report: String {
    // The verdict tells what failed in it among all else.
    let others = failures.filter { failure in !(verdict.map { $0.contains(failure) } ?? false) }
    return (["point \(number + 1), \(point): \(outcome.rawValue)"] + others.map { "  \($0)" } + (verdict.map { [$0] } ?? []))
      .joined(separator: "\n")
  }
}
