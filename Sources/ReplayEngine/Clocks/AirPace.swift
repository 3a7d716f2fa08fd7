/// How an air's time follows real time.
public struct AirPace: Sendable, Equatable {
  /// How many seconds of the air go by in a real one, from 0.001 to 1000.
  public var speed: Double
  /// The longest real time in which nothing happens; longer ones are cut to it. `nil` keeps them.
  public var longestGap: Duration?

  /// Follows real time, `speed` times as fast.
  public init(speed: Double = 1, longestGap: Duration? = nil) {
    self.speed = speed.isFinite ? min(max(speed, 0.001), 1000) : 1
    self.longestGap = longestGap.map { max($0, .zero) }
  }

  /// As recorded.
  public static let recorded = AirPace()
}

/// How much later than they were due events were handled on the real clock, in real time.
public struct Lateness: Sendable, Equatable, CustomStringConvertible {
  /// How many events there were.
  public var count = 0
  /// The times that half of them and 99 in 100 do not exceed, and the longest, to within an eighth.
  public var median: Duration = .zero
  public var p99: Duration = .zero
  public var longest: Duration = .zero

  /// All four, in microseconds.
  public var description: String {
    let words = [("half of them up to", median), ("99 in 100 up to", p99), ("the longest", longest)]
      .map { "\($0.0) \($0.1.inNanoseconds / 1000) µs" }
    return "\(count) events, \(words.joined(separator: ", "))"
  }
}

/// Counts times in classes that grow by an eighth, so that memory does not grow with a run.
struct LatenessHistogram {
  private var counts: [Int] = []
  private var count = 0
  private var longest: Int64 = 0

  mutating func add(_ lateness: Duration) {
    let nanoseconds = max(0, lateness.inNanoseconds)
    let place = Self.place(nanoseconds)
    if place >= counts.count { counts += Array(repeating: 0, count: place + 1 - counts.count) }
    counts[place] += 1
    count += 1
    longest = max(longest, nanoseconds)
  }

  /// Eight classes for each doubling.
  private static func place(_ nanoseconds: Int64) -> Int {
    guard nanoseconds >= 8 else { return Int(nanoseconds) }
    let exponent = 63 - nanoseconds.leadingZeroBitCount
    return (exponent - 2) * 8 + Int(nanoseconds >> Int64(exponent - 3) & 7)
  }

  /// The longest time of a class.
  private static func upperBound(_ place: Int) -> Int64 {
    guard place >= 8 else { return Int64(place) }
    let exponent = Int64(place / 8 + 2)
    return (Int64(8 + place % 8 + 1) << (exponent - 3)) - 1
  }

  private func quantile(_ share: Double) -> Duration {
    var left = Int((Double(count) * share).rounded(.up))
    for (place, number) in counts.enumerated() {
      left -= number
      if left <= 0 { return .nanoseconds(min(Self.upperBound(place), longest)) }
    }
    return .nanoseconds(longest)
  }

  var summary: Lateness {
    count == 0 ? Lateness() : Lateness(count: count, median: quantile(0.5), p99: quantile(0.99), longest: .nanoseconds(longest))
  }
}
