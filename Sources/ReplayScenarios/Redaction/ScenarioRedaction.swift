import ByteParsing

/// Takes out of a scenario what points to a person or a device, and nothing that a replay needs.
///
/// Addresses, names, identifiers, serial numbers and System IDs, the values that are chosen, and what people wrote; UUIDs, handles,
/// lengths and times stay.
public struct ScenarioRedaction: Sendable {
  /// Whose values are replaced besides: handles, and UUIDs of characteristics and services.
  public var handles: Set<AttributeHandle> = []
  public var types: Set<BluetoothUUID> = []
  private var pseudonyms = Pseudonyms()

  /// Chooses no values.
  public init() {}

  /// Serial Number String and System ID.
  private static let serials: Set<UInt16> = [0x2A25, 0x2A23]

  /// The scenario without them.
  public mutating func redacted(_ scenario: Scenario) -> Scenario {
    var result = scenario
    let chosen = scenario.databases.map { handles.union(ScenarioTrim.values(of: types, withDescriptors: false, in: $0)) }
    Self.learn(scenario, into: &pseudonyms)
    result.note = nil
    result.origin = scenario.origin.map { origin in
      var origin = origin
      origin.file = "redacted"
      origin.redacted = true
      return origin
    }
    result.device = redacted(scenario.device)
    redact(&result.database, chosen[0])
    for place in result.laterDatabases.indices { redact(&result.laterDatabases[place], chosen[place + 1]) }
    for session in result.sessions.indices {
      result.sessions[session].note = nil
      result.sessions[session].file = nil
      result.sessions[session].address = scenario.sessions[session].address.map { pseudonyms.address($0) }
      var number = result.sessions[session].database
      for entry in result.sessions[session].entries.indices {
        redact(&result.sessions[session].entries[entry], number > 0 && number <= chosen.count ? chosen[number - 1] : handles)
        number = result.sessions[session].entries[entry].database ?? number
      }
    }
    return result
  }

  private mutating func redact(_ database: inout [Attribute], _ chosen: Set<AttributeHandle>) {
    for place in database.indices {
      database[place].note = nil
      let isChosen = chosen.contains(Self.valueHandle(database[place]))
      database[place].content = database[place].content.map { isChosen ? pseudonyms.value($0) : pseudonyms.replaced($0) }
    }
  }

  private static func valueHandle(_ attribute: Attribute) -> AttributeHandle {
    if case .characteristic(_, _, let value) = attribute.kind { value } else { attribute.handle }
  }

  /// Learns all originals before the first is replaced.
  package static func learn(_ scenario: Scenario, into pseudonyms: inout Pseudonyms) {
    for address in [scenario.device.address].compactMap({ $0 }) + scenario.device.addresses + scenario.sessions.compactMap(\.address) {
      pseudonyms.address(address)
    }
    if let name = scenario.device.name { pseudonyms.name(Array(name.utf8)) }
    for data in [scenario.device.advertising?.data, scenario.device.advertising?.scanResponse].compactMap({ $0 }) {
      pseudonyms.learn(advertising: data)
    }
    var names: Set<AttributeHandle> = []
    var serials: Set<AttributeHandle> = []
    func learn(_ value: [UInt8], _ handle: AttributeHandle, _ pseudonyms: inout Pseudonyms) {
      if names.contains(handle) { pseudonyms.name(value) }
      if serials.contains(handle) { pseudonyms.value(value, everywhere: true) }
    }
    for attribute in scenario.databases.joined() {
      guard case .characteristic(let uuid, _, let value) = attribute.kind, let short = uuid.short else { continue }
      if short == 0x2A00 { names.insert(value) }
      if Self.serials.contains(short) { serials.insert(value) }
      if let content = attribute.content { learn(content, value, &pseudonyms) }
    }
    for entry in scenario.sessions.flatMap(\.entries) {
      if case .link(.pair(let pairing)) = entry.action {
        for end in [pairing.central, pairing.peripheral] { if let identity = end?.keys?.identity { pseudonyms.address(identity) } }
      }
      if let (type, values) = valuesByType(entry) {
        for value in values { if type == 0x2A00 { pseudonyms.name(value) } else { pseudonyms.value(value, everywhere: true) } }
      }
      guard let handle = entry.attribute else { continue }
      for value in Self.values(entry) { learn(value, handle, &pseudonyms) }
    }
  }

  /// Names or serials that a request by type got.
  private static func valuesByType(_ entry: TimelineEntry) -> (type: UInt16, values: [[UInt8]])? {
    guard case .pdu(let request) = entry.action, case .pdu(let answer)? = entry.answer,
      case .readByTypeRequest(_, _, let type)? = try? ATTPDU(parsing: request), let short = type.short,
      short == 0x2A00 || serials.contains(short), case .readByTypeResponse(let list)? = try? ATTPDU(parsing: answer)
    else { return nil }
    return (short, list.map(\.value))
  }

  private static func values(_ entry: TimelineEntry) -> [[UInt8]] {
    var values: [[UInt8]] = []
    switch entry.action {
    case .write(_, let value), .writeCommand(_, let value), .notify(_, let value), .indicate(_, let value): values.append(value)
    default: break
    }
    if case .value(let value)? = entry.answer { values.append(value) }
    return values
  }

  private mutating func redacted(_ device: Device) -> Device {
    var result = device
    result.address = device.address.map { pseudonyms.address($0) }
    result.addresses = device.addresses.map { pseudonyms.address($0) }
    result.name = device.name.map { String(decoding: pseudonyms.name(Array($0.utf8)), as: UTF8.self) }
    // An identifier is only as long as any other.
    result.identifier = device.identifier.map { _ in "00000000-0000-4000-8000-000000000001" }
    result.advertising?.data = device.advertising.map { pseudonyms.replaced(advertising: $0.data) } ?? []
    result.advertising?.scanResponse = device.advertising?.scanResponse.map { pseudonyms.replaced(advertising: $0) }
    return result
  }

  /// Without the values of keys, and with every original in data replaced.
  private func redacted(_ procedure: LinkProcedure) -> LinkProcedure {
    switch procedure {
    case .pair(let agreed):
      var pairing = agreed
      pairing.central?.keys = nil
      pairing.peripheral?.keys = nil
      return .pair(pairing)
    case .channelData(let channel, let bytes): return .channelData(channel: channel, pseudonyms.replaced(bytes))
    default: return procedure
    }
  }

  private mutating func redact(_ entry: inout TimelineEntry, _ chosen: Set<AttributeHandle>) {
    entry.note = nil
    let isChosen = entry.attribute.map(chosen.contains) ?? false
    func new(_ value: [UInt8], _ pseudonyms: inout Pseudonyms) -> [UInt8] {
      isChosen ? pseudonyms.value(value) : pseudonyms.replaced(value)
    }
    switch entry.action {
    case .write(let handle, let value): entry.action = .write(handle, new(value, &pseudonyms))
    case .writeCommand(let handle, let value): entry.action = .writeCommand(handle, new(value, &pseudonyms))
    case .notify(let handle, let value): entry.action = .notify(handle, new(value, &pseudonyms))
    case .indicate(let handle, let value): entry.action = .indicate(handle, new(value, &pseudonyms))
    case .pdu(let bytes): entry.action = .pdu(pseudonyms.replaced(bytes))
    case .link(let procedure): entry.action = .link(redacted(procedure))
    case .exchangeMTU, .read, .readBlob, .disconnect, .vanish: break
    }
    switch entry.answer {
    case .value(let value)?: entry.answer = .value(new(value, &pseudonyms))
    case .pdu(let bytes)?: entry.answer = .pdu(pseudonyms.replaced(bytes))
    default: break
    }
  }
}
