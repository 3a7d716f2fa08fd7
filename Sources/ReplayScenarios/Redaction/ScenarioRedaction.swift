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

  /// The scenario without them.
  public mutating func redacted(_ scenario: Scenario) -> Scenario {
    var result = scenario
    let kinds = scenario.databases.map { SecretKind.values(in: $0, handles: handles, types: types) }
    Self.learn(scenario, into: &pseudonyms)
    result.note = nil
    result.origin = scenario.origin.map { origin in
      var origin = origin
      origin.file = "redacted"
      origin.redacted = true
      return origin
    }
    result.device = redacted(scenario.device)
    for index in result.rules.indices { redact(&result.rules[index], kinds[0]) }
    for index in result.expectations.indices { result.expectations[index].note = nil }
    redact(&result.database, kinds[0])
    for place in result.laterDatabases.indices { redact(&result.laterDatabases[place], kinds[place + 1]) }
    for session in result.sessions.indices {
      result.sessions[session].note = nil
      result.sessions[session].file = nil
      result.sessions[session].address = scenario.sessions[session].address.map { pseudonyms.address($0) }
      var number = result.sessions[session].database
      for entry in result.sessions[session].entries.indices {
        redact(&result.sessions[session].entries[entry], Self.kinds(kinds, number))
        number = result.sessions[session].entries[entry].database ?? number
      }
    }
    return result
  }

  /// Those of a database by its number; one that is not there has none.
  private static func kinds(_ kinds: [[AttributeHandle: SecretKind]], _ number: Int) -> [AttributeHandle: SecretKind] {
    number > 0 && number <= kinds.count ? kinds[number - 1] : [:]
  }

  private mutating func redact(_ database: inout [Attribute], _ kinds: [AttributeHandle: SecretKind]) {
    for place in database.indices {
      database[place].note = nil
      let kind = kinds[Self.valueHandle(database[place])]
      database[place].content = database[place].content.map { pseudonyms.value($0, kind) }
    }
  }

  private mutating func redact(_ rule: inout Rule, _ kinds: [AttributeHandle: SecretKind]) {
    rule.note = nil
    func new(_ template: ValueTemplate, _ handle: AttributeHandle) -> ValueTemplate {
      template.replacing { pseudonyms.value($0, kinds[handle]) }
    }
    if case .write(let handle, let value, let matcher) = rule.trigger {
      // What decides which rule is followed has to stay where it is but a part of the value.
      let kind = matcher == .exact ? kinds[handle] : nil
      rule.trigger = .write(handle, value: pseudonyms.value(value, kind), matcher: matcher)
    }
    rule.answer = rule.answer.map { new($0, rule.attribute) }
    for index in rule.steps.indices {
      switch rule.steps[index].action {
      case .notify(let handle, let value): rule.steps[index].action = .notify(handle, new(value, handle))
      case .set(let handle, let value): rule.steps[index].action = .set(handle, new(value, handle))
      case .disconnect: break
      }
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
    let kinds = scenario.databases.map { SecretKind.values(in: $0) }
    for (database, kinds) in zip(scenario.databases, kinds) {
      for attribute in database { learn(attribute.content ?? [], kinds[valueHandle(attribute)], &pseudonyms) }
    }
    for session in scenario.sessions {
      var number = session.database
      for entry in session.entries {
        learn(entry, Self.kinds(kinds, number), &pseudonyms)
        number = entry.database ?? number
      }
    }
  }

  private static func learn(_ value: [UInt8], _ kind: SecretKind?, _ pseudonyms: inout Pseudonyms) {
    guard let kind, !value.isEmpty else { return }
    if kind == .name { pseudonyms.name(value) } else { pseudonyms.value(value, everywhere: true) }
  }

  private static func learn(_ entry: TimelineEntry, _ kinds: [AttributeHandle: SecretKind], _ pseudonyms: inout Pseudonyms) {
    switch entry.action {
    case .link(.pair(let pairing)):
      for keys in [pairing.central, pairing.peripheral].compactMap({ $0?.keys }) {
        if let identity = keys.identity { pseudonyms.address(identity) }
        for key in [keys.longTermKey, keys.identityResolvingKey, keys.signatureKey].compactMap({ $0 }) { pseudonyms.key(key) }
      }
    case .write(let handle, let value), .writeCommand(let handle, let value), .notify(let handle, let value),
      .indicate(let handle, let value):
      learn(value, kinds[handle], &pseudonyms)
    case .pdu(let request):
      guard case .pdu(let answer)? = entry.answer else { break }
      for (bytes, request) in [(request, nil), (answer, request)] {
        for place in ValuePlace.all(in: bytes, request: request) where place.handles.count == 1 && place.offset == 0 {
          learn(Array(bytes[place.bytes]), place.kind { kinds[$0] }, &pseudonyms)
        }
      }
    // A part of a name or of a serial number is none.
    case .readBlob(_, let offset) where offset > 0: return
    default: break
    }
    if case .value(let value)? = entry.answer, let handle = entry.attribute { learn(value, kinds[handle], &pseudonyms) }
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

  private mutating func redact(_ entry: inout TimelineEntry, _ kinds: [AttributeHandle: SecretKind]) {
    entry.note = nil
    let request: [UInt8]? = if case .pdu(let bytes) = entry.action { bytes } else { nil }
    var offset = 0
    switch entry.action {
    case .write(let handle, let value): entry.action = .write(handle, pseudonyms.value(value, kinds[handle]))
    case .writeCommand(let handle, let value): entry.action = .writeCommand(handle, pseudonyms.value(value, kinds[handle]))
    case .notify(let handle, let value): entry.action = .notify(handle, pseudonyms.value(value, kinds[handle]))
    case .indicate(let handle, let value): entry.action = .indicate(handle, pseudonyms.value(value, kinds[handle]))
    case .pdu(let bytes): entry.action = .pdu(redacted(bytes, answering: nil, kinds))
    case .link(let procedure): entry.action = .link(redacted(procedure))
    case .readBlob(_, let start): offset = Int(start)
    case .exchangeMTU, .read, .disconnect, .vanish: break
    }
    switch entry.answer {
    case .value(let value)?: entry.answer = .value(pseudonyms.value(value, entry.attribute.flatMap { kinds[$0] }, at: offset))
    case .pdu(let bytes)?: entry.answer = .pdu(redacted(bytes, answering: request, kinds))
    default: break
    }
  }

  private mutating func redacted(_ pdu: [UInt8], answering request: [UInt8]?, _ kinds: [AttributeHandle: SecretKind]) -> [UInt8] {
    var bytes = pseudonyms.replaced(pdu)
    for place in ValuePlace.all(in: pdu, request: request) {
      guard let kind = place.kind(chosen: types, { kinds[$0] }) else { continue }
      bytes.replaceSubrange(place.bytes, with: pseudonyms.value(Array(pdu[place.bytes]), kind, at: place.offset))
    }
    return bytes
  }
}
