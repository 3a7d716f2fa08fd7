import Foundation

/// How long something takes: as recorded, always the same, or drawn from the air's seed.
public enum LatencyModel: Sendable, Hashable {
  /// As recorded; no time at all where nothing was recorded.
  case recorded
  case fixed(Duration)
  /// Any time of the range is as likely as any other.
  case uniform(ClosedRange<Duration>)
  /// Half of the times are shorter than `median`; `sigma` is the standard deviation of their natural logarithm, 0 or more. Times of
  /// radio links and operating systems spread like that: most are near, a few far off.
  case logNormal(median: Duration, sigma: Double)

  /// The longest time that is drawn.
  private static let longest = Duration.seconds(3600)

  /// The next time; `recorded` is the recording's.
  func draw(_ recorded: Duration?, _ random: inout SeededRandom) -> Duration {
    switch self {
    case .recorded: return recorded ?? .zero
    case .fixed(let time): return max(.zero, time)
    case .uniform(let range):
      let (low, high) = (max(0, range.lowerBound.inNanoseconds), max(0, range.upperBound.inNanoseconds))
      return .nanoseconds(Int64.random(in: low...max(low, high), using: &random))
    case .logNormal(let median, let sigma):
      guard sigma.isFinite, sigma > 0 else { return max(.zero, median) }
      // Box and Muller's transform; the first number is never 0.
      let (one, two) = (1 - Double.random(in: 0..<1, using: &random), Double.random(in: 0..<1, using: &random))
      let normal = (-2 * log(one)).squareRoot() * cos(2 * .pi * two)
      // Nothing times infinity is no number.
      guard median > .zero else { return .zero }
      let nanoseconds = Double(median.inNanoseconds) * exp(sigma * normal)
      return .nanoseconds(Int64(min(nanoseconds, Double(Self.longest.inNanoseconds))))
    }
  }
}
