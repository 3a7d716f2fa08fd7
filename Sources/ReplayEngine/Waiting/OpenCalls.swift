import Dispatch
import Foundation

/// Calls that were made on the system's queues and have not returned: these have no order, so that nothing which is sent through them later
/// tells what is done.
final class OpenCalls: @unchecked Sendable {
  private let lock = NSLock()
  // With the lock held.
  private var open: Set<Int> = []
  private var count = 0
  private var waiters: [@Sendable () -> Void] = []

  /// Whether a queue is one of the system's.
  static func concerns(_ queue: DispatchQueue) -> Bool { queue.label.hasPrefix("com.apple.root.") }

  /// Makes a call.
  func make(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    let number = lock.withLock {
      count += 1
      open.insert(count)
      return count
    }
    queue.async {
      body()
      self.end([number])
    }
  }

  private func end(_ numbers: Set<Int>) {
    let over = lock.withLock { () -> [@Sendable () -> Void] in
      open.subtract(numbers)
      guard open.isEmpty else { return [] }
      defer { waiters = [] }
      return waiters
    }
    for waiter in over { waiter() }
  }

  /// Calls `body` once all have returned, be it at once. One that takes longer than `patience` is not waited for any more: it waits for the air
  /// itself, perhaps.
  func whenNone(patience: Duration, _ body: @escaping @Sendable () -> Void) {
    let waited = lock.withLock { () -> Set<Int> in
      if !open.isEmpty { waiters.append(body) }
      return open
    }
    guard !waited.isEmpty else { return body() }
    DispatchQueue.global().asyncAfter(deadline: .now() + patience.inSeconds) { [weak self] in self?.end(waited) }
  }

  /// Whether any has not returned.
  var areOpen: Bool { lock.withLock { !open.isEmpty } }
}
