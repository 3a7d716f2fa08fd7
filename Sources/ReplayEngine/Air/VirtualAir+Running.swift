import Dispatch
import Foundation

// Who runs an air moves its time. Before each move the app gets to do all that it does by itself at the present moment.
extension VirtualAir {
  /// How long virtual time may pass with nothing but advertising to wait for.
  private static let idleLimit = Duration.seconds(60)
  /// Rounds in a row that have to bring no call before time goes on.
  private static let quietRounds = 3
  private static let end = AirInstant(nanoseconds: .max)

  /// What one turn of the loop found.
  private enum Turn { case went, idle }

  /// Runs until `condition` holds; it is evaluated on the caller. Throws ``AirIdle`` where nothing more is to come.
  public func run(until condition: @autoclosure () throws -> Bool) throws {
    beginRun()
    defer { endRun() }
    while pacer != nil {
      if try condition() { return }
      SentinelRound([.main]).wait()
      Thread.sleep(forTimeInterval: 0.0005)
    }
    while true {
      settle()
      if try condition() { return }
      if turn(through: Self.end) == .idle {
        // A call that was under way on another thread may have come since.
        if settle() { continue }
        if try condition() { return }
        throw idle()
      }
    }
  }

  /// Runs until `condition` holds, with the caller's isolation kept.
  public func run(until condition: @autoclosure () throws -> Bool, isolation: isolated (any Actor)? = #isolation) async throws {
    beginRun()
    defer { endRun() }
    while pacer != nil {
      if try condition() { return }
      try await Task.sleep(for: .microseconds(500))
    }
    while true {
      await settle()
      if try condition() { return }
      if turn(through: Self.end) == .idle {
        if await settle() { continue }
        if try condition() { return }
        throw idle()
      }
    }
  }

  /// Runs until nothing more is to come but advertising.
  public func runUntilIdle() {
    beginRun()
    defer { endRun() }
    repeat {
      settle()
      while turn(through: Self.end) == .went { settle() }
    } while settle()
  }

  /// Runs for a time.
  public func advance(by duration: Duration) {
    beginRun()
    defer { endRun() }
    let end = now.advanced(by: duration)
    settle()
    while lock.withLock({ core.nextDeadline.map { $0 <= end } ?? false }) {
      lock.withLock { _ = core.step(through: end) }
      settle()
    }
    lock.withLock { core.advance(to: end) }
  }

  private func beginRun() {
    jobs.standBackIfRunningHere()
    TaskOwners.shared.began(jobs)
    jobs.hold()
  }

  private func endRun() {
    TaskOwners.shared.ended(jobs)
    jobs.resumeParked()
    jobs.release()
  }

  /// Moves time to the next event and handles events until one asks for a call, or the app has to be looked at.
  private func turn(through limit: AirInstant) -> Turn {
    lock.withLock {
      let activity = activityUnlocked
      repeat {
        guard core.nextDeadline.map({ $0 <= limit }) ?? false, !core.onlyAdvertises(for: Self.idleLimit) else { return .idle }
        core.step(through: limit)
      } while core.calls.isEmpty && core.hasTimed(through: core.now) && activityUnlocked == activity
      return .went
    }
  }

  private func idle() -> AirIdle {
    lock.withLock { AirIdle(time: core.now, last: core.log.lines.last.map { AirLog.describe($0) }, isScanning: core.isScanning) }
  }

  // MARK: - Waiting for the app

  /// Makes the calls that faces asked for, each on its queue, with this air as the task's.
  @discardableResult
  func makeCalls() -> Bool {
    let calls = lock.withLock { () -> [DelegateCall] in
      defer { core.calls.removeAll(keepingCapacity: true) }
      return core.calls
    }
    for call in calls {
      call.queue.async { VirtualAir.$current.withValue(self) { call.body() } }
    }
    return !calls.isEmpty
  }

  /// Lets queues, the main run loop and tasks do what they have, until three rounds bring nothing; tells whether any did.
  ///
  /// Tasks go on only when the calls that resumed them have returned: so their order is always the same.
  @discardableResult
  private func settle() -> Bool {
    var rounds = QuietRounds()
    jobs.resumeParked()
    while rounds.quiet < Self.quietRounds {
      let before = activityCount
      let made = makeCalls()
      SentinelRound(watchedQueues + [.main]).wait()
      jobs.release()
      if !jobs.isIdle { SentinelRound(jobs, patience: patience).wait() }
      jobs.hold()
      rounds.add(isQuiet: !made && activityCount == before)
    }
    return rounds.any
  }

  @discardableResult
  private func settle(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    var rounds = QuietRounds()
    jobs.resumeParked()
    while rounds.quiet < Self.quietRounds {
      let before = activityCount
      let made = makeCalls()
      await withCheckedContinuation { continuation in
        _ = SentinelRound(watchedQueues + [.main]) { TaskOwners.resumeDriver(continuation) }
      }
      jobs.release()
      await withCheckedContinuation { continuation in
        jobs.whenIdle(patience: patience) { TaskOwners.resumeDriver(continuation) }
      }
      jobs.hold()
      rounds.add(isQuiet: !made && activityCount == before)
    }
    return rounds.any
  }

  /// Rounds in a row in which the app did nothing, and whether there was one in which it did something.
  private struct QuietRounds {
    private(set) var quiet = 0
    private(set) var any = false
    mutating func add(isQuiet: Bool) {
      quiet = isQuiet ? quiet + 1 : 0
      any = any || !isQuiet
    }
  }
}
