import Dispatch
import Foundation

extension Array where Element: Sendable {
  /// Maps the elements on all processors at once; the results stand in the order of their elements.
  package func concurrentMap<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
    guard count > 1 else { return map(transform) }
    let results = ConcurrentResults<Result>(count: count)
    DispatchQueue.concurrentPerform(iterations: count) { place in results.set(transform(self[place]), at: place) }
    return results.all
  }
}

/// Results that arrive in any order, from any thread.
private final class ConcurrentResults<Result: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var results: [Result?]

  init(count: Int) { results = Array(repeating: nil, count: count) }

  func set(_ result: Result, at place: Int) { lock.withLock { results[place] = result } }

  var all: [Result] { lock.withLock { results.compactMap(\.self) } }
}
