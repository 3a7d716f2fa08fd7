import Dispatch

/// Real time, and waiting in it; a parameter, so that tests need none of it.
package protocol RealTime: AnyObject, Sendable {
  /// Since some fixed moment.
  var now: Duration { get }
  /// Waits until a moment, or until ``wake()`` is called, be it before; without a moment only for that.
  func wait(until moment: Duration?)
  func wake()
}

/// The machine's monotonic clock.
final class MonotonicTime: RealTime {
  private let start = DispatchTime.now()
  private let signal = DispatchSemaphore(value: 0)

  var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds &- start.uptimeNanoseconds)) }

  func wait(until moment: Duration?) {
    guard let moment else { return signal.wait() }
    let nanoseconds = max(0, (moment - now).inNanoseconds)
    _ = signal.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
  }

  func wake() { signal.signal() }
}
