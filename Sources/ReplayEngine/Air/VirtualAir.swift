public import Dispatch
import Foundation
public import ReplayScenarios

/// The radio of one test: its peripherals, its clock, its seed, its faults and its log; there is no global state.
///
/// Time stands still, and nothing is delivered, except inside ``run(until:)``, ``runUntilIdle()`` and ``advance(by:)``.
/// A framework object finds its air by task-local value, then by the queue it was made for, then by ``fallback``.
public final class VirtualAir: @unchecked Sendable {
  // `core` is only touched with `lock` held; what it calls back is only collected there and made outside.
  let lock = NSLock()
  let core: AirCore
  private var queues: [ObjectIdentifier: DispatchQueue] = [:]
  /// The jobs of the app's tasks.
  let jobs = TaskJobs()
  let openCalls = OpenCalls()
  private var activity = 0
  private var realClock: RealClock?
  private var armed: [Fault] = []
  /// What the randomness of this air comes from.
  public let seed: UInt64
  /// What makes the verdict fail besides what always does.
  public var failOn: Verdict.Strictness {
    get { lock.withLock { strictness } }
    set { lock.withLock { strictness = newValue } }
  }
  private var strictness: Verdict.Strictness = []
  /// How long PDUs take on the links that come up from now on; as recorded unless set.
  public var timing: LinkTiming {
    get { lock.withLock { core.timing } }
    set { lock.withLock { core.timing = newValue } }
  }
  /// The ATT MTU that a central's stack asks for on its next connections; 185 as iPhones do, 23 to 527.
  public var centralMTU: Int {
    get { lock.withLock { requestedMTU } }
    set { lock.withLock { requestedMTU = min(max(23, newValue), 527) } }
  }
  private var requestedMTU = 185
  /// How many lines of the log are kept, the latest; 1,000,000 unless set, 0 for none.
  public var logLimit: Int {
    get { lock.withLock { core.logLimit } }
    set { lock.withLock { core.logLimit = max(0, newValue) } }
  }
  /// Of how many ended links the verdict has a report in full, the first; 1,000 unless set. The others are counted together.
  public var reportLimit: Int {
    get { lock.withLock { core.reports.limit } }
    set { lock.withLock { core.reports.limit = max(0, newValue) } }
  }
  /// How long, of the virtual clock's time, one `run(until:)` goes on at most; an hour unless set. Some apps never come to rest.
  public var runLimit: Duration {
    get { lock.withLock { longestRun } }
    set { lock.withLock { longestRun = max(newValue, .zero) } }
  }
  private var longestRun = Duration.seconds(3600)
  /// How long, in real time, the air waits at most for the app at one place before its time goes on; each time it gives up is noted.
  public var patience: Duration {
    get { lock.withLock { longestWait } }
    set { lock.withLock { longestWait = max(newValue, .zero) } }
  }
  private(set) var longestWait = Duration.milliseconds(200)
  /// The last call that was made to the app; with the lock held.
  var lastCall: String?
  /// How late events were handled when a real clock ran last.
  private var lastLateness: Lateness?
  /// Work that must not wait for the lock, because whoever has it may hold that.
  private let late = Guarded<[@Sendable (AirCore) -> Void]>([])
  private let ended = Guarded(false)
  private let companions = Guarded<[ObjectIdentifier: any AirCompanion]>([:])
  /// What is known of code of the app that cannot be seen; with the lock held.
  var watch = AppWatch()

  /// The air of the running test.
  @TaskLocal public static var current: VirtualAir?

  /// The air of the running test; an error where there is none.
  public static var required: VirtualAir {
    get throws {
      guard let air = find() else { throw AirMissing() }
      return air
    }
  }

  private static let queueKey = DispatchSpecificKey<WeakAir>()
  private struct WeakAir { weak var air: VirtualAir? }
  private static let fallbackAir = Guarded<VirtualAir?>(nil)

  /// The air of whoever has neither a task-local one nor one of its queue; set by hand.
  public static var fallback: VirtualAir? {
    get { fallbackAir.value }
    set { fallbackAir.value = newValue }
  }

  /// The air of the task or the queue that runs here.
  static var here: VirtualAir? { current ?? DispatchQueue.getSpecific(key: queueKey)?.air ?? TaskJobs.current?.air }

  /// The air for a caller here.
  package static func find() -> VirtualAir? { here ?? fallback }

  /// Holds the peripherals of these scenarios.
  public convenience init(_ sources: ScenarioSource..., seed: UInt64 = 0) throws {
    self.init(scenarios: try sources.map { try $0.load() }, seed: seed)
  }

  /// Holds the peripherals of scenarios that were read already.
  public init(scenarios: [Scenario], seed: UInt64 = 0) {
    core = AirCore(scenarios, seed: seed)
    self.seed = seed
    jobs.air = self
    TaskHook.install()
    DispatchQueue.main.setSpecific(key: Self.mainKey, value: true)
  }

  /// Makes this the air of whoever runs on `queue`, for as long as the air is there.
  public func adopt(_ queue: DispatchQueue) { queue.setSpecific(key: Self.queueKey, value: WeakAir(air: self)) }

  /// What a face keeps of its own for this air; made when it is first asked for.
  package func companion<Object: AirCompanion>(_ make: () -> Object) -> Object {
    companions.withValue { all in
      if let object = all[ObjectIdentifier(Object.self)] as? Object { return object }
      let object = make()
      all[ObjectIdentifier(Object.self)] = object
      return object
    }
  }

  // MARK: - The end

  /// Ends the air: its links are gone, nothing more happens on it, and no call comes to the app any more. One that runs on a queue at this
  /// moment is waited for. ``verdict`` and ``log`` stay.
  public func close() {
    stop()
    ended.value = true
    late.value = []
    let here = DispatchQueue.getSpecific(key: Self.watchKey)
    let others = lock.withLock { () -> [DispatchQueue] in
      core.close()
      for companion in companions.value.values { companion.airHasClosed() }
      defer { (queues, watchedQueuesUnlocked) = ([:], []) }
      return queues.filter { $0.key != here }.map(\.value) + (Self.isOnMain ? [] : [.main])
    }
    jobs.release()
    SentinelRound(others).wait()
    companions.value = [:]
  }

  /// Whether the air was closed: then no call is made any more.
  var isClosed: Bool { ended.value }

  // MARK: - What a test asks

  /// Reports that the app, or its test, came to a point that a scenario expects.
  public func mark(_ name: String) { lock.withLock { core.mark(name) } }

  /// Arms a fault that may go wrong up to `count` times, each time with a probability from 0 to 1.
  public func inject(_ action: Fault.Action, at trigger: Fault.Trigger, count: Int = 1, probability: Double = 1) {
    inject(Fault(action, at: trigger, count: count, probability: probability))
  }

  /// Arms a fault.
  public func inject(_ fault: Fault) { lock.withLock { core.arm(fault) } }

  /// Arms the fault of a sweep's point.
  public func inject(_ point: FaultPoint) { inject(point.fault) }

  /// What is to be said of the run so far.
  public var verdict: Verdict {
    lock.withLock { Verdict(core, seed: seed, failOn: strictness, lateness: realClock?.lateness ?? lastLateness) }
  }

  /// Where time went on by a guess, because the app let itself be waited for for longer than the air's ``patience``.
  public var findings: [AirFinding] { lock.withLock { core.log.guesses } }

  /// All that happened.
  public var log: AirLog { lock.withLock { core.log } }

  /// The scenarios whose peripherals are on this air.
  public var scenarios: [Scenario] { lock.withLock { core.scenarios } }

  /// The clock.
  public var now: AirInstant { lock.withLock { realClock.map { max($0.now, core.now) } ?? core.now } }

  // MARK: - What a face asks

  /// Has `work` done at the present moment, in the order of the calls, once the air runs.
  package func enqueue(_ work: @escaping @Sendable (AirCore) -> Void) {
    called { core, now in
      // On the real clock a call comes when it is made, not when the last event was handled.
      if let now { core.enqueue(work, at: now) } else { core.enqueue(work) }
    }
  }

  /// Has `work` done at the present moment, without waiting for the air: for whoever may be called while the air is locked, as the end of
  /// an object may be.
  package func enqueueLater(_ work: @escaping @Sendable (AirCore) -> Void) {
    guard !isClosed else { return }
    late.withValue { $0.append(work) }
    // Whoever holds the lock is running the air, and looks by itself.
    guard lock.try() else { return }
    let clock = realClock
    lock.unlock()
    clock?.wake()
  }

  /// Takes over what must not wait for the lock, with that held.
  func takeLate() {
    let work = late.withValue { all in
      defer { all = [] }
      return all
    }
    guard !work.isEmpty else { return }
    activity += 1
    for next in work { core.enqueue(next) }
  }

  /// The app does something: `body` gets the time where that goes on by itself.
  func called(_ body: (AirCore, AirInstant?) -> Void) {
    guard !isClosed else { return }
    TaskOwners.shared.noteCurrentTask(jobs)
    let unseen = isSeenHere ? nil : ThreadStates.current
    lock.withLock {
      if let unseen {
        watch.called(from: unseen)
        if let unsaid = watch.unsaid { core.log.noteGuess(unsaid) }
        watch.unsaid = nil
      }
      activity += 1
      body(core, realClock?.now)
    }
    pacer?.wake()
  }

  // MARK: - Real time

  var pacer: RealClock? { lock.withLock { realClock } }
  func setPacer(_ clock: RealClock?) {
    lock.withLock {
      if let lateness = realClock?.lateness { lastLateness = lateness }
      realClock = clock
    }
  }
  var nextDeadline: AirInstant? { lock.withLock { core.nextDeadline } }

  func advanceIfLater(to time: AirInstant) { lock.withLock { core.advance(to: time) } }

  deinit { realClock?.stop() }

  /// Handles the next event, if it is due; tells when it was due.
  func stepIfDue(through limit: AirInstant) -> AirInstant? {
    lock.withLock {
      guard let next = core.nextDeadline, next <= limit else { return nil }
      core.step(through: limit)
      return next
    }
  }

  /// Looks at the air now.
  package func withCore<Result>(_ body: (AirCore) -> Result) -> Result { lock.withLock { body(core) } }

  /// Whether the air knows by itself when the code that runs here is done.
  private var isSeenHere: Bool {
    Self.isOnMain || TaskJobs.current === jobs || DispatchQueue.getSpecific(key: Self.watchKey) != nil
      || !TaskOwners.shared.isRun(jobs)
  }
  /// Whether the main queue runs here: it need not do so on the main thread.
  package static var isOnMain: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mainKey) != nil }
  /// Whether a queue is the main one, which is not always the same object.
  package static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: mainKey) != nil }
  private static let watchKey = DispatchSpecificKey<ObjectIdentifier>()
  private static let mainKey = DispatchSpecificKey<Bool>()

  /// Whether code of the app may be running among these threads.
  func mayRun(_ threads: Set<Int>) -> Bool { lock.withLock { watch.mayRun(threads) } }

  /// How often faces were called.
  var callCount: Int { lock.withLock { activity } }
  var callCountUnlocked: Int { activity }
  /// How often the app did something: called a face, or let a task go on.
  var activityCount: Int { lock.withLock { activity } &+ jobs.count }
  var watchedQueues: [DispatchQueue] { lock.withLock { watchedQueuesUnlocked } }
  private(set) var watchedQueuesUnlocked: [DispatchQueue] = []

  /// Waits for calls on `queue` to be done before time goes on.
  package func watch(_ queue: DispatchQueue) {
    // The main queue always is.
    guard !Self.isMain(queue) else { return }
    queue.setSpecific(key: Self.watchKey, value: ObjectIdentifier(queue))
    lock.withLock {
      guard queues.updateValue(queue, forKey: ObjectIdentifier(queue)) == nil else { return }
      watchedQueuesUnlocked.append(queue)
    }
  }

  /// Has `body` run on `queue` when a time of the air's is over.
  package func after(_ delay: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    // The system's queues have no order, so that nothing that is sent through them tells what is done.
    if !OpenCalls.concerns(queue) { watch(queue) }
    called { core, now in
      core.enqueue({ $0.calls.append(DelegateCall(queue: queue, body: body)) }, at: (now ?? core.now).advanced(by: delay))
    }
  }

  /// Notes a wrong use of a face that raises an exception on a device.
  package func noteException(_ line: String) { lock.withLock { core.noteException("EXCEPTION: " + line) } }

  /// Notes a wrong use of a face.
  package func noteMisuse(_ line: String) { lock.withLock { core.misuse.append(line) } }
}
