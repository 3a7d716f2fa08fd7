/// Decodes a document straight from its tokens into the model.
struct ScenarioReader {
  var json: JSON5Reader
  let entryKeys = JSON5KeyTable(ScenarioKeys.Entry.self)
  /// The line at which each part begins.
  var lines = ScenarioLines()

  init(_ bytes: [UInt8]) { json = JSON5Reader(bytes) }

  /// Reads the whole document.
  mutating func scenario() throws(JSON5Error) -> Scenario {
    var scenario = Scenario()
    var object = try json.beginObject("the scenario", keys: ScenarioKeys.Root.self)
    var format: Bool?
    while let key = try json.nextKey(&object) {
      switch key {
      case .format:
        if let error = Self.refuseFormat(try json.next()) { throw error }
        format = true
      case .origin: scenario.origin = try origin()
      case .note: scenario.note = try json.string("the note")
      case .match: scenario.match = try word("the match level", MatchLevel.self)
      case .unmatched: scenario.unmatched = try word("the policy for unmatched requests", UnmatchedPolicy.self)
      case .device:
        lines[.device] = json.place.line
        scenario.device = try device()
      case .database: scenario.database = try database(1)
      case .laterDatabases: scenario.laterDatabases = try laterDatabases()
      case .rules: try rules(into: &scenario.rules)
      case .expect: try expectations(into: &scenario.expectations)
      case .faults:
        try json.beginList("the faults")
        while try json.nextElement(isFirst: scenario.faults.isEmpty) {
          scenario.faults.append(try json.string("a fault"))
          lines[.fault(scenario.faults.count - 1)] = json.place.line
        }
      case .sessions: try sessions(into: &scenario.sessions)
      }
    }
    try json.end()
    if format == nil { throw Self.missingFormat(object.start) }
    return scenario
  }

  static func missingFormat(_ place: TextPosition) -> JSON5Error {
    JSON5Error(
      place, "this is no scenario: the key \"format\" is missing",
      "a scenario begins with format: \"\(ScenarioWords.format)\"; make one with understudy extract")
  }

  /// The error of a `format` that is not ours; `nil` for ours.
  static func refuseFormat(_ token: JSON5Token) -> JSON5Error? {
    guard case .string(let text) = token.kind else { return JSON5Reader.expected("the format", token, "write \"\(ScenarioWords.format)\"") }
    if text == ScenarioWords.format { return nil }
    let isNewer = text.hasPrefix("understudy/")
    return JSON5Error(
      token.position, "the format \(JSON5Writer.quoted(text, limit: 40)) is not known, only \"\(ScenarioWords.format)\" is",
      isNewer ? "read it with the version of understudy that wrote it" : "make a scenario with understudy extract")
  }

  private mutating func origin() throws(JSON5Error) -> Origin {
    var origin = Origin(file: "")
    var file: String?
    var object = try json.beginObject("the origin", keys: ScenarioKeys.Origin.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .file: file = try json.string("the origin's file")
      case .time: origin.time = try json.string("the origin's time")
      case .capturedAt: origin.capturedAt = try word("the capturing side", Origin.Side.self)
      case .tool: origin.tool = try json.string("the origin's tool")
      case .redacted: origin.redacted = try json.boolean("\"redacted\"")
      }
    }
    origin.file = try object.require(file, .file, "file: \"NAME\", the capture's file name")
    return origin
  }

  private mutating func device() throws(JSON5Error) -> Device {
    var device = Device()
    var address: String?
    var kind: BluetoothAddress.Kind?
    var object = try json.beginObject("the device", keys: ScenarioKeys.Device.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .address: address = try json.string("the address")
      case .addressType: kind = try addressType()
      case .addresses: device.addresses = try randomAddresses()
      case .name: device.name = try json.string("the device's name")
      case .identifier:
        let text = try json.string("the identifier")
        guard text.utf8.count == 36, BluetoothUUID(text) != nil else {
          throw JSON5Error(
            json.place, "\(JSON5Writer.quoted(text, limit: 40)) is no identifier", "write it as 6C1F93A2-0D4B-4E57-9B60-2F8A51C3D7E4")
        }
        device.identifier = text
      case .mtu: device.mtu = try json.integer("the device's MTU", in: 23...0xFFFF)
      case .sendsUnsubscribed: device.sendsUnsubscribed = try json.boolean("\"sendsUnsubscribed\"")
      case .keepsSubscriptions: device.keepsSubscriptions = try json.boolean("\"keepsSubscriptions\"")
      case .advertising: device.advertising = try advertising()
      }
    }
    if let address {
      let kind = try object.require(kind, .addressType, "addressType: \"public\" or \"random\", it belongs to the address")
      device.address = try self.address(address, kind, at: object.place(of: .address))
    } else if kind != nil {
      throw object.error(at: .addressType, "an address type stands without an address", "add address: \"C0:11:22:33:44:55\", or remove it")
    }
    return device
  }

  mutating func addressType() throws(JSON5Error) -> BluetoothAddress.Kind {
    try code("the address type", ScenarioWords.addressTypes)
  }

  private mutating func randomAddresses() throws(JSON5Error) -> [BluetoothAddress] {
    var addresses: [BluetoothAddress] = []
    try json.beginList("the device's addresses")
    while try json.nextElement(isFirst: addresses.isEmpty) { addresses.append(try randomAddress("an address of the device")) }
    return addresses
  }

  private mutating func advertising() throws(JSON5Error) -> Advertising {
    var advertising = Advertising(data: [])
    var data: [UInt8]?
    var object = try json.beginObject("the advertising", keys: ScenarioKeys.Advertising.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .data: data = try hex("the advertising data")
      case .scanResponse: advertising.scanResponse = try hex("the scan response")
      case .connectable: advertising.connectable = try json.boolean("\"connectable\"")
      case .interval: advertising.interval = try json.milliseconds("the advertising interval")
      case .rssi: advertising.rssi = try json.integer("the signal strength", in: -128...127)
      case .provenance: advertising.provenance = try word("the provenance", Provenance.self)
      }
    }
    advertising.data = try object.require(data, .data, "data: \"020106\", the advertising data in hexadecimal")
    return advertising
  }
}
