import ReplayScenarios

/// What the procedures of a central's stack follow: the last thing before them that was complete and that every central does, too.
struct StackCauses {
  private var open: [(entry: Int, completion: Duration)] = []
  private var latest: (entry: Int, completion: Duration)?

  /// What an entry follows, and how long after it; no entry stands for the connection.
  mutating func cause(of entry: TimelineEntry) -> (entry: Int?, delay: Duration) {
    open.removeAll { candidate in
      guard candidate.completion <= entry.at else { return false }
      if latest.map({ $0.completion <= candidate.completion }) ?? true { latest = candidate }
      return true
    }
    guard let latest else { return (nil, entry.at) }
    return (latest.entry, entry.at - latest.completion)
  }

  /// Takes an entry that may be the cause of what follows: one of the app's that counts, or a procedure.
  mutating func note(_ entry: TimelineEntry, at position: Int, isStack: Bool) {
    // What got no answer is never complete.
    guard entry.answer != TimelineEntry.Answer.none else { return }
    if case .link = entry.action {
    } else if isStack || entry.origin == .peripheral {
      return
    }
    // Few are under way at once; a hostile file must not make this quadratic.
    if open.count == 64 { open.removeFirst() }
    open.append((position, entry.at + (entry.latency ?? .zero)))
  }
}
