import Foundation

/// How often a test repeats what must be the same each time: `UNDERSTUDY_ROUNDS`, or fewer times, so that the suite stays short.
enum Rounds {
  static let count = ProcessInfo.processInfo.environment["UNDERSTUDY_ROUNDS"].flatMap { Int($0) } ?? 100
}
