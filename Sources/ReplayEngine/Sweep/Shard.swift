/// A part of a sweep: every `count`-th of its points, so that several machines do it together.
public struct Shard: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Its number, from 1.
  public let index: Int
  /// How many there are.
  public let count: Int

  /// The whole.
  public static let whole = Shard(valid: 1, of: 1)

  private init(valid index: Int, of count: Int) { (self.index, self.count) = (index, count) }

  /// The shard with a number from 1 to `count`; `nil` for any other number.
  public init?(_ index: Int, of count: Int) {
    guard count >= 1, (1...count).contains(index) else { return nil }
    self.init(valid: index, of: count)
  }

  /// Reads `I/N`, as in `2/4`.
  public init(_ text: String) throws(ShardError) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1], let shard = Shard(index, of: count) else {
      throw ShardError(description: "\(text) is no shard; give its number, from 1, and how many there are, as 2/4")
    }
    self = shard
  }

  public var description: String { "\(index)/\(count)" }

  /// Whether the point with this number, from 0, belongs to it.
  public func holds(_ number: Int) -> Bool { number % count == index - 1 }

  /// Where a CI system says which of several equal jobs this is: the variables of number and count, and the number of the first.
  private static let systems: [(name: String, index: String, count: String, first: Int)] = [
    ("GitLab's parallel", "CI_NODE_INDEX", "CI_NODE_TOTAL", 1),
    ("GitHub's matrix", "STRATEGY_JOB_INDEX", "STRATEGY_JOB_TOTAL", 0),
    ("Bazel's shard_count", "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0),
    ("Kubernetes' Indexed Job", "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", 0),
    ("CircleCI's parallelism", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0),
    ("Buildkite's parallelism", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0),
  ]

  /// The shard that these environment variables name: `UNDERSTUDY_SHARD` as `I/N`, else those of a CI system; the whole where none does.
  ///
  /// GitHub hands `strategy.job-index` and `strategy.job-total` to no variable by itself, and Kubernetes hands over only the index: a job's
  /// description has to set what is missing (docs/sweeps.md).
  public init(environment: [String: String]) throws(ShardError) {
    if let text = environment["UNDERSTUDY_SHARD"], !text.isEmpty {
      do { try self.init(text) } catch { throw ShardError(description: "UNDERSTUDY_SHARD: \(error.description)") }
      return
    }
    for system in Self.systems {
      guard let count = environment[system.count], !count.isEmpty else { continue }
      // One job of one may have no number.
      let index = environment[system.index] ?? (count == "1" ? "\(system.first)" : "")
      guard let all = Int(count), let number = Int(index), let shard = Shard(number &- system.first &+ 1, of: all) else {
        throw ShardError(
          description:
            "\(system.index)=\(index) of \(system.count)=\(count) is no shard of \(system.name), which counts from \(system.first); "
            + "mend them, or set UNDERSTUDY_SHARD=I/N, as 2/4")
      }
      self = shard
      return
    }
    self = .whole
  }
}

/// A shard that does not exist.
public struct ShardError: Error, Sendable, CustomStringConvertible {
  /// What is wrong, and what to do.
  public let description: String
}
