/// A moment on an air's clock, counted from the air's start.
public struct AirInstant: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Nanoseconds since the start.
  public var nanoseconds: Int64

  /// The moment `nanoseconds` after the start.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The air's start.
  public static let start = AirInstant(nanoseconds: 0)

  public static func < (left: AirInstant, right: AirInstant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The moment that is `duration` later; the clock ends after 292 years.
  public func advanced(by duration: Duration) -> AirInstant { advanced(byNanoseconds: duration.inNanoseconds) }

  func advanced(byNanoseconds count: Int64) -> AirInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
    return AirInstant(nanoseconds: overflow ? (count < 0 ? .min : .max) : sum)
  }

  /// The time from `other` to this moment.
  public func duration(since other: AirInstant) -> Duration {
    .nanoseconds(nanoseconds.subtractingReportingOverflow(other.nanoseconds).partialValue)
  }

  /// Seconds with nine decimals.
  public var description: String {
    let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest)
    return "\(nanoseconds < 0 ? "-" : "")\(seconds).\(String(repeating: "0", count: 9 - digits.count))\(digits)"
  }
}

extension Duration {
  /// Seconds, for what counts in them.
  package var inSeconds: Double { Double(inNanoseconds) / 1e9 }

  /// Whole nanoseconds, at the limits of `Int64` where they do not fit.
  package var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, past) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return past ? (seconds < 0 ? .min : .max) : sum
  }
}
