import ReplayScenarios

/// How far the tape was played, for what the central should do next.
struct TapeBarrier {
  /// When the link came up.
  var start = AirInstant.start
  /// The entry furthest on that was completed, and when.
  private(set) var last: (entry: Int, at: AirInstant)?
  /// No entry that counts is waited for before this place among them.
  fileprivate var from = 0
  /// Before which of them the next one stands that was played by itself; found once for each.
  fileprivate var predecessor: (of: Int, entry: Int?)?
  /// How many entries had been consumed when the central was last waited for in vain.
  fileprivate var consumedInVain: Int?

  mutating func complete(_ entry: Int, at now: AirInstant) { if last.map({ entry >= $0.entry }) ?? true { last = (entry, now) } }
}

/// What the tape says the central should do now.
extension PeripheralConnection {
  /// The central's next entry, if its time comes no later than `limit`: as long after what stands before it as recorded.
  func dueEntry(through limit: AirInstant) -> Int? {
    guard isResponsive, barrier.consumedInVain != tape.consumed, let next = nextOfCentral() else { return nil }
    let before = predecessor(of: next)
    var (base, recorded) = (barrier.start, Duration.zero)
    if let before {
      guard let last = barrier.last else { return nil }
      // What stands before it has to be over; what the central left out is not waited for.
      guard last.entry >= before || session.entries[before].origin == .central && !tape.used[before] else { return nil }
      guard last.entry <= before else { return next }
      (base, recorded) = (last.at, session.entries[last.entry].at)
    }
    return base.advanced(by: max(.zero, session.entries[next].at - recorded)) <= limit ? next : nil
  }

  /// The central was waited for in vain: nothing is until it does something that is recorded, and this entry never again.
  func passBarrier() {
    barrier.consumedInVain = tape.consumed
    barrier.from += 1
  }

  private func nextOfCentral() -> Int? {
    while barrier.from < session.counted.count, tape.used[session.counted[barrier.from]] { barrier.from += 1 }
    return barrier.from < session.counted.count ? session.counted[barrier.from] : nil
  }

  /// The entry before one, stack traffic aside.
  private func predecessor(of entry: Int) -> Int? {
    if let known = barrier.predecessor, known.of == entry { return known.entry }
    let found = (0..<entry).last { !session.isStack[$0] }
    barrier.predecessor = (entry, found)
    return found
  }
}
