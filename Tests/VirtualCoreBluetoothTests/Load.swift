import Foundation
import ReplayTesting

/// Threads that do nothing but take up the machine, for two minutes at the most.
final class Load: Sendable {
  private let isOver = Guarded(false)
  private let hasBegun = Guarded(false)

  /// Begins when the last tenth of so many rounds does: two threads for each processor.
  func begin(inLastTenth round: Int, of count: Int) {
    guard round >= count * 9 / 10, !hasBegun.value else { return }
    hasBegun.value = true
    let (isOver, end) = (isOver, Date(timeIntervalSinceNow: 120))
    for _ in 0..<(2 * ProcessInfo.processInfo.activeProcessorCount) {
      Thread.detachNewThread { while !isOver.value, Date() < end { for _ in 0..<1000 {} } }
    }
  }

  func stop() { isOver.value = true }
}
