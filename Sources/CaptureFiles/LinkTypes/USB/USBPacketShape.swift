import BLEWire
import ByteParsing

/// The lengths by which HCI packets are told from other devices' data, and cut from transfers.
enum USBPacketShape {
  case command, event, aclData

  /// How many bytes tell the length of a packet.
  var headerLength: Int {
    switch self {
    case .command: 3
    case .event: 2
    case .aclData: 4
    }
  }

  /// The length of the packet that begins so; `nil` where its header is not complete.
  func packetLength(_ bytes: RawSpan) -> Int? {
    guard bytes.byteCount >= headerLength else { return nil }
    switch self {
    case .command: return 3 + Int(bytes.uint8(at: 2))
    case .event: return 2 + Int(bytes.uint8(at: 1))
    case .aclData: return 4 + Int(bytes.uint16(at: 2))
    }
  }

  /// Whether a transfer is an HCI packet beyond reasonable doubt: keyboards and disks use endpoints of the same numbers.
  func isCertain(_ bytes: RawSpan, originalLength: Int) -> Bool {
    guard packetLength(bytes) == originalLength else { return false }
    switch self {
    case .command: return true
    case .event:
      switch HCIEventCode(rawValue: bytes.uint8(at: 0)) {
      case .commandComplete: return originalLength >= 5
      case .commandStatus, .disconnectionComplete: return originalLength == 6
      case .numberOfCompletedPackets:
        return bytes.byteCount >= 3 && bytes.uint8(at: 2) > 0 && originalLength == 3 + 4 * Int(bytes.uint8(at: 2))
      case .leMeta: return originalLength >= 4 && bytes.byteCount >= 3 && (0x01...0x30).contains(bytes.uint8(at: 2))
      default: return false
      }
    case .aclData:
      guard bytes.byteCount >= 8, let header = L2CAPHeader(parsing: bytes.suffix(from: 4)) else { return false }
      let flags = bytes.uint16(at: 0)
      let isStart = flags >> 12 == 0 || flags >> 12 == 2
      return isStart && flags & 0x0FFF < 0x0F00 && (1...7).contains(header.channel.rawValue)
        && originalLength == 4 + L2CAPHeader.byteCount + header.length
    }
  }
}
