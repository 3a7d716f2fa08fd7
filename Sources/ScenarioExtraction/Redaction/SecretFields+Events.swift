import SessionReconstruction

// Where events name devices and carry keys (Core 5.4, Vol 4, Part E, 7.7).
extension SecretFields {
  /// Events whose only field is an address, by its place among the parameters.
  private static let addresses: [UInt8: Int] = [
    0x03: 3, 0x04: 0, 0x12: 1, 0x16: 0, 0x17: 0, 0x2C: 3, 0x31: 0, 0x32: 0, 0x33: 0, 0x34: 0, 0x35: 0, 0x36: 1, 0x3B: 0, 0x3C: 0, 0x3D: 0,
  ]
  /// Commands that return `status(1) address(6)`.
  private static let returnedAddresses: Set<UInt16> = [
    0x0408, 0x040B, 0x040C, 0x040D, 0x040E, 0x041A, 0x042B, 0x042C, 0x042D, 0x042E, 0x042F, 0x0430, 0x0433, 0x0434, 0x0445, 0x1009, 0x202B,
    0x202C,
  ]

  /// `code(1) length(1) parameters(length)`
  static func event(_ bytes: RawSpan) -> SecretFields {
    var fields = SecretFields(count: bytes.byteCount)
    guard bytes.byteCount > 2 else { return fields }
    let code = bytes.uint8(at: 0)
    let start = 2
    if let place = addresses[code] { fields.add(.address, at: start + place, 6) }
    switch code {
    // Disconnection, encryption, command status, completed packets: nothing but numbers.
    case 0x05, 0x08, 0x0F, 0x13, 0x30: break
    // Inquiry results: fourteen bytes each.
    case 0x02, 0x22: for entry in 0..<Int(bytes.uint8(at: start)) { fields.add(.address, at: start + 1 + 14 * entry, 6) }
    // Remote Name Request Complete.
    case 0x07:
      fields.add(.address, at: start + 1, 6)
      fields.add(.name, from: start + 7)
    case 0x0E: fields.returned(bytes, at: start)
    // Return Link Keys.
    case 0x15: for entry in 0..<Int(bytes.uint8(at: start)) { fields.addAddressAndKey(at: start + 1 + 22 * entry) }
    // Link Key Notification.
    case 0x18: fields.addAddressAndKey(at: start)
    // Extended Inquiry Result.
    case 0x2F:
      fields.add(.address, at: start + 1, 6)
      fields.add(.advertising, from: start + 15)
    case 0x3E: fields.lowEnergy(bytes, at: start)
    case 0xFF: fields.add(.opaque, from: start)
    default: if addresses[code] == nil { fields.add(.data, from: start) }
    }
    return fields
  }

  /// Command Complete: `packets(1) opcode(2) returnParameters(…)`
  private mutating func returned(_ bytes: RawSpan, at start: Int) {
    guard bytes.byteCount > start + 3 else { return }
    let opcode = bytes.uint16(at: start + 1)
    let values = start + 4
    switch opcode {
    case _ where Self.returnedAddresses.contains(opcode): add(.address, at: values, 6)
    // Read Local Name, Read Extended Inquiry Response, Read Local OOB Data in both forms, LE Encrypt.
    case 0x0C14: add(.name, from: values)
    case 0x0C51: add(.advertising, from: values + 1)
    case 0x0C57, 0x0C7D: for key in 0..<(opcode == 0x0C57 ? 2 : 4) { add(.key, at: values + 16 * key, 16) }
    case 0x2017: add(.key, at: values, 16)
    case 0xFC00...0xFFFF: add(.opaque, from: values)
    default: break
    }
  }

  /// LE Meta: `subevent(1) parameters(…)`
  private mutating func lowEnergy(_ bytes: RawSpan, at start: Int) {
    switch bytes.uint8(at: start) {
    case 0x01: add(.address, at: start + 6, 6)
    // With the resolvable addresses of both ends.
    case 0x0A, 0x29: for place in 0..<3 { add(.address, at: start + 6 + 6 * place, 6) }
    case 0x02: reports(bytes, at: start + 1, address: 2, length: 8, behind: 1, areExtended: false)
    case 0x0D: reports(bytes, at: start + 1, address: 3, length: 23, behind: 0, areExtended: true)
    // Directed advertising: sixteen bytes a report, two addresses each.
    case 0x0B:
      guard bytes.byteCount > start + 1 else { break }
      for report in 0..<Int(bytes.uint8(at: start + 1)) {
        add(.address, at: start + 4 + 16 * report, 6)
        add(.address, at: start + 11 + 16 * report, 6)
      }
    // Generate DHKey Complete.
    case 0x09: for half in 0..<2 { add(.key, at: start + 2 + 16 * half, 16) }
    // Periodic advertising: found, told, transferred; Scan Request Received.
    case 0x0E, 0x24: add(.address, at: start + 6, 6)
    // `sync(2) … status(1) length(1) data(length)`: with status 1 more is to come.
    case 0x0F, 0x25:
      let place = start + (bytes.uint8(at: start) == 0x0F ? 8 : 11)
      guard bytes.byteCount > place else { break }
      let sync = [bytes.uint8(at: start), bytes.uint8(at: start + 1), bytes.uint8(at: start + 2)]
      add(
        .advertising, from: place, part: AdvertisingPart(key: sync, isFirst: false, isLast: bytes.uint8(at: place - 2) != 1))
    case 0x18, 0x26: add(.address, at: start + 10, 6)
    case 0x13: add(.address, at: start + 3, 6)
    default: break
    }
  }

  /// Advertising reports: so many, each with an address at a place, the length of its data at another, and bytes behind the data.
  private mutating func reports(_ bytes: RawSpan, at start: Int, address: Int, length: Int, behind: Int, areExtended: Bool) {
    guard bytes.byteCount > start else { return }
    var place = start + 1
    for _ in 0..<Int(bytes.uint8(at: start)) where place + length < bytes.byteCount {
      add(.address, at: place + address, 6)
      // The address that a directed report is for stands before the data.
      if areExtended { add(.address, at: place + 17, 6) }
      let data = Int(bytes.uint8(at: place + length))
      var part: AdvertisingPart?
      if areExtended {
        // Kind of advertising (not whether it is whole), address, and number of the set; bits 5 and 6 are 1 where more is to come.
        let key = (Array((place + 2)...(place + 8)) + [place + 11]).map { bytes.uint8(at: $0) } + [bytes.uint8(at: place) & 0x1F]
        part = AdvertisingPart(key: key, isFirst: false, isLast: bytes.uint8(at: place) >> 5 & 3 != 1)
      }
      add(.advertising, at: place + length + 1, data, part: part)
      place += length + 1 + data + behind
    }
  }
}
