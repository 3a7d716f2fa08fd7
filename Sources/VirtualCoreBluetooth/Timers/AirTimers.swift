public import Foundation
import ReplayEngine

// What an app that imports this module writes for its timers follows the air's time: overloads of the exact form win over the originals.
// Outside an air they do as the originals do.

extension Task where Success == Never, Failure == Never {
  /// Waits for a time of the air's, or of real time where there is no air.
  public static func sleep(for duration: Duration) async throws {
    guard let air = VirtualAir.find() else { return try await ContinuousClock().sleep(for: duration) }
    try await air.clock.sleep(for: duration)
  }

  /// Waits for a time of the air's, or of real time where there is no air.
  public static func sleep(nanoseconds duration: UInt64) async throws { try await sleep(for: .nanoseconds(Int64(clamping: duration))) }
}

extension DispatchQueue {
  /// Runs `work` when a time of the air's is over, or of real time where there is no air.
  ///
  /// The deadline was counted from real time a moment ago: what is left of it is rounded up to 10 ms, or to 1 ms below 100 ms.
  public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable @convention(block) () -> Void) {
    guard let air = VirtualAir.find() else { return asyncAfter(deadline: deadline, qos: .unspecified, flags: [], execute: work) }
    air.after(AirTimers.left(until: deadline, now: .now()), on: self, work)
  }
}

enum AirTimers {
  static func left(until deadline: DispatchTime, now: DispatchTime) -> Duration {
    guard deadline != .distantFuture else { return .nanoseconds(Int64.max) }
    let nanoseconds = deadline > now ? deadline.uptimeNanoseconds - now.uptimeNanoseconds : 0
    let grid: UInt64 = nanoseconds > 100_000_000 ? 10_000_000 : 1_000_000
    let (quotient, rest) = nanoseconds.quotientAndRemainder(dividingBy: grid)
    return .milliseconds(Int64(clamping: (quotient + (rest > 0 ? 1 : 0)) * (grid / 1_000_000)))
  }
}
