import Foundation

// Running at a real pace: in demonstrations, against apps with timers of their own, over links that have a clock themselves.
extension VirtualAir {
  /// Lets time go on by itself from now on, on a thread of its own; ``stop()`` ends it.
  ///
  /// What the app does counts from the moment at which it does it. ``run(until:)`` then waits for real time to pass.
  public func start(pace: AirPace = .recorded) { start(pace: pace, MonotonicTime()) }

  package func start(pace: AirPace, _ time: any RealTime) {
    stop()
    let clock = RealClock(pace, at: now, time)
    setPacer(clock)
    Thread.detachNewThread { [weak self] in
      // The air is not held while it is waited for, so that it ends when its test does.
      while !clock.hasStopped, let next = self?.follow(clock) { clock.wait(for: next.deadline) }
    }
  }

  /// Lets time stand still again, where it went on by itself.
  public func stop() {
    guard let clock = pacer else { return }
    clock.stop()
    setPacer(nil)
    advanceIfLater(to: clock.now)
  }

  /// How late events were handled since the start.
  public var lateness: Lateness { pacer?.lateness ?? Lateness() }

  /// Handles what is due and makes the calls; tells what comes next.
  func follow(_ clock: RealClock) -> Next {
    while !clock.hasStopped, let due = stepIfDue(through: clock.now) {
      clock.handled(due: due)
      makeCalls()
    }
    makeCalls()
    return Next(deadline: nextDeadline)
  }

  /// What comes next, if anything does.
  struct Next {
    var deadline: AirInstant?
  }
}
