/// How much earlier or later than recorded requests came, counted from the beginning of their sessions.
public struct TimingHistogram: Sendable, Equatable {
  /// The limits between the classes, rising; a time on a limit belongs to the class above it.
  public static let limits: [Duration] = [
    .seconds(-10), .seconds(-1), .milliseconds(-100), .milliseconds(-10), .milliseconds(-1), .milliseconds(1), .milliseconds(10),
    .milliseconds(100), .seconds(1), .seconds(10),
  ]
  private static let limitsInNanoseconds = limits.map(\.inNanoseconds)

  /// How many requests fall into each class: those before the first limit, between each two, and from the last on.
  public private(set) var counts = Array(repeating: 0, count: limits.count + 1)

  /// How many requests there were.
  public var total: Int { counts.reduce(0, +) }

  mutating func add(nanoseconds deviation: Int64) {
    var place = Self.limits.count / 2
    // Most come near their time, so the search begins in the middle.
    while place < Self.limits.count, deviation >= Self.limitsInNanoseconds[place] { place += 1 }
    while place > 0, deviation < Self.limitsInNanoseconds[place - 1] { place -= 1 }
    counts[place] += 1
  }

  static func + (one: Self, other: Self) -> Self {
    var sum = one
    for (place, count) in other.counts.enumerated() { sum.counts[place] += count }
    return sum
  }

  /// The classes in words, with their counts; those that nothing falls into are left out.
  package var words: [(count: Int, words: String)] {
    counts.enumerated().filter { $0.element > 0 }.map { place, count in (count, Self.words(place)) }
  }

  private static func words(_ place: Int) -> String {
    let middle = limits.count / 2
    func text(_ limit: Duration) -> String {
      let milliseconds = limit.inNanoseconds.magnitude / 1_000_000
      return milliseconds < 1000 ? "\(milliseconds) ms" : "\(milliseconds / 1000) s"
    }
    switch place {
    case middle: return "within \(text(limits[middle]))"
    case 0: return "over \(text(limits[0])) early"
    case limits.count: return "over \(text(limits[limits.count - 1])) late"
    case ..<middle: return "\(text(limits[place])) to \(text(limits[place - 1])) early"
    default: return "\(text(limits[place - 1])) to \(text(limits[place])) late"
    }
  }
}
