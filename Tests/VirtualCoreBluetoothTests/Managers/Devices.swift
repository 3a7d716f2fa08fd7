import ReplayScenarios

/// Small devices for tests of the face.
enum Devices {
  static let name = AttributeHandle(3)
  static let value = AttributeHandle(13)

  static func attribute(_ handle: UInt16, _ kind: Attribute.Kind, _ content: [UInt8]? = nil) -> Attribute {
    Attribute(handle: AttributeHandle(handle), kind: kind, content: content)
  }

  static func uuid(_ short: UInt16) -> BluetoothUUID { BluetoothUUID(short) }

  /// GAP with a name, and a service 180D with 2A38 (read, write) at 0x000D, 2A37 (notify) at 0x000F and its descriptor.
  static let database: [Attribute] = [
    attribute(1, .service(uuid: uuid(0x1800), primary: true, end: AttributeHandle(9))),
    attribute(2, .characteristic(uuid: uuid(0x2A00), properties: 0x02, value: AttributeHandle(3)), Array("Strap".utf8)),
    attribute(10, .service(uuid: uuid(0x180D), primary: true, end: AttributeHandle(19))),
    attribute(12, .characteristic(uuid: uuid(0x2A38), properties: 0x0A, value: AttributeHandle(13)), [1]),
    attribute(14, .characteristic(uuid: uuid(0x2A37), properties: 0x10, value: AttributeHandle(15)), [0, 60]),
    attribute(16, .descriptor(uuid: uuid(0x2902)), [0, 0]),
  ]

  /// Flags, the services 180D and 180F, and a name in the scan response.
  static let advertising = Advertising(
    data: [2, 1, 6, 5, 3, 0x0D, 0x18, 0x0F, 0x18], scanResponse: [6, 9] + Array("Strap".utf8), interval: .milliseconds(100), rssi: -55)

  static func strap(_ entries: [TimelineEntry] = [], identifier: String? = nil, advertising: Advertising = Self.advertising) -> Scenario {
    Scenario(
      device: Device(
        address: BluetoothAddress(0xC0AA_BBCC_DDEE, kind: .random), name: "Strap", identifier: identifier, advertising: advertising),
      database: database, sessions: [Session(entries: entries)])
  }

  /// A strap that hangs up after a time.
  static func hangingUp(after time: Duration, reason: HCIErrorCode = .remoteUserTerminatedConnection) -> Scenario {
    strap([TimelineEntry(at: time, origin: .peripheral, action: .disconnect(reason), anchor: Anchor(.connection, delay: time))])
  }

  /// A read that is refused until the devices have paired: the error, the pairing, the value.
  static func protected(_ error: ATTErrorCode = .insufficientAuthentication) -> Scenario {
    strap([
      TimelineEntry(at: .milliseconds(500), action: .read(value), answer: .error(error), latency: .milliseconds(10)),
      TimelineEntry(
        at: .milliseconds(530), action: .link(.pair(Pairing(method: .numericComparison))), answer: .ok, latency: .milliseconds(800)),
      TimelineEntry(at: .milliseconds(1330), action: .link(.encrypt(.paired)), answer: .ok, latency: .milliseconds(20)),
      TimelineEntry(at: .milliseconds(1400), action: .read(value), answer: .value([7]), latency: .milliseconds(10)),
    ])
  }
}
