import ByteParsing

/// Writes a scenario as a document: one attribute and one timeline entry a line, defaults left out.
package struct ScenarioWriter {
  private let scenario: Scenario
  /// Of the database that holds where the writer stands.
  private(set) var names: AttributeNames
  private var holding = 1
  var json = JSON5Writer()
  private var hasSessions = false
  var hasEntries = false

  /// `scenario` may come without its sessions, which are then written one by one.
  package init(_ scenario: Scenario) {
    self.scenario = scenario
    names = AttributeNames(scenario.database)
  }

  /// The whole document.
  mutating func document() -> [UInt8] {
    begin(hasSessions: !scenario.sessions.isEmpty)
    for session in scenario.sessions {
      beginSession(session, hasEntries: !session.entries.isEmpty)
      for entry in session.entries { writeEntry(entry) }
      endSession()
    }
    end()
    return json.bytes
  }

  /// Bytes that were not taken yet.
  package var byteCount: Int { json.count }

  /// The bytes since they were removed last, borrowed.
  package var text: RawSpan { @_lifetime(borrow self) get { json.span } }

  /// Begins a new text behind what was written.
  package mutating func removeText() { json.removeAll() }

  /// Writes all that stands before the sessions.
  package mutating func begin(hasSessions: Bool) {
    typealias Key = ScenarioKeys.Root
    json.raw("{\n")
    line(Key.format) { $0.string(ScenarioWords.format) }
    if let origin = scenario.origin { line(Key.origin) { Self.write(origin, to: &$0) } }
    if let note = scenario.note { line(Key.note) { $0.string(note) } }
    if scenario.match != .perAttribute { line(Key.match) { [match = scenario.match] in $0.string(match.rawValue) } }
    if scenario.unmatched != .again { line(Key.unmatched) { [unmatched = scenario.unmatched] in $0.string(unmatched.rawValue) } }
    if scenario.device != Device() { writeDevice(scenario.device) }
    if !scenario.database.isEmpty {
      json.raw("  database: [\n")
      write(scenario.database)
      json.raw("  ],\n")
    }
    if !scenario.laterDatabases.isEmpty {
      json.raw("  laterDatabases: [\n")
      for database in scenario.laterDatabases {
        json.raw("    [\n")
        write(database)
        json.raw("    ],\n")
      }
      json.raw("  ],\n")
    }
    list(Key.rules, scenario.rules) { $0.write($1) }
    list(Key.expect, scenario.expectations) { $0.write($1) }
    list(Key.faults, scenario.faults) { writer, fault in
      writer.json.raw("    ")
      writer.json.string(fault)
      writer.json.raw(",\n")
    }
    self.hasSessions = hasSessions
    if hasSessions { json.raw("  sessions: [\n") }
  }

  /// Ends the document.
  package mutating func end() {
    if hasSessions { json.raw("  ],\n") }
    json.raw("}\n")
  }

  /// A list with an element a line; nothing where it is empty.
  private mutating func list<Element>(_ key: ScenarioKeys.Root, _ elements: [Element], _ write: (inout Self, Element) -> Void) {
    guard !elements.isEmpty else { return }
    json.raw("  \(key.rawValue): [\n")
    for element in elements { write(&self, element) }
    json.raw("  ],\n")
  }

  private mutating func write(_ database: [Attribute]) {
    // Equal handles keep their order, so that writing again gives the same text.
    let order = database.indices.sorted { (database[$0].handle, $0) < (database[$1].handle, $1) }
    for index in order { writeAttribute(database[index]) }
  }

  /// The comments that follow name the attributes of this database.
  mutating func hold(database number: Int) {
    guard number != holding else { return }
    holding = number
    names = AttributeNames(scenario.database(number))
  }

  private mutating func line(_ key: ScenarioKeys.Root, _ value: (inout JSON5Writer) -> Void) {
    json.open("  ")
    json.key(key)
    value(&json)
    json.raw(",\n")
  }

  private static func write(_ origin: Origin, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.Origin
    json.open("{ ")
    json.key(Key.file)
    json.string(origin.file)
    json.optional(Key.time, origin.time) { $0.string($1) }
    json.optional(Key.capturedAt, origin.capturedAt) { $0.string($1.rawValue) }
    json.optional(Key.tool, origin.tool) { $0.string($1) }
    json.optional(Key.redacted, origin.redacted ? true : nil) { $0.raw(String($1)) }
    json.close(" }")
  }

  private mutating func writeDevice(_ device: Device) {
    typealias Key = ScenarioKeys.Device
    json.raw("  device: {\n")
    json.open("    ")
    let before = json.count
    json.optional(Key.address, device.address) { $0.string($1.description) }
    json.optional(Key.addressType, device.address?.kind) { $0.code($1, ScenarioWords.addressTypes) }
    json.optional(Key.addresses, device.addresses.isEmpty ? nil : device.addresses) { json, addresses in
      json.open("[")
      for address in addresses {
        json.element()
        json.string(address.description)
      }
      json.close("]")
    }
    json.optional(Key.name, device.name) { $0.string($1) }
    json.optional(Key.identifier, device.identifier) { $0.string($1) }
    json.optional(Key.mtu, device.mtu == 23 ? nil : device.mtu) { $0.raw(String($1)) }
    json.optional(Key.sendsUnsubscribed, device.sendsUnsubscribed ? true : nil) { $0.raw(String($1)) }
    json.optional(Key.keepsSubscriptions, device.keepsSubscriptions ? true : nil) { $0.raw(String($1)) }
    let hasFields = json.count > before
    if let advertising = device.advertising {
      if hasFields { json.raw(",\n    ") }
      json.open("")
      json.key(Key.advertising)
      Self.write(advertising, to: &json)
    }
    json.raw(",\n  },\n")
  }

  private static func write(_ advertising: Advertising, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.Advertising
    let usual = Advertising(data: [])
    json.open("{ ")
    json.key(Key.data)
    json.hex(advertising.data)
    json.optional(Key.scanResponse, advertising.scanResponse) { $0.hex($1) }
    json.optional(Key.connectable, advertising.connectable ? nil : false) { $0.raw(String($1)) }
    json.optional(Key.interval, advertising.interval == usual.interval ? nil : advertising.interval) { $0.milliseconds($1) }
    json.optional(Key.rssi, advertising.rssi == usual.rssi ? nil : advertising.rssi) { $0.raw(String($1)) }
    json.optional(Key.provenance, advertising.provenance == usual.provenance ? nil : advertising.provenance) { $0.string($1.rawValue) }
    json.close(" }")
  }
}

extension JSON5Writer {
  /// Adds a key and its value, where there is one.
  mutating func optional<Value>(_ key: some RawRepresentable<String>, _ value: Value?, _ write: (inout JSON5Writer, Value) -> Void) {
    guard let value else { return }
    self.key(key)
    write(&self, value)
  }

  /// Adds a code by its name, or by its number where it has none.
  mutating func code<Code: RawRepresentable<UInt8> & Equatable>(_ code: Code, _ names: [(name: String, kind: Code)]) {
    if let known = names.first(where: { $0.kind == code }) { string(known.name) } else { raw(hexadecimal(code.rawValue)) }
  }

  /// Adds the words that stand for the bits that are set, from bit 0 on.
  mutating func bits(_ bits: UInt8, _ words: [String]) {
    open("[")
    for (bit, word) in words.enumerated() where bits & 1 << UInt8(bit) != 0 {
      element()
      string(word)
    }
    close("]")
  }

  /// Ends a line with a generated comment, where there is one; `text` is made of `printable` and `quoted` parts.
  mutating func endLine(comment text: String?) {
    guard let text else { return literal(",\n") }
    literal(", // ")
    raw(text)
    literal("\n")
  }
}
