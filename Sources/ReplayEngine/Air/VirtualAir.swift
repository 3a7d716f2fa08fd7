public import Dispatch
import Foundation
public import ReplayScenarios

/// The radio of one test: its peripherals, its clock, its seed, its faults and its log; there is no global state.
///
/// Time stands still, and nothing is delivered, except inside ``run(until:)``, ``runUntilIdle()`` and ``advance(by:)``.
/// A framework object finds its air by task-local value, then by the queue it was made for, then by ``fallback``.
public final class VirtualAir: @unchecked Sendable {
  // `core` is only touched with `lock` held; what it calls back is only collected there and made outside.
  private let lock = NSLock()
  private let core: AirCore
  private var queues: [ObjectIdentifier: DispatchQueue] = [:]
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

  /// The air of the running test.
  @TaskLocal public static var current: VirtualAir?

  /// The air of the running test; an error where there is none.
  public static var required: VirtualAir {
    get throws {
      guard let air = find() else { throw AirMissing() }
      return air
    }
  }

  private static let queueKey = DispatchSpecificKey<VirtualAir>()
  private static let fallbackAir = Guarded<VirtualAir?>(nil)

  /// The air of whoever has neither a task-local one nor one of its queue; set by hand.
  public static var fallback: VirtualAir? {
    get { fallbackAir.value }
    set { fallbackAir.value = newValue }
  }

  /// The air for a caller here.
  package static func find() -> VirtualAir? { current ?? DispatchQueue.getSpecific(key: queueKey) ?? fallback }

  /// Holds the peripherals of these scenarios.
  public init(_ sources: ScenarioSource..., seed: UInt64 = 0) throws {
    core = AirCore(try sources.map { try $0.load() }, seed: seed)
    self.seed = seed
  }

  /// Holds the peripherals of scenarios that were read already.
  public init(scenarios: [Scenario], seed: UInt64 = 0) {
    core = AirCore(scenarios, seed: seed)
    self.seed = seed
  }

  /// Makes this the air of whoever runs on `queue`.
  public func adopt(_ queue: DispatchQueue) { queue.setSpecific(key: Self.queueKey, value: self) }

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
  public var verdict: Verdict { lock.withLock { Verdict(core, seed: seed, failOn: strictness) } }

  /// All that happened.
  public var log: AirLog { lock.withLock { core.log } }

  /// The scenarios whose peripherals are on this air.
  public var scenarios: [Scenario] { lock.withLock { core.scenarios } }

  /// The clock.
  public var now: AirInstant { lock.withLock { realClock.map { max($0.now, core.now) } ?? core.now } }

  // MARK: - What a face asks

  /// Has `work` done at the present moment, in the order of the calls, once the air runs.
  package func enqueue(_ work: @escaping @Sendable (AirCore) -> Void) {
    lock.withLock {
      activity += 1
      // On the real clock a call comes when it is made, not when the last event was handled.
      if let now = realClock?.now { core.enqueue(work, at: now) } else { core.enqueue(work) }
    }
    pacer?.wake()
  }

  // MARK: - Real time

  var pacer: RealClock? { lock.withLock { realClock } }
  func setPacer(_ clock: RealClock?) { lock.withLock { realClock = clock } }
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

  /// Waits for calls on `queue` to be done before time goes on.
  package func watch(_ queue: DispatchQueue) { lock.withLock { queues[ObjectIdentifier(queue)] = queue } }

  /// Notes a wrong use of a face.
  package func noteMisuse(_ line: String) { lock.withLock { core.misuse.append(line) } }

  // MARK: - Running

  /// How long virtual time may pass with nothing but advertising to wait for.
  private static let idleLimit = Duration.seconds(60)

  /// What one turn of the loop found.
  private enum Turn { case went, idle }

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

  private var activityCount: Int { lock.withLock { activity } }
  private var watchedQueues: [DispatchQueue] { lock.withLock { Array(queues.values) } }

  /// Rounds of sentinels in a row that have to bring no call before time goes on.
  private static let quietRounds = 3

  /// Runs until `condition` holds; it is evaluated on the caller. Throws ``AirIdle`` where nothing more is to come.
  public func run(until condition: @autoclosure () throws -> Bool) throws {
    while pacer != nil {
      if try condition() { return }
      SentinelRound([.main]).wait()
      Thread.sleep(forTimeInterval: 0.0005)
    }
    while true {
      settle()
      if try condition() { return }
      if turn(through: AirInstant(nanoseconds: .max)) == .idle {
        // A call that was under way on another thread may have come since.
        if settle() { continue }
        if try condition() { return }
        throw idle()
      }
    }
  }

  /// Runs until `condition` holds, with the caller's isolation kept.
  public func run(until condition: @autoclosure () throws -> Bool, isolation: isolated (any Actor)? = #isolation) async throws {
    while pacer != nil {
      if try condition() { return }
      try await Task.sleep(for: .microseconds(500))
    }
    while true {
      await settle()
      if try condition() { return }
      if turn(through: AirInstant(nanoseconds: .max)) == .idle {
        if await settle() { continue }
        if try condition() { return }
        throw idle()
      }
    }
  }

  /// Runs until nothing more is to come but advertising.
  public func runUntilIdle() {
    repeat {
      settle()
      while turn(through: AirInstant(nanoseconds: .max)) == .went { settle() }
    } while settle()
  }

  /// Runs for a time.
  public func advance(by duration: Duration) {
    let end = now.advanced(by: duration)
    settle()
    while lock.withLock({ core.nextDeadline.map { $0 <= end } ?? false }) {
      lock.withLock { _ = core.step(through: end) }
      settle()
    }
    lock.withLock { core.advance(to: end) }
  }

  private func idle() -> AirIdle {
    lock.withLock { AirIdle(time: core.now, last: core.log.lines.last.map { AirLog.describe($0) }, isScanning: core.isScanning) }
  }

  /// Lets queues and the main run loop do what they have, until three rounds bring no call; tells whether any came.
  @discardableResult
  private func settle() -> Bool {
    var (quiet, any) = (0, false)
    while quiet < Self.quietRounds {
      let before = activityCount
      let made = makeCalls()
      SentinelRound(watchedQueues + [.main]).wait()
      let isQuiet = !made && activityCount == before
      quiet = isQuiet ? quiet + 1 : 0
      any = any || !isQuiet
    }
    return any
  }

  @discardableResult
  private func settle(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    var (quiet, any) = (0, false)
    while quiet < Self.quietRounds {
      let before = activityCount
      let made = makeCalls()
      for queue in watchedQueues + [.main] {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
      }
      await Task.yield()
      let isQuiet = !made && activityCount == before
      quiet = isQuiet ? quiet + 1 : 0
      any = any || !isQuiet
    }
    return any
  }
}
