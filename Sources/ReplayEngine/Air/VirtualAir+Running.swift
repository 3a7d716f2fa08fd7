import Dispatch
import Foundation

// Who runs an air moves its time. Before each move the app gets to do all that it does by itself at the present moment.
extension VirtualAir {
  /// How long virtual time may pass with nothing but advertising to wait for.
  private static let idleLimit = Duration.seconds(60)
  private static let end = AirInstant(nanoseconds: .max)

  /// What one turn of the loop found.
  private enum Turn { case went, idle }

  /// Runs until `condition` holds; it is evaluated on the caller. Throws ``AirIdle`` where nothing more is to come, and ``AirRestless``
  /// where it goes on for longer than ``runLimit``.
  public func run(until condition: @autoclosure () throws -> Bool) throws {
    beginRun(on: ThreadStates.current)
    defer { endRun() }
    while pacer != nil {
      // Time goes on by itself: tasks need not wait for each other.
      jobs.release()
      if try condition() { return }
      SentinelRound([.main]).wait()
      Thread.sleep(forTimeInterval: 0.0005)
    }
    let limit = runLimit
    let end = now.advanced(by: limit)
    while true {
      settle()
      if try condition() { return }
      if look(through: Self.end) { continue }
      if now > end { throw AirRestless(limit: limit, state: idle()) }
      if turn(through: Self.end) == .idle { throw idle() }
    }
  }

  /// Runs until `condition` holds, with the caller's isolation kept; it throws what the other form does.
  public func run(until condition: @autoclosure () throws -> Bool, isolation: isolated (any Actor)? = #isolation) async throws {
    beginRun(on: nil)
    defer { endRun() }
    while pacer != nil {
      jobs.release()
      if try condition() { return }
      try Task.checkCancellation()
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(500)) { TaskOwners.resumeDriver(continuation) }
      }
    }
    let limit = runLimit
    let end = now.advanced(by: limit)
    while true {
      await settle()
      if try condition() { return }
      if await look(through: Self.end) { continue }
      if now > end { throw AirRestless(limit: limit, state: idle()) }
      if turn(through: Self.end) == .idle { throw idle() }
    }
  }

  /// Runs until nothing more is to come but advertising.
  public func runUntilIdle() {
    beginRun(on: ThreadStates.current)
    defer { endRun() }
    repeat {
      repeat { settle() } while look(through: Self.end)
    } while turn(through: Self.end) == .went
  }

  /// Runs for a time.
  public func advance(by duration: Duration) {
    beginRun(on: ThreadStates.current)
    defer { endRun() }
    let end = now.advanced(by: duration)
    repeat {
      repeat { settle() } while look(through: end)
    } while lock.withLock { core.step(through: end) }
    lock.withLock { core.advance(to: end) }
  }

  /// Runs event by event until `isEnough`, or nothing more is to come; then the app has done what it does.
  func stepVirtually(until isEnough: () -> Bool) {
    beginRun(on: ThreadStates.current)
    defer { endRun() }
    repeat {
      repeat { settle() } while !isEnough() && look(through: Self.end)
    } while !isEnough() && turn(through: Self.end) == .went
    settle()
  }

  /// Lets the app do what it does at the present moment.
  func letAppGoOn() {
    beginRun(on: ThreadStates.current)
    defer { endRun() }
    settle()
  }

  /// Whether nothing but advertising is to come.
  var isAtRest: Bool { lock.withLock { core.onlyAdvertises(for: Self.idleLimit) } }

  private func beginRun(on thread: Int?) {
    jobs.standBackIfRunningHere()
    TaskOwners.shared.began(jobs, on: thread)
    jobs.hold()
  }

  private func endRun() {
    TaskOwners.shared.ended(jobs)
    jobs.release()
  }

  /// Moves time to the next event and handles events until one asks for a call, or the app has to be looked at.
  private func turn(through limit: AirInstant) -> Turn {
    lock.withLock {
      repeat {
        guard core.nextDeadline.map({ $0 <= limit }) ?? false, !core.onlyAdvertises(for: Self.idleLimit) else { return .idle }
        core.step(through: limit)
      } while core.calls.isEmpty && core.hasTimed(through: core.now)
      return .went
    }
  }

  private func idle() -> AirIdle {
    lock.withLock {
      AirIdle(
        time: core.now, last: core.log.lines.last.map { AirLog.describe($0) }, lastCall: lastCall,
        waitsFor: core.presentCentrals.flatMap { $0.waits(in: core) }, isScanning: core.isScanning)
    }
  }

  // MARK: - Waiting for the app

  /// What a round of sentinels begins with: how much the app has done so far, and the queues that are to be gone through.
  func beginRound() -> (activity: Int, calls: Int, queues: [DispatchQueue]) {
    let count = jobs.count
    return lock.withLock { (callCountUnlocked &+ count, callCountUnlocked, watchedQueuesUnlocked) }
  }

  /// How much the app has done so far, and how often it called a face.
  var activities: (activity: Int, calls: Int) {
    let count = jobs.count
    return lock.withLock { (callCountUnlocked &+ count, callCountUnlocked) }
  }

  /// Makes the calls that faces asked for, each on its queue, with this air as the task's.
  @discardableResult
  func makeCalls() -> Bool {
    let calls = lock.withLock { () -> [DelegateCall] in
      takeLate()
      defer { core.calls.removeAll(keepingCapacity: true) }
      if let name = core.calls.last(where: { !$0.name.isEmpty })?.name { lastCall = name }
      return core.calls
    }
    for call in calls {
      let body: @Sendable () -> Void = { if !self.isClosed { VirtualAir.$current.withValue(self) { call.body() } } }
      if OpenCalls.concerns(call.queue) { openCalls.make(on: call.queue, body) } else { call.queue.async(execute: body) }
    }
    return !calls.isEmpty
  }

  /// Lets queues, the main run loop and tasks do what they have, until three rounds bring nothing; tells whether any did.
  ///
  /// Tasks go on only when the calls that resumed them have returned: so their order is always the same.
  @discardableResult
  private func settle(_ look: AppLook? = nil) -> Bool {
    var rounds = QuietRounds()
    if look == nil, jobs.count == 0 {
      let chain = SentinelChain(self)
      chain.begin()
      if !chain.wait(patience: patience, onDelay: { jobs.release() }) { noteBlockedQueue() }
      jobs.hold()
      rounds = chain.rounds
    }
    while !rounds.isOver {
      let (before, calls) = (activityCount, callCount)
      let made = makeCalls()
      if !SentinelRound(watchedQueues + [.main]).wait(patience: patience, onDelay: { jobs.release() }) { noteBlockedQueue() }
      if openCalls.areOpen { SentinelRound(openCalls, patience: patience).wait() }
      if looksAtShared(look), !SentinelRound(Self.shared).hasPassed(within: sharedPatience(look)) { sharedAreTaken() }
      jobs.release()
      if !jobs.isIdle { SentinelRound(jobs, patience: patience).wait() }
      jobs.hold()
      look?.wait(before)
      rounds.add(isQuiet: !made && activityCount == before, isIdle: !made && callCount == calls)
    }
    noteGivenUp()
    return rounds.any
  }

  @discardableResult
  private func settle(_ look: AppLook? = nil, isolation: isolated (any Actor)? = #isolation) async -> Bool {
    var rounds = QuietRounds()
    if look == nil, jobs.count == 0 {
      let chain = SentinelChain(self)
      await withCheckedContinuation { continuation in
        chain.begin(
          patience: patience, onDelay: { [jobs] in jobs.release() }, onGivingUp: { [weak self] in self?.noteBlockedQueue() },
          whenDone: { TaskOwners.resumeDriver(continuation) })
      }
      jobs.hold()
      rounds = chain.rounds
    }
    while !rounds.isOver {
      let (before, calls) = (activityCount, callCount)
      let made = makeCalls()
      await withCheckedContinuation { continuation in
        _ = SentinelRound(
          watchedQueues + [.main], patience: patience, onDelay: { [jobs] in jobs.release() },
          whenDone: { TaskOwners.resumeDriver(continuation) })
      }
      if openCalls.areOpen {
        await withCheckedContinuation { continuation in
          openCalls.whenNone(patience: patience) { TaskOwners.resumeDriver(continuation) }
        }
      }
      if looksAtShared(look) {
        await withCheckedContinuation { continuation in
          _ = SentinelRound(
            Self.shared, patience: sharedPatience(look), limit: 0, onDelay: { [weak self] in self?.sharedAreTaken() },
            whenDone: { TaskOwners.resumeDriver(continuation) })
        }
      }
      jobs.release()
      await withCheckedContinuation { continuation in
        jobs.whenIdle(patience: patience) { TaskOwners.resumeDriver(continuation) }
      }
      jobs.hold()
      if let look {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            look.wait(before)
            TaskOwners.resumeDriver(continuation)
          }
        }
      }
      rounds.add(isQuiet: !made && activityCount == before, isIdle: !made && callCount == calls)
    }
    noteGivenUp()
    return rounds.any
  }

  /// The system's queues: a task that yields goes over one of them, and so does much code of apps. Their threads may all be taken up, in
  /// tests that run side by side; then nothing is to be learned from them.
  private static let shared: [DispatchQueue] = [.global(qos: .userInitiated), .global(), .global(qos: .utility), .global(qos: .background)]
  private func looksAtShared(_ look: AppLook?) -> Bool {
    let mayBeUsed = look != nil || jobs.count > 0
    return mayBeUsed && (look?.triesShared() ?? false || lock.withLock { !watch.sharedAreTaken })
  }
  private func sharedPatience(_ look: AppLook?) -> Duration { look?.isAtEnd ?? false ? patience : patience / 10 }
  private func sharedAreTaken() { lock.withLock { watch.sharedAreTaken = true } }

  private func noteBlockedQueue() {
    lock.withLock {
      core.noteGuess("a queue of the app, or the main queue, did not go on for 2 s; a task of the main actor has to await the air")
    }
  }

  private func noteGivenUp() {
    guard jobs.takeGivenUp() > 0 else { return }
    lock.withLock { core.noteGuess("a task of the app blocked its thread, or went on without an end, for \(longestWait)") }
  }

  /// Gives code that the air cannot see the time to do what it does; tells whether it did anything.
  private func look(through limit: AirInstant) -> Bool {
    guard let look = thingToLookFor(through: limit) else { return false }
    return isToGoOn(settle(look), look)
  }

  private func look(through limit: AirInstant, isolation: isolated (any Actor)? = #isolation) async -> Bool {
    guard let look = thingToLookFor(through: limit) else { return false }
    return isToGoOn(await settle(look), look)
  }

  /// What there is to wait for before time goes on: code that cannot be seen, what the tape has next, or, where nothing else is to come,
  /// anything.
  private func thingToLookFor(through limit: AirInstant) -> AppLook? {
    let hasTasks = jobs.count > 0
    return lock.withLock {
      let next = core.nextDeadline.flatMap { $0 <= limit ? $0 : nil }
      let link = next == core.now ? nil : core.dueLink(through: next ?? limit)
      let holds = link != nil && watch.mayHold && (hasTasks || watch.hasUnseen)
      guard holds || next == nil || !watch.isOff && (watch.hasUnseen || link != nil) else { return nil }
      let end = watch.end(core.now, calls: callCountUnlocked, patience: next != nil && watch.isProbe ? longestWait / 10 : longestWait)
      return AppLook(self, calls: callCountUnlocked, until: end, link: link, next: next, holds: holds)
    }
  }

  /// Tells whether the app did something; where it did not, and that is a guess, the guess is noted.
  private func isToGoOn(_ didSomething: Bool, _ look: AppLook) -> Bool {
    let helped = look.helped
    lock.withLock {
      defer { if look.holds { watch.held(helped: helped) } }
      guard !helped else { return }
      let entry = didSomething && !look.ranOut ? nil : look.link.flatMap { core.passBarrier($0, through: look.next ?? Self.end) }
      guard look.ranOut else { return }
      if !look.holds { watch.threadsStillRan() }
      guard look.next != nil else { return }
      let words =
        entry.map { "the app was waited for for \(longestWait), and did not do what was recorded: \($0)" }
        ?? "threads of the app still ran after \(longestWait)"
      // As long as all code of the app is seen, it was none.
      if watch.isProbe { watch.unsaid = AirFinding(time: core.now, words: words) } else { core.noteGuess(words) }
    }
    return helped || didSomething && !look.ranOut
  }
}
