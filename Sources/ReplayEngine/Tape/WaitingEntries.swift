import ReplayScenarios

/// Entries of the peripheral's whose cause came, and whose time has not come yet; each waits once at the most.
///
/// Turns are numbered as they are given out, so that what calls entries off need only note the last turn that it ends.
struct WaitingEntries {
  /// The number of the turn for which an entry waits, by entry; 0 for none.
  private var turns: [Int]
  private var lastTurn = 0
  /// The last turn that ended with an attribute's subscription, and with a write to an attribute.
  private var unsubscribed: [AttributeHandle: Int] = [:]
  private var written: [AttributeHandle: Int] = [:]
  /// Attributes a write to which calls something off.
  private let ending: Set<AttributeHandle>

  init(_ session: CompiledSession) {
    turns = Array(repeating: 0, count: session.entries.count)
    ending = Set(
      session.entries.indices.compactMap { session.entries[$0].anchor?.cancel.contains(.write) ?? false ? session.rootWrites[$0] : nil })
  }

  /// Lets an entry wait; tells the turn, which takes the place of an earlier one.
  mutating func add(_ entry: Int) -> Int {
    lastTurn += 1
    turns[entry] = lastTurn
    return lastTurn
  }

  /// Whether an entry still waits for this turn.
  func isWaiting(_ entry: Int, turn: Int, in session: CompiledSession) -> Bool {
    guard turns[entry] == turn else { return false }
    if unsubscribed.isEmpty, written.isEmpty { return true }
    let cancel = session.entries[entry].anchor?.cancel ?? []
    if cancel.contains(.unsubscribe), let end = session.entries[entry].attribute.flatMap({ unsubscribed[$0] }), turn <= end { return false }
    if cancel.contains(.write), let end = session.rootWrites[entry].flatMap({ written[$0] }), turn <= end { return false }
    return true
  }

  /// Ends the waiting of an entry whose time has come.
  mutating func remove(_ entry: Int) { turns[entry] = 0 }

  /// Calls off what ends with the subscription of an attribute.
  mutating func unsubscribe(_ attribute: AttributeHandle) { unsubscribed[attribute] = lastTurn }

  /// Calls off what ends with the next write to an attribute.
  mutating func write(_ attribute: AttributeHandle) {
    if ending.contains(attribute) { written[attribute] = lastTurn }
  }
}
