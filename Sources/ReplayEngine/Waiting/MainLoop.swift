import Dispatch
import Foundation

/// Lets the main thread's run loop go on while the main thread waits for something.
///
/// A run loop that is given a moment makes a timer of the system's each time, which costs more than all else and is freed late; so it is
/// run without one, and woken every now and then by one timer for all.
enum MainLoop {
  /// How exactly the end of a wait is kept.
  private static let tick = DispatchTimeInterval.milliseconds(10)
  /// After so many ticks without anybody who waits the timer ends.
  private static let idleTicks = 100

  private struct State {
    var isWaiting = false
    var idle = 0
    var timer: (any DispatchSourceTimer)?
  }
  private static let state = Guarded(State())

  /// Runs the main loop, on its thread, until `isOver` or the moment comes; tells whether it is over.
  static func run(until end: Date, isOver: () -> Bool) -> Bool {
    // Most of what is waited for is on the main queue already. What comes by the run loop otherwise – its own blocks, timers, streams – gets
    // its turn once what was there first is done, and is followed by what it put on the queue.
    for turn in 0..<8 {
      if isOver() { return true }
      if turn == 1 || !MainQueue.drain() { _ = RunLoop.main.run(mode: .default, before: .distantPast) }
    }
    setWaiting(true)
    defer { setWaiting(false) }
    while !isOver(), Date() < end {
      if !RunLoop.main.run(mode: .default, before: .distantFuture) { Thread.sleep(forTimeInterval: 0.0005) }
    }
    return isOver()
  }

  private static func setWaiting(_ isWaiting: Bool) {
    state.withValue { state in
      state.isWaiting = isWaiting
      guard isWaiting, state.timer == nil else { return }
      let timer = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
      timer.setEventHandler { wake() }
      timer.schedule(deadline: .now() + tick, repeating: tick)
      state.timer = timer
      timer.resume()
    }
  }

  private static func wake() {
    let isWaiting = state.withValue { state in
      state.idle = state.isWaiting ? 0 : state.idle + 1
      if state.idle > idleTicks {
        state.timer?.cancel()
        (state.timer, state.idle) = (nil, 0)
      }
      return state.isWaiting
    }
    // Ends the run loop's turn.
    if isWaiting { DispatchQueue.main.async {} }
  }
}
