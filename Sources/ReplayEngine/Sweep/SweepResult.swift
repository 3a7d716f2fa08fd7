/// What a sweep found, point by point.
///
/// The results of shards merge to what one run would have given.
public struct SweepResult: Sendable, Equatable, Codable {
  /// How the app stood one point.
  public enum Outcome: String, Sendable, Codable, CaseIterable {
    case passed
    /// The verdict failed, or the run threw an error.
    case failed
    /// The process ended in the middle of the run.
    case trapped
    /// The run passed, and never came to where the fault stands.
    case notReached
    /// It was not run, for an earlier one failed and the sweep was to end there.
    case skipped

    /// Whether it lets the sweep fail.
    public var isFailure: Bool { self == .failed || self == .trapped }
  }

  /// One point and what came of it.
  public struct Point: Sendable, Equatable, Codable {
    /// The point's place among all points of the sweep, from 0.
    public var number: Int
    public var point: FaultPoint
    public var outcome: Outcome
    /// What failed, one sentence each; empty where nothing did.
    public var failures: [String]
    /// All that the verdict says, as text; `nil` where there was none.
    public var verdict: String?
    /// How long the run took, in real seconds.
    public var seconds: Double

    /// Joins all.
    public init(number: Int, point: FaultPoint, outcome: Outcome, failures: [String] = [], verdict: String? = nil, seconds: Double = 0) {
      (self.number, self.point, self.outcome) = (number, point, outcome)
      (self.failures, self.verdict, self.seconds) = (failures, verdict, seconds)
    }
  }

  /// What was swept: the scenario's name, or several with commas.
  public var name: String
  public var seed: UInt64
  /// How many points the whole sweep has, whatever this result holds of it.
  public var count: Int
  /// In the order of their numbers.
  public var points: [Point]

  /// Joins all.
  public init(name: String, seed: UInt64, count: Int, points: [Point] = []) {
    (self.name, self.seed, self.count, self.points) = (name, seed, count, points)
  }

  /// Whether no point failed or trapped.
  public var passed: Bool { !points.contains { $0.outcome.isFailure } }

  /// How many points came out so.
  public func count(of outcome: Outcome) -> Int { points.count { $0.outcome == outcome } }
}
