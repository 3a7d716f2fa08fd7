import Dispatch
import Foundation

/// One block through each of several queues, to know that what was on them before is done.
final class SentinelRound: @unchecked Sendable {
  /// How long a queue may keep a sentinel waiting, in real seconds: one that is blocked for good must not block the air.
  static let limit = 2.0
  private let condition = NSCondition()
  private var pending: Int
  /// Whether the main thread waits in its run loop.
  private var mainWaits = false
  private var whenDone: (@Sendable () -> Void)?

  init(_ queues: [DispatchQueue]) {
    pending = queues.count
    for queue in queues { queue.async { self.passed() } }
  }

  /// Calls `whenDone` when all have passed, or some were waited for for too long; before that `onDelay`, when `patience` is over.
  convenience init(
    _ queues: [DispatchQueue], patience: Duration, limit: Double = SentinelRound.limit, onDelay: @escaping @Sendable () -> Void,
    whenDone: @escaping @Sendable () -> Void
  ) {
    self.init([])
    condition.lock()
    (pending, self.whenDone) = (queues.count, whenDone)
    condition.unlock()
    for queue in queues { queue.async { self.passed() } }
    DispatchQueue.global().asyncAfter(deadline: .now() + patience.inSeconds) { [weak self] in
      guard let self, !self.isDone else { return }
      onDelay()
      if limit > 0 { DispatchQueue.global().asyncAfter(deadline: .now() + limit) { self.end() } } else { self.end() }
    }
  }

  /// Over once all jobs have run on.
  init(_ jobs: TaskJobs, patience: Duration) {
    pending = 1
    jobs.whenIdle(patience: patience) { self.passed() }
  }

  /// Over once all calls have returned.
  init(_ calls: OpenCalls, patience: Duration) {
    pending = 1
    calls.whenNone(patience: patience) { self.passed() }
  }

  private func passed() {
    condition.lock()
    pending -= 1
    let (isLast, wakesMain) = (pending == 0, mainWaits)
    condition.broadcast()
    condition.unlock()
    guard isLast else { return }
    end()
    // Ends the run loop's turn at once.
    if wakesMain { DispatchQueue.main.async {} }
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

  /// Waits for all of them, calling `onDelay` when `patience` is over; tells whether all have passed.
  func wait(patience: Duration, onDelay: () -> Void) -> Bool {
    guard !wait(until: Date(timeIntervalSinceNow: patience.inSeconds)) else { return true }
    onDelay()
    return wait(until: Date(timeIntervalSinceNow: Self.limit))
  }

  /// Tells whether all have passed before `patience` is over.
  func hasPassed(within patience: Duration) -> Bool { wait(until: Date(timeIntervalSinceNow: patience.inSeconds)) }

  /// Waits for all of them.
  func wait() { wait(until: Date(timeIntervalSinceNow: Self.limit)) }

  /// Tells whether all have passed. The main thread runs its loop meanwhile, so that the main queue goes on.
  @discardableResult
  private func wait(until end: Date) -> Bool {
    if Thread.isMainThread {
      condition.lock()
      mainWaits = true
      condition.unlock()
      return MainLoop.run(until: end) { isDone }
    }
    condition.lock()
    defer { condition.unlock() }
    while pending > 0, condition.wait(until: end) {}
    return pending == 0
  }
}
