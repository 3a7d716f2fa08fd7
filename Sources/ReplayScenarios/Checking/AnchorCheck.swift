/// Follows the anchors of a session.
struct AnchorCheck {
  private(set) var problems: [ScenarioProblem] = []
  private let index: Int

  init(_ session: Session, index: Int) {
    self.index = index
    var names: [String: Int] = [:]
    for (place, entry) in session.entries.enumerated() {
      guard let id = entry.id else { continue }
      if id.isEmpty || ScenarioWords.causes.contains(id) {
        add(.invalidID, place, "an id cannot be \(JSON5Writer.quoted(id)); give the entry another")
      }
      if names[id] != nil {
        add(.duplicateID, place, "the id \(JSON5Writer.quoted(id, limit: 40)) stands twice in this session; give one of them another")
      } else {
        names[id] = place
      }
    }
    findLoops(causes(of: session.entries, names))
  }

  private mutating func add(_ code: ScenarioProblem.Code, _ entry: Int, _ message: String) {
    problems.append(ScenarioProblem(code, .error, at: .entry(session: index, entry), message))
  }

  private static func unknown(_ id: String) -> String {
    "no entry of this session has the id \(JSON5Writer.quoted(id, limit: 40)); correct \"after\""
  }

  /// The entry that each entry waits for; `nil` where it waits for none.
  private mutating func causes(of entries: [TimelineEntry], _ names: [String: Int]) -> [Int?] {
    var causes: [Int?] = []
    causes.reserveCapacity(entries.count)
    var lastOfAttribute: [AttributeHandle: Int] = [:]
    for (place, entry) in entries.enumerated() {
      var cause: Int?
      let attribute = entry.attribute
      if entry.origin == .central {
        if entry.anchor != nil { add(.uselessAnchor, place, "an entry by the central waits for no cause; remove \"after\"") }
      } else {
        switch entry.anchor?.cause {
        case nil: add(.missingAnchor, place, "an entry by the peripheral has no cause; add \"after\"")
        case .connection, .idle: break
        case .every(let count, _, let since):
          if count < 1 { add(.impossibleCount, place, "the entry waits for \(count) writes; write a number from 1 on") }
          cause = since.flatMap { names[$0] }
          if let since, cause == nil { add(.unknownAnchor, place, Self.unknown(since)) }
        case .entry(let id), .request(let id):
          cause = names[id]
          if cause == nil { add(.unknownAnchor, place, Self.unknown(id)) }
        case .previous:
          cause = attribute.map { lastOfAttribute[$0] } ?? (place > 0 ? place - 1 : nil)
          if cause == nil {
            add(
              .nothingBefore, place,
              "the peripheral began nothing on this attribute before; write after: \"connection\" or the id of an entry")
          }
        }
        if let attribute { lastOfAttribute[attribute] = place }
      }
      causes.append(cause)
    }
    return causes
  }

  /// Each entry waits for one at most, so every walk either ends or runs into a loop; each entry is walked over once.
  private mutating func findLoops(_ causes: [Int?]) {
    // 0 for entries not met yet, else the number of the walk that met them.
    var walks = [Int](repeating: 0, count: causes.count)
    for start in causes.indices where walks[start] == 0 {
      var here: Int? = start
      while let place = here, walks[place] == 0 {
        walks[place] = start + 1
        here = causes[place]
      }
      guard let place = here, walks[place] == start + 1 else { continue }
      add(.anchorLoop, place, "the entry waits for itself, by way of what it waits for; anchor one of them to something else")
    }
  }
}
