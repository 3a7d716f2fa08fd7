import SessionReconstruction

// Where commands name devices and carry keys (Core 5.4, Vol 4, Part E, 7.1 to 7.8).
extension SecretFields {
  /// Commands whose only field is an address, by its place among the parameters.
  private static let addresses: [UInt16: Int] = [
    // Link control.
    0x0405: 0, 0x0408: 0, 0x0409: 0, 0x040A: 0, 0x040C: 0, 0x040E: 0, 0x0419: 0, 0x041A: 0, 0x0429: 0, 0x042A: 0, 0x042B: 0, 0x042C: 0,
    0x042D: 0, 0x042F: 0, 0x0433: 0, 0x0434: 0, 0x043E: 0,
    // Link policy, controller and baseband.
    0x080B: 0, 0x0C0D: 0, 0x0C12: 0,
    // LE controller: own, peer and listed addresses.
    0x2005: 0, 0x2006: 7, 0x200D: 6, 0x2011: 1, 0x2012: 1, 0x2028: 1, 0x202B: 1, 0x202C: 1, 0x2035: 1, 0x2036: 12, 0x2043: 3, 0x2044: 3,
    0x2047: 1, 0x2048: 1, 0x204E: 1, 0x2085: 5,
  ]

  /// `opcode(2) length(1) parameters(length)`
  static func command(_ bytes: RawSpan) -> SecretFields {
    var fields = SecretFields(count: bytes.byteCount)
    guard bytes.byteCount > 3 else { return fields }
    let opcode = bytes.uint16(at: 0)
    let start = 3
    if let place = addresses[opcode] { fields.add(.address, at: start + place, 6) }
    switch opcode {
    // Link Key Request Reply, PIN Code Request Reply.
    case 0x040B: fields.addAddressAndKey(at: start)
    case 0x040D:
      fields.add(.address, at: start, 6)
      fields.add(.opaque, at: start + 7, 16)
    // User Passkey Request Reply.
    case 0x042E:
      fields.add(.address, at: start, 6)
      fields.add(.opaque, at: start + 6, 4)
    // Remote OOB Data Request Reply, and its extended form.
    case 0x0430, 0x0445:
      fields.add(.address, at: start, 6)
      for key in 0..<(opcode == 0x0430 ? 2 : 4) { fields.add(.key, at: start + 6 + 16 * key, 16) }
    // Set Event Filter for one device.
    case 0x0C05: if bytes.byteCount == start + 8 || bytes.byteCount == start + 9 { fields.add(.address, at: start + 2, 6) }
    // Write Stored Link Key.
    case 0x0C11: for entry in 0..<Int(bytes.uint8(at: start)) { fields.addAddressAndKey(at: start + 1 + 22 * entry) }
    // Write Local Name, Write Extended Inquiry Response.
    case 0x0C13: fields.add(.name, from: start)
    case 0x0C52: fields.add(.advertising, from: start + 1)
    // Advertising and scan response data: legacy, extended, periodic.
    case 0x2008, 0x2009: fields.add(.advertising, from: start + 1)
    // `set(1) operation(1) …`: the first of several parts is 1, the last 2, one that is all of it 3.
    case 0x2037, 0x2038, 0x203F:
      guard bytes.byteCount > start + 1 else { break }
      let operation = bytes.uint8(at: start + 1)
      let part = AdvertisingPart(
        key: [bytes.uint8(at: 0), bytes.uint8(at: start)], isFirst: operation == 1 || operation == 3, isLast: operation >= 2)
      fields.add(.advertising, from: start + (opcode == 0x203F ? 3 : 4), part: part)
    // LE Encrypt: key and plaintext.
    case 0x2017:
      fields.add(.key, at: start, 16)
      fields.add(.key, at: start + 16, 16)
    // LE Enable Encryption: `handle(2) random(8) diversifier(2) key(16)`; LE Long Term Key Request Reply.
    case 0x2019:
      fields.add(.key, at: start + 2, 8)
      fields.add(.key, at: start + 12, 16)
    case 0x201A: fields.add(.key, at: start + 2, 16)
    // LE Add Device To Resolving List: two IRKs.
    case 0x2027:
      fields.add(.address, at: start + 1, 6)
      fields.add(.key, at: start + 7, 16)
      fields.add(.key, at: start + 23, 16)
    // Of a vendor's commands nobody knows the layout; some set the controller's address.
    case 0xFC00...0xFFFF: fields.add(.opaque, from: start)
    default: if addresses[opcode] == nil { fields.add(.data, from: start) }
    }
    return fields
  }

  mutating func addAddressAndKey(at start: Int) {
    add(.address, at: start, 6)
    add(.key, at: start + 6, 16)
  }
}
