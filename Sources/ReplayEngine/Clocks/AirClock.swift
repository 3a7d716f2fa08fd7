/// An air's time as a Swift clock, for apps that take theirs as a parameter: while they sleep the air's time goes by, not real time.
///
/// ```swift
/// try await app.clock.sleep(for: .seconds(30))     // app.clock = air.clock in tests, ContinuousClock() elsewhere
/// ```
public struct AirClock: Clock {
  public typealias Instant = AirInstant

  private let air: VirtualAir

  init(_ air: VirtualAir) { self.air = air }

  /// The air's time.
  public var now: AirInstant { air.now }
  /// The air counts nanoseconds.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until a moment of the air; `tolerance` is not used. Throws `CancellationError` where the task is cancelled.
  public func sleep(until deadline: AirInstant, tolerance: Duration? = nil) async throws {
    let sleeper = AirSleeper()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        air.called { core, _ in if sleeper.begin(continuation) { core.add(sleeper, until: deadline) } }
      }
    } onCancel: {
      air.called { core, _ in if sleeper.end(CancellationError()) { core.remove(sleeper) } }
    }
  }
}

/// A task that waits for a moment of the air's; it is only touched with the air's lock held.
final class AirSleeper: @unchecked Sendable {
  private enum State {
    case new
    case asleep(CheckedContinuation<Void, any Error>)
    case over((any Error)?)
  }
  private var state = State.new

  /// `false` where it was cancelled before.
  func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
    guard case .over(let error) = state else {
      state = .asleep(continuation)
      return true
    }
    resume(continuation, error)
    return false
  }

  /// Lets the task go on, once; tells whether it was asleep.
  @discardableResult
  func end(_ error: (any Error)? = nil) -> Bool {
    let before = state
    if case .over = before { return false }
    state = .over(error)
    guard case .asleep(let continuation) = before else { return false }
    resume(continuation, error)
    return true
  }

  private func resume(_ continuation: CheckedContinuation<Void, any Error>, _ error: (any Error)?) {
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
  }
}

extension AirInstant: InstantProtocol {
  /// The time from this moment to `other`.
  public func duration(to other: AirInstant) -> Duration { other.duration(since: self) }
}

extension VirtualAir {
  /// The air's time as a Swift clock.
  public var clock: AirClock { AirClock(self) }
}
