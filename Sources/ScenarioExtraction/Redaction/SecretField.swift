import SessionReconstruction

/// A part of a packet that points to a person or a device.
struct SecretField {
  enum Kind {
    /// Six octets, the least significant first.
    case address
    /// Text, filled up with zeros.
    case name
    /// A key, or what a key can be computed from.
    case key
    /// AD structures, in which names and addresses stand.
    case advertising
    /// Bytes in which anything may stand: what is secret elsewhere is looked for.
    case data
    /// Bytes of a layout that nobody knows, or of no use to a replay: they are cleared.
    case opaque
  }
  var kind: Kind
  /// Bytes of the packet; no further than they were kept.
  var bytes: Range<Int>
  /// Where advertising data may be one part of several.
  var part: AdvertisingPart?
}

/// Collects the fields of one packet.
struct SecretFields {
  private(set) var fields: [SecretField] = []
  /// How many bytes of the packet were kept.
  private let count: Int

  init(count: Int) { self.count = count }

  mutating func add(_ kind: SecretField.Kind, at start: Int, _ length: Int, part: AdvertisingPart? = nil) {
    let range = max(0, min(start, count))..<max(0, min(start + length, count))
    guard !range.isEmpty else { return }
    // Of a cut address or key nobody can tell which it is.
    let isCut = range.count < length && (kind == .address || kind == .key)
    fields.append(SecretField(kind: isCut ? .opaque : kind, bytes: range, part: part))
  }

  /// From `start` to the end of the packet.
  mutating func add(_ kind: SecretField.Kind, from start: Int, part: AdvertisingPart? = nil) {
    add(kind, at: start, max(0, count - start), part: part)
  }
}

extension SecretFields {
  /// The fields of a record.
  static func of(_ record: borrowing CaptureRecord) -> SecretFields {
    let bytes = record.bytes
    switch record.kind {
    case .command: return command(bytes)
    case .event: return event(bytes)
    case .aclData: return acl(bytes)
    case .linkLayer: return SecretFields(count: bytes.byteCount)
    case .synchronousData: return opaque(bytes, from: 3)
    case .isochronousData: return opaque(bytes, from: 4)
    case .adapter: return adapter(record)
    case .transport, .note, .unknown: return opaque(bytes, from: 0)
    }
  }

  private static func opaque(_ bytes: RawSpan, from start: Int) -> SecretFields {
    var fields = SecretFields(count: bytes.byteCount)
    fields.add(.opaque, from: start)
    return fields
  }

  /// New Index: `type(1) bus(1) address(6) name(8)`; Index Information: `address(6) manufacturer(2)` (BlueZ, btmon's monitor protocol).
  private static func adapter(_ record: borrowing CaptureRecord) -> SecretFields {
    var fields = SecretFields(count: record.bytes.byteCount)
    switch record.typeNumber {
    case 0: fields.add(.address, at: 2, 6)
    case 10: fields.add(.address, at: 0, 6)
    default: break
    }
    return fields
  }

  private static func acl(_ bytes: RawSpan) -> SecretFields {
    var fields = SecretFields(count: bytes.byteCount)
    guard let packet = try? ACLDataView(parsing: bytes) else { return fields }
    fields.l2cap(bytes, at: 4, isStart: packet.boundary != .continuing)
    return fields
  }

  /// What a packet carries of a PDU of L2CAP; one in several packets is looked at when it is whole, too.
  mutating func l2cap(_ bytes: RawSpan, at start: Int, isStart: Bool) {
    guard isStart, start + L2CAPHeader.byteCount <= bytes.byteCount else { return add(.data, from: start) }
    let channel = bytes.uint16(at: start + 2)
    payload(bytes.extracting(start..<bytes.byteCount), channel: L2CAPChannel(rawValue: channel), at: start)
  }

  /// The fields of an L2CAP PDU, header included, that begins `offset` bytes into the packet.
  mutating func payload(_ pdu: RawSpan, channel: L2CAPChannel, at offset: Int) {
    let start = L2CAPHeader.byteCount
    guard pdu.byteCount > start else { return }
    switch channel {
    case .securityManager, L2CAPChannel(rawValue: 7): security(pdu.uint8(at: start), at: offset + start + 1)
    case .attribute: attribute(pdu.extracting(start..<pdu.byteCount), at: offset + start)
    case .leSignalling, .classicSignalling: break
    default: add(.data, from: offset + start)
    }
  }

  /// Core 5.4, Vol 3, Part H, 3.5 and 3.6; from confirm and random values the key of a weak pairing can be computed.
  private mutating func security(_ opcode: UInt8, at start: Int) {
    switch opcode {
    case 0x03, 0x04, 0x06, 0x08, 0x0A, 0x0D: add(.key, at: start, 16)
    case 0x07: add(.key, at: start + 2, 8)
    case 0x09: add(.address, at: start + 1, 6)
    default: break
    }
  }

  /// Values; what discovery tells stays, since a replay needs it.
  private mutating func attribute(_ pdu: RawSpan, at start: Int) {
    let opcode = pdu.uint8(at: 0)
    switch opcode {
    case 0x01...0x08, 0x10, 0x11: break
    // Characteristic declarations are 7 or 21 bytes long.
    case 0x09: if pdu.byteCount > 2, ![7, 21].contains(pdu.uint8(at: 1)) { add(.data, from: start + 2) }
    case 0x0B, 0x0D, 0x0F, 0x21: add(.data, from: start + 1)
    default: add(.data, from: start + 3)
    }
  }
}
