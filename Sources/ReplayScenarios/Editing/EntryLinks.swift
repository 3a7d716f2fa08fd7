/// A session's entries with what their anchors hang on, so that some can be taken out.
struct EntryLinks {
  private let entries: [TimelineEntry]

  init(_ entries: [TimelineEntry]) { self.entries = entries }

  /// When an entry was complete.
  private static func completion(_ entry: TimelineEntry) -> Duration {
    entry.at + (entry.parts.last.map { $0.offset + $0.latency } ?? entry.latency ?? .zero)
  }

  /// The entries at these places, in order; an anchor whose cause went is tied to what was complete last before it, else to the connection.
  func keeping(_ places: [Int]) -> [TimelineEntry] {
    var kept = places.map { entries[$0] }
    guard kept.count < entries.count else { return kept }
    let names = Set(kept.compactMap(\.id))
    var taken = Set(entries.compactMap(\.id))
    var last: [AttributeHandle: Int] = [:]
    let (before, after) = (Self.writes(entries), Self.writes(kept))
    let causes = Self.causes(kept)
    for place in kept.indices where kept[place].origin == .peripheral {
      defer { if let attribute = kept[place].attribute { last[attribute] = place } }
      guard let anchor = kept[place].anchor else { continue }
      switch anchor.cause {
      case .connection, .idle: continue
      case .every(_, let handle, let since): if since.map(names.contains) ?? true, before[handle] == after[handle] { continue }
      case .entry(let name), .request(let name): if names.contains(name) { continue }
      case .previous:
        let previous = kept[place].attribute.flatMap { last[$0] }
        // Untouched where the entry before is the same one as before.
        if let previous {
          let delay = kept[place].at - Self.completion(kept[previous])
          kept[place].anchor?.delay = max(.zero, delay)
          continue
        }
      }
      anchorAnew(place, causes, &kept, &taken)
    }
    return kept
  }

  /// How often the central wrote to each attribute.
  private static func writes(_ entries: [TimelineEntry]) -> [AttributeHandle: Int] {
    entries.reduce(into: [:]) { counts, entry in
      switch entry.action {
      case .write(let handle, _), .writeCommand(let handle, _): if entry.origin == .central { counts[handle, default: 0] += 1 }
      default: break
      }
    }
  }

  /// What the central wrote and read, in the order in which it was complete.
  private static func causes(_ entries: [TimelineEntry]) -> [(completion: Duration, place: Int)] {
    entries.indices.filter { place in
      switch entries[place].action {
      case .write, .writeCommand, .read: entries[place].origin == .central
      default: false
      }
    }.map { (completion(entries[$0]), $0) }.sorted { $0 < $1 }
  }

  /// Ties an entry to the last of `causes` that was complete before it.
  private func anchorAnew(
    _ place: Int, _ causes: [(completion: Duration, place: Int)], _ kept: inout [TimelineEntry], _ taken: inout Set<String>
  ) {
    let at = kept[place].at
    var (low, high) = (0, causes.count)
    while low < high {
      let middle = low + (high - low) / 2
      if causes[middle].completion <= at { low = middle + 1 } else { high = middle }
    }
    kept[place].anchor?.cause = .connection
    kept[place].anchor?.delay = at
    guard low > 0, case let best = causes[low - 1], best.place < place else { return }
    let name = kept[best.place].id ?? Self.freshName(best.place, &taken)
    kept[best.place].id = name
    kept[place].anchor?.cause = .entry(name)
    kept[place].anchor?.delay = at - best.completion
  }

  private static func freshName(_ place: Int, _ taken: inout Set<String>) -> String {
    var number = place + 1
    while taken.contains("t\(number)") { number += 1 }
    taken.insert("t\(number)")
    return "t\(number)"
  }
}

extension Session {
  /// The session with the entries at these places, in order, its anchors tied to what is still there.
  package func keeping(_ places: [Int]) -> Session {
    var session = self
    session.entries = EntryLinks(entries).keeping(places)
    return session
  }
}
