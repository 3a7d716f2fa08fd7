import ByteParsing

extension LinkLayerPacket {
  /// Reads a record of LINKTYPE_NORDIC_BLE in one of its four versions.
  ///
  /// Version 0: `0xBE 0xEF message(1) counter(2) unused(2) payloadLength(1)`.
  /// Version 1: `board(1) headerLength(1) payloadLength(1) version(1) counter(2) message(1)`.
  /// Versions 2 and 3: `board(1) payloadLength(2) version(1) counter(2) message(1)`.
  /// Then `length(1)`, which version 0 has not, `flags(1) channel(1) RSSI(1) eventCounter(2) time(4)`, and the packet from
  /// its access address on, without the octet of padding that the sniffer sends behind the header.
  /// Bits of the flags: 0 CRC valid, 4–6 PHY; on links 1 from the central, 2 encrypted, 3 MIC valid; on advertising channels
  /// of version 3 1–2 auxiliary PDU. Source: tcpdump.org/linktypes/LINKTYPE_NORDIC_BLE.html, nRF Sniffer's UART protocol.
  @_lifetime(copy bytes)
  init(nordicSniffer bytes: RawSpan) throws(LinkTypeError) {
    let header = try NordicHeader(parsing: bytes)
    let event = bytes.extracting(header.start..<header.end)
    // The fields without the length octet before them.
    let fields = header.version == 0 ? 0 : 1
    guard event.byteCount >= fields + 9 else { throw .tooShort(needed: header.start + fields + 9, available: header.end) }
    let eventLength = header.version == 0 ? 9 : Int(event.uint8(at: 0))
    guard eventLength >= fields + 9 else { throw .badHeaderLength(eventLength) }
    let flags = event.uint8(at: fields)
    let modulation = PHY(rawValue: flags >> 4 & 7)
    // Before version 3 the same message brought packets of all channels, and other tools write no number at all.
    let layout: PhysicalChannel? = header.version < 3 || header.message == 0 ? nil : header.message == 2 ? .advertising : .data
    try self.init(
      parsing: event.suffix(from: eventLength), hasCodingIndicator: modulation == .coded, physicalChannel: layout,
      crcIsValid: flags & 1 != 0)
    phy = modulation
    board = header.board
    let index = Int(event.uint8(at: fields + 1))
    channel = index < 40 ? index : nil
    rssi = -Int(event.uint8(at: fields + 2))
    switch physicalChannel {
    case .advertising:
      if header.version >= 3, index < 37 { auxiliary = Auxiliary(rawValue: flags >> 1 & 3) }
    case .data, .isochronous:
      isCentralToPeripheral = flags & 2 != 0
      isDecrypted = flags & 12 == 12
      isEncryptedBySniffer = flags & 12 == 4
    }
  }
}

/// The part of a record that the sniffer puts before every message.
private struct NordicHeader {
  var version: UInt8
  var board: UInt8 = 0
  var message: UInt8
  /// Where the message's own bytes begin and end.
  var start: Int
  var end: Int

  init(parsing bytes: RawSpan) throws(LinkTypeError) {
    guard bytes.byteCount >= 8 else { throw .tooShort(needed: 8, available: bytes.byteCount) }
    let length: Int
    if Self.isLegacy(bytes) {
      (version, message, start, length) = (0, bytes.uint8(at: 2), 8, Int(bytes.uint8(at: 7)))
    } else {
      (version, board, message) = (bytes.uint8(at: 3), bytes.uint8(at: 0), bytes.uint8(at: 6))
      switch version {
      case 1:
        let told = Int(bytes.uint8(at: 1))
        guard told >= 6 else { throw .badHeaderLength(told) }
        (start, length) = (1 + told, Int(bytes.uint8(at: 2)))
      case 2, 3: (start, length) = (7, Int(bytes.uint16(at: 1)))
      default: throw .unsupportedVersion(Int(version))
      }
    }
    guard start <= bytes.byteCount else { throw .tooShort(needed: start, available: bytes.byteCount) }
    end = min(start + length, bytes.byteCount)
    // 6 is a packet, from version 3 on one of a link, and 2 an advertised one; some tools leave 0. All else is between host and sniffer.
    guard [0, 2, 6].contains(message) else { throw .notAPacket(message) }
  }

  /// Whether the record begins with the mark of version 0, and not with board 0xBE and a payload of 0xEF bytes.
  private static func isLegacy(_ bytes: RawSpan) -> Bool {
    guard bytes.uint16(at: 0) == 0xEFBE else { return false }
    return ![2, 3].contains(bytes.uint8(at: 3)) || 7 + Int(bytes.uint16(at: 1)) != bytes.byteCount
  }
}
