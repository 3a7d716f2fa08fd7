/// Tells on a terminal how far a long capture has been read, and how fast.
final class ReadingProgress {
  private let file: String
  private let byteCount: Int?
  private let console: Console
  private let now: () -> ContinuousClock.Instant
  private let start: ContinuousClock.Instant
  private var pace: ProgressPace

  /// `byteCount` is the length of the file, where it is known; `now` tells the time.
  init(_ file: String, byteCount: Int?, _ console: Console, now: @escaping () -> ContinuousClock.Instant = { .now }) {
    (self.file, self.byteCount, self.console, self.now) = (file, byteCount, console, now)
    start = now()
    pace = ProgressPace(from: start)
  }

  /// The first `byteOffset` bytes have been read.
  func reached(_ byteOffset: Int) {
    if let text = text(byteOffset) { console.showProgress(text) }
  }

  /// The line for so many bytes, if one is due.
  func text(_ byteOffset: Int) -> String? {
    let time = now()
    guard pace.isDue(at: time) else { return nil }
    return line(byteOffset, after: start.duration(to: time))
  }

  /// The file has been read.
  func end() { console.clearProgress() }

  private func line(_ byteOffset: Int, after time: Duration) -> String {
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    let megabytes = Double(byteOffset) / 1e6
    let rate = seconds > 0 ? Int((megabytes / seconds).rounded()) : 0
    let share = byteCount.map { $0 > 0 ? " \(min(100, Int(Double(byteOffset) / Double($0) * 100))) %," : "" } ?? ""
    return "\(printable(file)):\(share) \(Int(megabytes)) MB read, \(rate) MB/s"
  }
}
