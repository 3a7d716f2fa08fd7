import ByteParsing

/// The link types of pcap and pcapng that hold HCI packets.
///
/// Source: tcpdump.org/linktypes.html.
package enum HCILinkType: UInt32, Sendable, Hashable, CaseIterable {
  /// LINKTYPE_BLUETOOTH_HCI_H4: the H4 indicator, then the packet.
  case h4 = 187
  /// LINKTYPE_BLUETOOTH_HCI_H4_WITH_PHDR: `direction(4)`, big-endian, bit 0 set for what the host received, then H4.
  case h4WithDirection = 201
  /// LINKTYPE_BLUETOOTH_LINUX_MONITOR: `adapter(2) opcode(2)`, big-endian, then the packet.
  case linuxMonitor = 254

  /// Reads one record; `originalLength` is the number of bytes that it had before it was cut.
  @_lifetime(copy bytes)
  package func parse(_ bytes: RawSpan, originalLength: Int) throws(LinkTypeError) -> HCILinkPacket {
    switch self {
    case .h4: return try HCILinkPacket(h4: bytes, told: nil, originalLength: originalLength)
    case .h4WithDirection:
      guard bytes.byteCount >= 5 else { throw .tooShort(needed: 5, available: bytes.byteCount) }
      // The last octet has the lowest bits.
      let direction: CaptureRecord.Direction = bytes.uint8(at: 3) & 1 == 0 ? .hostToController : .controllerToHost
      return try HCILinkPacket(h4: bytes.suffix(from: 4), told: direction, originalLength: originalLength - 4)
    case .linuxMonitor:
      guard bytes.byteCount >= 4 else { throw .tooShort(needed: 4, available: bytes.byteCount) }
      let opcode = MonitorOpcode(rawValue: bytes.uint16(at: 2).byteSwapped)
      return HCILinkPacket(
        kind: opcode.kind, direction: opcode.direction, adapter: bytes.uint16(at: 0).byteSwapped, bytes: bytes.suffix(from: 4),
        originalLength: originalLength - 4)
    }
  }
}
