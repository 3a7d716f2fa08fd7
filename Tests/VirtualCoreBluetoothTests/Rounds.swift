import Foundation

/// How often a test repeats what must be the same each time: `UNDERSTUDY_ROUNDS`, or fewer times, so that the suite stays short.
enum Rounds {
  private static let asked = ProcessInfo.processInfo.environment["UNDERSTUDY_ROUNDS"].flatMap { Int($0) }
  static let count = asked ?? 40
  /// For what is done ten times as often.
  static let many = asked.map { 10 * $0 } ?? 200
}
