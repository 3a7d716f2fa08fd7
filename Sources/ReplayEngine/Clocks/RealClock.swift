import Foundation

/// Moves an air's time with real time: each event when it is due, counted from one moment, so that no lateness adds up.
final class RealClock: @unchecked Sendable {
  // All that changes is touched with `lock` held.
  private let lock = NSLock()
  private let time: any RealTime
  private let pace: AirPace
  /// A real moment, and the air's at that moment.
  private var anchor: (real: Duration, air: AirInstant)
  private var histogram = LatenessHistogram()
  private var isStopped = false
  /// Where the air's time stands, while it is made to go from event to event.
  private var pausedAt: AirInstant?

  init(_ pace: AirPace, at now: AirInstant, _ time: any RealTime) {
    (self.pace, self.time) = (pace, time)
    anchor = (time.now, now)
  }

  /// The air's time now.
  var now: AirInstant { lock.withLock { instant(at: time.now) } }

  var lateness: Lateness { lock.withLock { histogram.summary } }

  private func instant(at real: Duration) -> AirInstant {
    if let pausedAt { return pausedAt }
    let passed = Double((real - anchor.real).inNanoseconds) * pace.speed
    return anchor.air.advanced(byNanoseconds: Int64(min(max(passed, 0), 9e18)))
  }

  private func real(of instant: AirInstant) -> Duration {
    let ahead = Double(instant.duration(since: anchor.air).inNanoseconds) / pace.speed
    // Rounded up, so that nothing comes early.
    return anchor.real + .nanoseconds(Int64(min(max(ahead.rounded(.up), 0), 9e18)))
  }

  /// Notes that an event was handled that was due at `instant`.
  func handled(due instant: AirInstant) { lock.withLock { if pausedAt == nil { histogram.add(time.now - real(of: instant)) } } }

  /// Lets time stand at `instant`, until this is called again or ``resume()`` is.
  func pause(at instant: AirInstant) { lock.withLock { pausedAt = instant } }

  /// Lets time go on from where it stands.
  func resume() {
    lock.withLock {
      guard let standing = pausedAt else { return }
      (anchor, pausedAt) = ((time.now, standing), nil)
    }
    time.wake()
  }

  /// Waits for the next event, or for a call; a gap that is longer than wanted is left out.
  func wait(for next: AirInstant?) {
    let moment = lock.withLock { () -> Duration? in
      guard let next, pausedAt == nil else { return nil }
      let (present, due) = (time.now, real(of: next))
      if let longest = pace.longestGap, due - present > longest {
        anchor = (present + longest, next)
        return present + longest
      }
      return due
    }
    time.wait(until: moment)
  }

  func wake() { time.wake() }

  func stop() {
    lock.withLock { isStopped = true }
    time.wake()
  }

  var hasStopped: Bool { lock.withLock { isStopped } }
}
