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
    for place in kept.indices where kept[place].origin == .peripheral {
      defer { if let attribute = kept[place].attribute { last[attribute] = place } }
      guard let anchor = kept[place].anchor else { continue }
      switch anchor.cause {
      case .connection, .idle: continue
      case .every(_, let handle, let since):
        if since.map(names.contains) ?? true, writes(entries, handle) == writes(kept, handle) { continue }
      case .entry(let name), .request(let name): if names.contains(name) { continue }
      case .previous:
        let previous = kept[place].attribute.flatMap { last[$0] }
        // Untouched where the entry before is the same one as before.
        if let previous {
          kept[place].anchor = Anchor(.previous, delay: max(.zero, kept[place].at - Self.completion(kept[previous])))
          continue
        }
      }
      kept[place].anchor = anchorAnew(place, &kept, &taken)
    }
    return kept
  }

  /// How often the central wrote to an attribute.
  private func writes(_ entries: [TimelineEntry], _ handle: AttributeHandle) -> Int {
    entries.count { entry in
      switch entry.action {
      case .write(handle, _), .writeCommand(handle, _): entry.origin == .central
      default: false
      }
    }
  }

  private func anchorAnew(_ place: Int, _ kept: inout [TimelineEntry], _ taken: inout Set<String>) -> Anchor {
    let at = kept[place].at
    var best: (place: Int, completion: Duration)?
    for candidate in kept.indices where kept[candidate].origin == .central && candidate < place {
      switch kept[candidate].action {
      case .write, .writeCommand, .read: break
      default: continue
      }
      let completion = Self.completion(kept[candidate])
      if completion <= at, best.map({ $0.completion <= completion }) ?? true { best = (candidate, completion) }
    }
    guard let best else { return Anchor(.connection, delay: at) }
    let name = kept[best.place].id ?? Self.freshName(best.place, &taken)
    kept[best.place].id = name
    return Anchor(.entry(name), delay: at - best.completion)
  }

  private static func freshName(_ place: Int, _ taken: inout Set<String>) -> String {
    var number = place + 1
    while taken.contains("t\(number)") { number += 1 }
    taken.insert("t\(number)")
    return "t\(number)"
  }
}
