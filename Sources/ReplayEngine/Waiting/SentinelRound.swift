import Dispatch
import Foundation

/// One block through each of several queues, to know that what was on them before is done.
final class SentinelRound: @unchecked Sendable {
  /// How long a queue may keep a sentinel waiting, in real seconds: one that is blocked for good must not block the air.
  private static let limit = 2.0
  private let condition = NSCondition()
  private var pending: Int
  private var whenDone: (@Sendable () -> Void)?

  /// Calls `whenDone` when all have passed, or some were waited for for too long.
  init(_ queues: [DispatchQueue], whenDone: (@Sendable () -> Void)? = nil) {
    pending = queues.count
    self.whenDone = whenDone
    for queue in queues { queue.async { self.passed() } }
    if whenDone != nil { DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) { [weak self] in self?.end() } }
  }

  /// Over once all jobs have run on.
  init(_ jobs: TaskJobs, patience: Duration) {
    pending = 1
    let isOnMain = Thread.isMainThread
    jobs.whenIdle(patience: patience) {
      self.passed()
      // Ends the run loop's turn at once.
      if isOnMain { DispatchQueue.main.async {} }
    }
  }

  private func passed() {
    condition.lock()
    pending -= 1
    let isLast = pending == 0
    condition.broadcast()
    condition.unlock()
    if isLast { end() }
  }

  private func end() {
    condition.lock()
    let call = whenDone
    whenDone = nil
    condition.unlock()
    call?()
  }

  private var isDone: Bool {
    condition.lock()
    defer { condition.unlock() }
    return pending == 0
  }

  /// Waits for all of them; the main thread runs its loop meanwhile, so that the main queue goes on.
  func wait() {
    let end = Date(timeIntervalSinceNow: Self.limit)
    if Thread.isMainThread {
      while !isDone, Date() < end { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.0005)) }
      return
    }
    condition.lock()
    defer { condition.unlock() }
    while pending > 0, condition.wait(until: end) {}
  }
}
