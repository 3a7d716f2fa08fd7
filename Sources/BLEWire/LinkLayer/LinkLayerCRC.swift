import ByteParsing

/// The checksum of 24 bits behind every PDU of the link layer, over x²⁴ + x¹⁰ + x⁹ + x⁶ + x⁴ + x³ + x + 1.
///
/// The three octets, read least significant first, are what ``of(_:initial:)`` gives.
/// Source: Core 5.4, Vol 6, Part B, 3.1.1.
package enum LinkLayerCRC {
  /// What the checksum of everything on the advertising channels begins with, except periodic advertising.
  package static let advertisingInitial: UInt32 = 0x55_5555

  /// The checksum of a PDU; `initial` has 24 bits, as CONNECT_IND tells them.
  package static func of(_ pdu: RawSpan, initial: UInt32) -> UInt32 {
    // The register is held with its bits reversed, since the air sends the least significant bit of an octet first.
    var register = reversed(initial)
    for index in 0..<pdu.byteCount {
      register = register >> 8 ^ table[Int((register ^ UInt32(pdu.uint8(at: index))) & 0xFF)]
    }
    return register
  }

  private static func reversed(_ value: UInt32) -> UInt32 {
    (0..<24).reduce(0) { $0 | (value >> UInt32($1) & 1) << UInt32(23 - $1) }
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xDA_6000 }
  }
}
