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
    var known: Set<AttributeHandle> = []
    var withoutType: Set<AttributeHandle> = []
    for attribute in database {
      known.insert(attribute.handle)
      switch attribute.kind {
      case .unknown: withoutType.insert(attribute.handle)
      case .include(nil, _, _): withoutType.insert(attribute.handle)
      case .characteristic(_, _, let value): known.insert(value)
      case .service, .include, .descriptor: break
      }
    }
    if !withoutType.isEmpty { reasons.append("the UUID is unknown of \(list(withoutType))") }
    let strangers = usedHandles.subtracting(known)
    if !strangers.isEmpty, !database.isEmpty { reasons.append("the database lacks \(list(strangers)), which the traffic uses") }
    return reasons.isEmpty ? .any : .recordedCentralOnly(reasons)
  }

  /// Attributes of the peripheral's server that the traffic shows to exist.
  private var usedHandles: Set<AttributeHandle> {
    var used: Set<AttributeHandle> = []
    for entry in sessions.flatMap(\.entries) {
      switch (entry.action, entry.origin) {
      case (.read(let handle), .central), (.readBlob(let handle, _), .central), (.write(let handle, _), .central),
        (.writeCommand(let handle, _), .central), (.notify(let handle, _), .peripheral), (.indicate(let handle, _), .peripheral):
        if entry.answer != .error(.invalidHandle) { used.insert(handle) }
      default: break
      }
    }
    return used
  }

  private func list(_ handles: Set<AttributeHandle>) -> String {
    let shown = handles.sorted().prefix(8).map(\.description).joined(separator: ", ")
    return handles.count > 8 ? "\(shown) and \(handles.count - 8) more" : shown
  }
}
