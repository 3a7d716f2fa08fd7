extension ScenarioReader {
  private typealias Keys = ScenarioKeys.Attribute

  /// Reads the attributes and puts them in handle order.
  mutating func database(_ number: Int) throws(JSON5Error) -> [Attribute] {
    var found: [(attribute: Attribute, line: Int)] = []
    try json.beginList("the database")
    while try json.nextElement(isFirst: found.isEmpty) {
      let line = try json.peek().position.line
      found.append((try attribute(), line))
    }
    // A person may add an attribute anywhere. The sort keeps the order of equal handles, which are a problem to be told.
    let order = found.indices.sorted { (found[$0].attribute.handle, $0) < (found[$1].attribute.handle, $1) }
    for (index, place) in order.enumerated() { lines[.attribute(index, database: number)] = found[place].line }
    return order.map { found[$0].attribute }
  }

  /// Reads the databases after the first.
  mutating func laterDatabases() throws(JSON5Error) -> [[Attribute]] {
    var databases: [[Attribute]] = []
    try json.beginList("the later databases")
    while try json.nextElement(isFirst: databases.isEmpty) { databases.append(try database(databases.count + 2)) }
    return databases
  }

  private mutating func attribute() throws(JSON5Error) -> Attribute {
    var object = try json.beginObject("the attribute", keys: Keys.self)
    var draft = Draft()
    var attribute = Attribute(handle: AttributeHandle(0), kind: .unknown)
    while let key = try json.nextKey(&object) {
      switch key {
      case .handle: draft.handle = try handle("the handle")
      case .service, .characteristic, .descriptor: draft.uuid = try uuid("the \(key.rawValue)")
      case .include:
        let text = try json.string("the included service")
        draft.uuid = text == ScenarioWords.unknownService ? nil : try uuid("the included service", text)
      case .unknown: try flag("unknown")
      case .secondary: draft.secondary = try json.boolean("\"secondary\"")
      case .start: draft.start = try handle("the start of the included service")
      case .end: draft.end = try handle("the end of the service")
      case .value: draft.value = try handle("the value's handle")
      case .properties: draft.properties = try bits("the properties", each: "a property", ScenarioWords.properties)
      case .content: attribute.content = try hex("the content")
      case .readError: attribute.readError = ATTErrorCode(rawValue: try octet("the error of a read"))
      case .writeError: attribute.writeError = ATTErrorCode(rawValue: try octet("the error of a write"))
      case .match: attribute.match = try word("the match level", MatchLevel.self)
      case .unmatched: attribute.unmatched = try word("the policy for unmatched requests", UnmatchedPolicy.self)
      case .provenance: attribute.provenance = try word("the provenance", Provenance.self)
      case .note: attribute.note = try json.string("the note")
      }
    }
    attribute.handle = try object.require(draft.handle, .handle, "handle: 0x0001")
    attribute.kind = try kind(draft, attribute.handle, object)
    return attribute
  }

  /// What the keys of an attribute say until it is known of which kind it is.
  private struct Draft {
    var handle: AttributeHandle?
    var uuid: BluetoothUUID?
    var secondary: Bool?
    var start: AttributeHandle?
    var end: AttributeHandle?
    var value: AttributeHandle?
    var properties: UInt8?
  }

  private func kind(_ draft: Draft, _ handle: AttributeHandle, _ object: JSON5Object<Keys>) throws(JSON5Error) -> Attribute.Kind {
    let kinds: [Keys] = [.service, .include, .characteristic, .descriptor, .unknown]
    let present = object.places.map(\.key).filter(kinds.contains)
    guard let kind = present.first else {
      throw JSON5Error(
        object.start, "the attribute does not say what it is", "add one of \(kinds.map(\.rawValue).joined(separator: ", "))")
    }
    if let second = present.dropFirst().first {
      throw object.error(
        at: second, "the attribute cannot be a \(kind.rawValue) and a \(second.rawValue)", "write two attributes, each with its handle")
    }
    let own: [Keys] =
      switch kind {
      case .service: [.secondary, .end]
      case .include: [.start, .end]
      case .characteristic: [.value, .properties, .content]
      case .descriptor: [.content]
      default: [.content]
      }
    for key in [Keys.secondary, .start, .end, .value, .properties] where !own.contains(key) && object.place(of: key) != nil {
      throw object.error(at: key, "the key \"\(key.rawValue)\" does not belong to a \(kind.rawValue)", "remove it")
    }
    switch kind {
    case .service:
      let end = try object.require(draft.end, .end, "end: 0x0007, the last handle of the service")
      guard end >= handle else { throw reversed(object, "the service ends at \(end), before its own handle \(handle)") }
      return .service(uuid: draft.uuid ?? BluetoothUUID(UInt16(0)), primary: !(draft.secondary ?? false), end: end)
    case .include:
      let start = try object.require(draft.start, .start, "start: 0x0001, the first handle of the included service")
      let end = try object.require(draft.end, .end, "end: 0x0007, the last handle of the included service")
      guard end >= start else { throw reversed(object, "the included service ends at \(end), before its start \(start)") }
      return .include(uuid: draft.uuid, start: start, end: end)
    case .characteristic:
      let value = try object.require(draft.value, .value, "value: 0x0003, the handle of its value")
      let properties = try object.require(draft.properties, .properties, "properties: [\"read\"], what a central may do with it")
      return .characteristic(uuid: draft.uuid ?? BluetoothUUID(UInt16(0)), properties: properties, value: value)
    case .descriptor: return .descriptor(uuid: draft.uuid ?? BluetoothUUID(UInt16(0)))
    default: return .unknown
    }
  }

  private func reversed(_ object: JSON5Object<Keys>, _ message: String) -> JSON5Error {
    object.error(at: .end, message, "correct one of them")
  }
}
