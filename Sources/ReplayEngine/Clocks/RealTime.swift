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
package final class MonotonicTime: RealTime {
  private let start = DispatchTime.now()
  private let signal = DispatchSemaphore(value: 0)
  /// A thread that sleeps is woken somewhat late; so long before a moment it stops sleeping and looks at the clock.
  private static let wakeUp = Duration.microseconds(120)

  package init() {}

  package var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds &- start.uptimeNanoseconds)) }

  package func wait(until moment: Duration?) {
    guard let moment else { return signal.wait() }
    let nanoseconds = max(0, (moment - Self.wakeUp - now).inNanoseconds)
    if signal.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success { return }
    while now < moment { if signal.wait(timeout: .now()) == .success { return } }
  }

  package func wake() { signal.signal() }
}
