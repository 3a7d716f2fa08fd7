import Dispatch
import Foundation

/// One block through each of several queues, to know that what was on them before is done.
final class SentinelRound: @unchecked Sendable {
  /// How long a queue may keep a sentinel waiting, in real seconds: one that is blocked for good must not block the air.
  private static let patience = 2.0
  private let condition = NSCondition()
  private var pending: Int

  init(_ queues: [DispatchQueue]) {
    pending = queues.count
    for queue in queues { queue.async { self.passed() } }
  }

  private func passed() {
    condition.lock()
    pending -= 1
    condition.broadcast()
    condition.unlock()
  }

  private var isDone: Bool {
    condition.lock()
    defer { condition.unlock() }
    return pending == 0
  }

  /// Waits for all of them; the main thread runs its loop meanwhile, so that the main queue goes on.
  func wait() {
    let end = Date(timeIntervalSinceNow: Self.patience)
    if Thread.isMainThread {
      while !isDone, Date() < end { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.0005)) }
      return
    }
    condition.lock()
    defer { condition.unlock() }
    while pending > 0, condition.wait(until: end) {}
  }
}
