import Dispatch
import Foundation

/// A sentinel that goes through one queue after the other and at last through the main queue, round after round, without coming back to
/// whoever waits for it.
///
/// What a call hands from a queue to one behind it, main at last, is done in the same round; what it hands back, in the next: an app that
/// goes to and fro between its queue and main does so five times in three rounds. The sentinel ends when enough rounds in a row brought
/// nothing, or when the app is found to have tasks, for which it does not look.
final class SentinelChain: @unchecked Sendable {
  private let air: VirtualAir
  private let condition = NSCondition()
  // With the condition's lock held.
  private var passes = 0
  private var isDone = false
  private var whenDone: (@Sendable () -> Void)?
  // Of the round that goes on.
  private var before = (activity: 0, calls: 0)
  private var made = false
  private var brought = QuietRounds()
  /// What the rounds brought; whoever waits looks at it when they are done.
  var rounds: QuietRounds {
    condition.withLock { brought }
  }

  init(_ air: VirtualAir) { self.air = air }

  func begin() { round() }

  /// Begins, and calls `whenDone` once they are over, or a queue did not go on; `onDelay` when that takes longer than `patience`.
  func begin(
    patience: Duration, onDelay: @escaping @Sendable () -> Void, onGivingUp: @escaping @Sendable () -> Void,
    whenDone: @escaping @Sendable () -> Void
  ) {
    self.whenDone = whenDone
    round()
    watch(after: patience.inSeconds, seen: -1, onDelay: onDelay, onGivingUp: onGivingUp)
  }

  private func watch(
    after seconds: Double, seen: Int, onDelay: @escaping @Sendable () -> Void, onGivingUp: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
      guard let self, !self.isOver else { return }
      if seen < 0 { onDelay() }
      let passes = self.count
      if passes == seen, let call = self.giveUp() {
        onGivingUp()
        call()
      } else {
        self.watch(after: SentinelRound.limit, seen: passes, onDelay: onDelay, onGivingUp: onGivingUp)
      }
    }
  }

  private func round() {
    let (activity, calls, queues) = air.beginRound()
    before = (activity, calls)
    // Queues that the calls go to are among them already.
    made = air.makeCalls()
    pass(queues, 0)
  }

  private func pass(_ queues: [DispatchQueue], _ place: Int) {
    let isLast = place == queues.count
    (isLast ? .main : queues[place]).async {
      guard self.goesOn() else { return }
      guard isLast else { return self.pass(queues, place + 1) }
      self.air.openCalls.whenNone(patience: self.air.patience) { self.endRound() }
    }
  }

  private func goesOn() -> Bool {
    condition.withLock {
      passes += 1
      return !isDone
    }
  }

  private func endRound() {
    let now = air.activities
    let isOver = condition.withLock {
      brought.add(isQuiet: !made && now.activity == before.activity, isIdle: !made && now.calls == before.calls)
      return brought.isOver
    }
    if isOver || air.jobs.count > 0 { end() } else { round() }
  }

  private func end() {
    condition.lock()
    isDone = true
    let call = whenDone
    whenDone = nil
    condition.broadcast()
    condition.unlock()
    call?()
  }

  /// Gives up: sentinels that still come change nothing. Tells whom to call, where it was not over yet.
  private func giveUp() -> (@Sendable () -> Void)? {
    condition.lock()
    defer { condition.unlock() }
    guard !isDone else { return nil }
    isDone = true
    defer { whenDone = nil }
    return whenDone ?? {}
  }

  /// Waits until the rounds are over, calling `onDelay` when that takes longer than `patience`. `false` where a queue did not go on.
  func wait(patience: Duration, onDelay: () -> Void) -> Bool {
    guard !wait(until: Date(timeIntervalSinceNow: patience.inSeconds)) else { return true }
    onDelay()
    var seen = -1
    while !isOver {
      let passes = count
      if passes == seen, giveUp() != nil { return false }
      seen = passes
      wait(until: Date(timeIntervalSinceNow: SentinelRound.limit))
    }
    return true
  }

  private var isOver: Bool {
    condition.withLock { isDone }
  }

  private var count: Int {
    condition.withLock { passes }
  }

  /// The main thread runs its loop meanwhile, so that the main queue goes on.
  @discardableResult
  private func wait(until end: Date) -> Bool {
    if Thread.isMainThread { return MainLoop.run(until: end) { isOver } }
    condition.lock()
    defer { condition.unlock() }
    while !isDone, condition.wait(until: end) {}
    return isDone
  }
}

/// Rounds in a row in which the app did nothing, and whether there was one in which it did something.
struct QuietRounds {
  /// So many in a row have to bring nothing before time goes on.
  private static let wanted = 3
  /// So many in a row may bring nothing but tasks that go on: one that asks again and again must not stop time.
  private static let most = 100
  private var quiet = 0
  private var idle = 0
  private(set) var any = false
  var isOver: Bool { quiet >= Self.wanted || idle >= Self.most }
  mutating func add(isQuiet: Bool, isIdle: Bool) {
    quiet = isQuiet ? quiet + 1 : 0
    idle = isIdle ? idle + 1 : 0
    any = any || !isQuiet
  }
}
