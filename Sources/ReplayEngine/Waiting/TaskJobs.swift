import Dispatch
import Foundation

/// The jobs of an app's tasks, run one after the other: so the air knows when all have run on to where they wait for something, and their
/// order is the same in each run.
///
/// Jobs of the main actor are none of these; they go over the main queue, as sentinels do.
final class TaskJobs: @unchecked Sendable {
  /// A thread's turn at running jobs. One that is blocked is given up, and another takes over.
  private final class Turn: Sendable {
    let queue = DispatchQueue(label: "understudy.tasks")
    init(_ jobs: TaskJobs) { queue.setSpecific(key: TaskJobs.key, value: WeakJobs(jobs)) }
  }

  /// The air whose jobs these are; set once.
  weak var air: VirtualAir?

  // All that changes is touched with `lock` held.
  private let lock = NSLock()
  private var pending: [UnownedJob] = []
  private var next = 0
  private var turn: Turn?
  /// The queue of the turn before; most airs need only one.
  private var idleTurn: Turn?
  private var added = 0
  private var begun = 0
  private var waiters: [@Sendable () -> Void] = []
  private var isWatched = false
  /// Whether none is begun: while calls to the app are under way on its queues.
  private var isHeld = false
  private var givenUp = 0
  /// Whether there were jobs without an end.
  private var isRestless = false
  /// So many times as long as one job is waited for, all are that follow each other.
  private static let longest = 10

  deinit { TaskOwners.shared.forget(self) }

  private static let key = DispatchSpecificKey<WeakJobs>()

  /// The jobs of which one runs here.
  static var current: TaskJobs? { DispatchQueue.getSpecific(key: key)?.jobs }

  /// How many jobs there were.
  var count: Int { lock.withLock { added } }

  /// How many jobs were given up since this was asked.
  func takeGivenUp() -> Int {
    lock.withLock {
      defer { givenUp = 0 }
      return givenUp
    }
  }

  func add(_ job: UnownedJob) {
    TaskOwners.shared.note(TaskHook.identity(of: job), self)
    lock.withLock {
      added += 1
      pending.append(job)
      beginIfFree()
    }
  }

  /// Begins no more jobs until ``release()``.
  func hold() { lock.withLock { isHeld = true } }

  func release() {
    lock.withLock {
      isHeld = false
      beginIfFree()
    }
  }

  /// Whether all jobs have run on.
  var isIdle: Bool { lock.withLock { hasNone } }
  private var hasNone: Bool { turn == nil && next == pending.count }

  /// Calls `body` once all jobs have run on, be it at once. One that blocks its thread for longer than `patience` is given up, and so is
  /// waiting for jobs without an end.
  func whenIdle(patience: Duration, _ body: @escaping @Sendable () -> Void) {
    let isIdle = lock.withLock {
      if hasNone { return true }
      waiters.append(body)
      watch(patience)
      return false
    }
    if isIdle { body() }
  }

  /// Lets the others go on where the job that runs here blocks its thread by running the air.
  func standBackIfRunningHere() {
    guard Self.current === self else { return }
    let over = lock.withLock { endTurn() }
    for waiter in over { waiter() }
  }

  // MARK: - Turns

  /// With the lock held.
  private func beginIfFree() {
    guard turn == nil, !isHeld, next < pending.count else { return }
    let turn = idleTurn ?? Turn(self)
    idleTurn = nil
    self.turn = turn
    turn.queue.async { while let job = self.take(turn) { TaskHook.run(job) } }
  }

  private func take(_ turn: Turn) -> UnownedJob? {
    let (job, over) = lock.withLock { () -> (UnownedJob?, [@Sendable () -> Void]) in
      guard self.turn === turn else { return (nil, []) }
      guard next < pending.count, !isHeld else {
        idleTurn = turn
        return (nil, endTurn())
      }
      let job = pending[next]
      next += 1
      begun += 1
      if next == pending.count {
        pending.removeAll(keepingCapacity: true)
        next = 0
      }
      return (job, [])
    }
    for waiter in over { waiter() }
    return job
  }

  /// Ends the turn, with the lock held; another begins where there is more to do. Tells whom to call where there is not.
  private func endTurn() -> [@Sendable () -> Void] {
    turn = nil
    beginIfFree()
    guard hasNone else { return [] }
    defer { waiters = [] }
    return waiters
  }

  /// With the lock held.
  private func watch(_ patience: Duration, time: Int = 1) {
    guard !isWatched else { return }
    isWatched = true
    let job = begun
    let seconds = isRestless ? 0.001 : patience.inSeconds
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in self?.look(since: job, patience, time: time) }
  }

  private func look(since job: Int, _ patience: Duration, time: Int) {
    let over = lock.withLock { () -> [@Sendable () -> Void] in
      isWatched = false
      guard turn != nil, !waiters.isEmpty else { return [] }
      if begun == job {
        givenUp += 1
        let over = endTurn()
        if !waiters.isEmpty { watch(patience) }
        return over
      }
      guard isRestless || time == Self.longest else {
        watch(patience, time: time + 1)
        return []
      }
      if !isRestless { givenUp += 1 }
      isRestless = true
      defer { waiters = [] }
      return waiters
    }
    for waiter in over { waiter() }
  }
}

/// The jobs of an air that may be gone.
final class WeakJobs: @unchecked Sendable {
  private(set) weak var jobs: TaskJobs?
  let id: ObjectIdentifier
  init(_ jobs: TaskJobs) { (self.jobs, id) = (jobs, ObjectIdentifier(jobs)) }
}
