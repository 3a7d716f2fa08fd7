/// When a line of progress is due: short work is not worth one, and a terminal is not written to all the time.
struct ProgressPace {
  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(200)
  private var next: ContinuousClock.Instant

  init(from start: ContinuousClock.Instant) { next = start.advanced(by: Self.patience) }

  /// Whether one is due; then the next is not for a while.
  mutating func isDue(at time: ContinuousClock.Instant) -> Bool {
    guard time >= next else { return false }
    next = time.advanced(by: Self.interval)
    return true
  }
}
