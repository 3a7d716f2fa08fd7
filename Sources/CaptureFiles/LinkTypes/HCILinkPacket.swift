import BLEWire
import ByteParsing

/// One HCI packet inside a record of pcap or pcapng, over borrowed bytes.
package struct HCILinkPacket: ~Escapable {
  package let kind: CaptureRecord.Kind
  /// `nil` where neither the record nor the packet tells.
  package let direction: CaptureRecord.Direction?
  /// The controller's number; 0 where the link type knows one only.
  package let adapter: UInt16
  /// The packet without the H4 indicator.
  package let bytes: RawSpan
  /// The bytes that the packet had.
  package let originalLength: Int

  @_lifetime(copy bytes)
  init(kind: CaptureRecord.Kind, direction: CaptureRecord.Direction?, adapter: UInt16 = 0, bytes: RawSpan, originalLength: Int) {
    (self.kind, self.direction, self.adapter) = (kind, direction, adapter)
    self.bytes = bytes
    self.originalLength = max(originalLength, bytes.byteCount)
  }

  /// Reads a packet behind its H4 indicator, which is believed before the record where they differ in direction.
  @_lifetime(copy bytes)
  init(h4 bytes: RawSpan, told: CaptureRecord.Direction?, originalLength: Int) throws(LinkTypeError) {
    guard bytes.byteCount >= 1 else { throw .tooShort(needed: 1, available: 0) }
    let packet = bytes.suffix(from: 1)
    var direction = told
    let kind: CaptureRecord.Kind
    switch HCIPacketType(rawValue: bytes.uint8(at: 0)) {
    case .command: (kind, direction) = (.command, .hostToController)
    case .event: (kind, direction) = (.event, .controllerToHost)
    case .aclData:
      kind = .aclData
      direction = told ?? Self.direction(acl: packet)
    case .synchronousData: kind = .synchronousData
    case .isochronousData: kind = .isochronousData
    default: kind = .unknown(UInt32(bytes.uint8(at: 0)))
    }
    self.init(kind: kind, direction: direction, bytes: packet, originalLength: originalLength - 1)
  }

  /// Hosts and controllers mark the start of an L2CAP PDU differently on LE links (Core 5.4, Vol 4, Part E, 5.4.2).
  private static func direction(acl packet: RawSpan) -> CaptureRecord.Direction? {
    guard packet.byteCount >= 2 else { return nil }
    switch packet.uint8(at: 1) >> 4 & 3 {
    case 0: return .hostToController
    case 2: return .controllerToHost
    default: return nil
    }
  }
}
