/// What a trimmed scenario keeps; an empty choice keeps all.
public struct ScenarioTrim: Sendable, Equatable {
  /// Sessions by their number, from 1, and by the capture's link.
  public var sessions: Set<Int> = []
  public var links: Set<Int> = []
  /// Entries whose time since the session's start lies in this range.
  public var times: ClosedRange<Duration>?
  /// Entries of each session by their number, from 1.
  public var entries: ClosedRange<Int>?
  /// Entries about these attributes: handles of values and descriptors, or UUIDs of characteristics and services.
  public var handles: Set<AttributeHandle> = []
  public var types: Set<BluetoothUUID> = []

  /// Keeps all.
  public init() {}

  /// The scenario with what is chosen, its anchors tied to what is still there.
  ///
  /// The MTU exchange, pairing, encryption, the opening of channels, what configures a kept characteristic, and the end of the link stay with their session.
  public func applied(to scenario: Scenario) -> Scenario {
    var trimmed = scenario
    let isByAttribute = !handles.isEmpty || !types.isEmpty
    trimmed.sessions = scenario.sessions.enumerated().compactMap { number, session in
      guard sessions.isEmpty || sessions.contains(number + 1) else { return nil }
      guard links.isEmpty || session.link.map(links.contains) ?? false else { return nil }
      var session = session
      let databases = scenario.databaseNumbers(of: session).map { scenario.database($0) }
      let attributes = databases.reduce(into: handles) { $0.formUnion(Self.values(of: types, in: $1)) }
      let kept = session.entries.enumerated().filter { place, entry in
        // Without it later values would not fit.
        switch entry.action {
        case .exchangeMTU, .link(.pair), .link(.encrypt), .link(.openChannel): return true
        default: break
        }
        if entry.database != nil { return true }
        if let times, !times.contains(entry.at) { return false }
        if let entries, !entries.contains(place + 1) { return false }
        guard isByAttribute else { return true }
        switch entry.action {
        case .disconnect, .vanish: return true
        default: return entry.attribute.map(attributes.contains) ?? false
        }
      }
      // What is cut off at the end took the link's end with it.
      if let last = kept.last?.offset, last < session.entries.count - 1, times != nil || entries != nil {
        session.note = session.note ?? "trimmed"
      }
      let first = kept.first { $0.element.origin == .peripheral || $0.element.attribute != nil }?.offset ?? session.entries.count
      keepSubscriptions(of: session.entries.prefix(first), scenario.database(session.database).configurations, in: &session)
      session.entries = EntryLinks(session.entries).keeping(kept.map(\.offset))
      return session
    }
    return trimmed
  }

  /// What was subscribed to before the first entry that is kept holds from the start.
  private func keepSubscriptions(
    of gone: ArraySlice<TimelineEntry>, _ configurations: [AttributeHandle: AttributeHandle], in session: inout Session
  ) {
    for entry in gone where entry.answer == .ok {
      guard case .write(let handle, let value) = entry.action, configurations[handle] != nil, value.count == 2 else { continue }
      session.subscriptions[handle] = UInt16(value[0]) | UInt16(value[1]) << 8
    }
  }

  /// Handles of the values, and of the descriptors, of characteristics with a type, or in services with one.
  package static func values(of types: Set<BluetoothUUID>, withDescriptors: Bool = true, in database: [Attribute]) -> Set<AttributeHandle> {
    var found: Set<AttributeHandle> = []
    var (inService, inCharacteristic) = (false, false)
    for attribute in database.sorted(by: { $0.handle < $1.handle }) {
      switch attribute.kind {
      case .service(let uuid, _, _): (inService, inCharacteristic) = (types.contains(uuid), false)
      case .characteristic(let uuid, _, let value):
        inCharacteristic = types.contains(uuid)
        if inService || inCharacteristic { found.insert(value) }
      case .descriptor where withDescriptors: if inService || inCharacteristic { found.insert(attribute.handle) }
      case .include, .descriptor, .unknown: break
      }
    }
    return found
  }
}
