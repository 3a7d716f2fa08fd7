import Foundation

/// A value behind a lock, and those who follow its changes.
final class Observed<Value: Sendable & Hashable>: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Value
  private var followers: [Int: AsyncStream<Value>.Continuation] = [:]
  private var count = 0

  init(_ value: Value) { stored = value }

  deinit { for follower in followers.values { follower.finish() } }

  var value: Value {
    get { lock.withLock { stored } }
    set { _ = set(newValue) { _ in true } }
  }

  /// Changes the value where it is one of these; tells whether it was.
  func exchange(from old: Set<Value>, to new: Value) -> Bool { set(new) { old.contains($0) } }

  private func set(_ new: Value, where condition: (Value) -> Bool) -> Bool {
    let told = lock.withLock { () -> [AsyncStream<Value>.Continuation]? in
      guard condition(stored) else { return nil }
      guard stored != new else { return [] }
      stored = new
      return Array(followers.values)
    }
    for follower in told ?? [] { follower.yield(new) }
    return told != nil
  }

  /// The value now, and each that follows; it ends with its owner.
  var updates: AsyncStream<Value> {
    let (stream, continuation) = AsyncStream<Value>.makeStream()
    let number = lock.withLock { () -> Int in
      count += 1
      followers[count] = continuation
      continuation.yield(stored)
      return count
    }
    continuation.onTermination = { [weak self] _ in self?.stop(number) }
    return stream
  }

  private func stop(_ number: Int) { _ = lock.withLock { followers.removeValue(forKey: number) } }
}
