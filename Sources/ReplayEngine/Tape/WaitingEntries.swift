import ReplayScenarios

/// Entries of the peripheral's whose cause came, and whose time has not come yet; each waits once at the most.
struct WaitingEntries {
  /// The number of the turn for which an entry waits, by entry; 0 for none.
  private var turns: [UInt32]
  private var lastTurn: UInt32 = 0
  /// Those that end with a subscription, by attribute, and those that end with the next write, by the attribute that is written.
  private var subscribed: [AttributeHandle: Set<Int>] = [:]
  private var written: [AttributeHandle: Set<Int>] = [:]

  init(_ session: CompiledSession) { turns = Array(repeating: 0, count: session.entries.count) }

  /// Lets an entry wait; tells the turn, which takes the place of an earlier one.
  mutating func add(_ entry: Int, in session: CompiledSession) -> UInt32 {
    lastTurn &+= 1
    if lastTurn == 0 { lastTurn = 1 }
    turns[entry] = lastTurn
    let cancel = session.entries[entry].anchor?.cancel ?? []
    if cancel.contains(.unsubscribe), let attribute = session.entries[entry].attribute { subscribed[attribute, default: []].insert(entry) }
    if cancel.contains(.write), let attribute = session.rootWrites[entry] { written[attribute, default: []].insert(entry) }
    return lastTurn
  }

  /// Whether an entry still waits for this turn.
  func isWaiting(_ entry: Int, turn: UInt32) -> Bool { turns[entry] == turn }

  /// Ends the waiting of an entry whose time has come.
  mutating func remove(_ entry: Int, in session: CompiledSession) {
    turns[entry] = 0
    if let attribute = session.entries[entry].attribute { subscribed[attribute]?.remove(entry) }
    if let attribute = session.rootWrites[entry] { written[attribute]?.remove(entry) }
  }

  /// Calls off what ends with the subscription of an attribute.
  mutating func unsubscribe(_ attribute: AttributeHandle) { cancel(subscribed.removeValue(forKey: attribute)) }

  /// Calls off what ends with the next write to an attribute.
  mutating func write(_ attribute: AttributeHandle) {
    if !written.isEmpty { cancel(written.removeValue(forKey: attribute)) }
  }

  private mutating func cancel(_ entries: Set<Int>?) { for entry in entries ?? [] { turns[entry] = 0 } }
}
