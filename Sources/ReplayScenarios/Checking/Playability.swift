/// Which centrals a scenario can answer.
public enum Playability: Sendable, Equatable {
  /// Any, also one that scans and discovers.
  case any
  /// Only the one that was recorded, which asks by handle for what it knew; the reasons are clauses for people.
  case recordedCentralOnly([String])
}

extension Scenario {
  /// Whether a central that scans and discovers finds all that it needs, and if not, why.
  public var playable: Playability {
    var reasons: [String] = []
    if device.address == nil, device.advertising == nil { reasons.append("the device has neither an address nor advertising") }
    if database.isEmpty { reasons.append("the database is empty") }
    var withoutType: Set<AttributeHandle> = []
    let known = databases.map { database in
      var known: Set<AttributeHandle> = []
      for attribute in database {
        known.insert(attribute.handle)
        switch attribute.kind {
        case .unknown, .include(nil, _, _): withoutType.insert(attribute.handle)
        case .characteristic(_, _, let value): known.insert(value)
        case .service, .include, .descriptor: break
        }
      }
      return known
    }
    if !withoutType.isEmpty { reasons.append("the UUID is unknown of \(list(withoutType))") }
    let strangers = usedHandles(outside: known)
    if !strangers.isEmpty, !database.isEmpty { reasons.append("the database lacks \(list(strangers)), which the traffic uses") }
    return reasons.isEmpty ? .any : .recordedCentralOnly(reasons)
  }

  /// Attributes of the peripheral's server that the traffic shows to exist, and the database in force does not have.
  private func usedHandles(outside known: [Set<AttributeHandle>]) -> Set<AttributeHandle> {
    var used: Set<AttributeHandle> = []
    for session in sessions {
      var number = session.database
      var here: Set<AttributeHandle> = []
      for entry in session.entries {
        if let handle = Self.provenHandle(entry) { here.insert(handle) }
        guard let next = entry.database else { continue }
        used.formUnion(here.subtracting(number > 0 && number <= known.count ? known[number - 1] : []))
        (here, number) = ([], next)
      }
      used.formUnion(here.subtracting(number > 0 && number <= known.count ? known[number - 1] : []))
    }
    return used
  }

  private static func provenHandle(_ entry: TimelineEntry) -> AttributeHandle? {
    switch (entry.action, entry.origin) {
    case (.read(let handle), .central), (.readBlob(let handle, _), .central), (.write(let handle, _), .central),
      (.writeCommand(let handle, _), .central), (.notify(let handle, _), .peripheral), (.indicate(let handle, _), .peripheral):
      entry.answer != .error(.invalidHandle) ? handle : nil
    default: nil
    }
  }

  private func list(_ handles: Set<AttributeHandle>) -> String {
    let shown = handles.sorted().prefix(8).map(\.description).joined(separator: ", ")
    return handles.count > 8 ? "\(shown) and \(handles.count - 8) more" : shown
  }
}
