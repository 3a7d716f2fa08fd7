import ByteParsing

extension LinkLayerPacket {
  /// Reads a record of LINKTYPE_PPI, as Ubertooth writes it.
  ///
  /// `version(1) flags(1) length(2) linkType(4) { type(2) length(2) data(length) }*`, all little-endian, then the packet. With
  /// bit 0 of the flags every field begins at a multiple of four bytes. Field 30006 holds Ubertooth's
  /// `version(1) MHz(2) clockHigh(1) clock(4) maxRSSI(1) minRSSI(1) averageRSSI(1) RSSICount(1)`; its strengths are the radio's
  /// register, whose offset differs between programs, so they are left out. A user's link type with that field is the bare
  /// link layer, whatever `userTypes` tells. Source: tcpdump.org/linktypes/LINKTYPE_PPI.html, Ubertooth's captures.
  @_lifetime(copy bytes)
  init(perPacketInformation bytes: RawSpan, userTypes: [UInt32: LinkLayerLinkType]) throws(LinkTypeError) {
    guard bytes.byteCount >= 8 else { throw .tooShort(needed: 8, available: bytes.byteCount) }
    guard bytes.uint8(at: 0) == 0 else { throw .unsupportedVersion(Int(bytes.uint8(at: 0))) }
    let length = Int(bytes.uint16(at: 2))
    guard length >= 8 else { throw .badHeaderLength(length) }
    guard length <= bytes.byteCount else { throw .tooShort(needed: length, available: bytes.byteCount) }
    let frequency = Self.ubertoothFrequency(in: bytes.extracting(8..<length), isAligned: bytes.uint8(at: 1) & 1 != 0)
    let number = bytes.uint32(at: 4)
    let isUserType = LinkLayerLinkType.userTypes.contains(number)
    let type = isUserType ? (frequency != nil ? .bare : userTypes[number]) : LinkLayerLinkType(rawValue: number)
    let packet = bytes.suffix(from: length)
    switch type {
    case .bare: try self.init(parsing: packet)
    case .withRadioHeader: try self.init(radioHeader: packet)
    case .nordicSniffer: try self.init(nordicSniffer: packet)
    // Information about information would let a record nest without end.
    case .perPacketInformation, nil: throw .unsupportedInnerType(number)
    }
    if channel == nil, let frequency, frequency >= 2402, frequency % 2 == 0 {
      channel = Self.channel(radioFrequency: (frequency - 2402) / 2)
    }
  }

  /// The megahertz in Ubertooth's field; `nil` where there is no such field.
  private static func ubertoothFrequency(in fields: RawSpan, isAligned: Bool) -> Int? {
    var offset = 0
    while fields.byteCount - offset >= 4 {
      let (type, length) = (fields.uint16(at: offset), Int(fields.uint16(at: offset + 2)))
      offset += 4
      guard length <= fields.byteCount - offset else { return nil }
      if type == 30006, length >= 3, fields.uint8(at: offset) == 0 { return Int(fields.uint16(at: offset + 1)) }
      offset += isAligned ? (length + 3) & ~3 : length
    }
    return nil
  }
}
