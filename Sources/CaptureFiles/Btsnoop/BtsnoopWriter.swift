public import BLEWire
import ByteParsing

/// Builds a btsnoop file in memory, record by record.
public struct BtsnoopWriter: Sendable {
  public let datalink: BtsnoopDatalink
  private var writer = ByteWriter(capacity: 1 << 12)

  /// Begins with the file header.
  public init(datalink: BtsnoopDatalink = .hciUART) {
    self.datalink = datalink
    writer.append(BtsnoopFormat.magic)
    writer.uint32BigEndian(1)
    writer.uint32BigEndian(datalink.rawValue)
  }

  /// The file so far.
  public var bytes: [UInt8] { writer.bytes }

  /// Appends one HCI packet, without its H4 indicator.
  ///
  /// `originalLength` is the packet's length where fewer of its bytes are given; `drops` is the number of packets lost so far.
  public mutating func append(
    _ packet: [UInt8], type: HCIPacketType, direction: CaptureRecord.Direction, time: CaptureTime, adapter: UInt16 = 0,
    originalLength: Int? = nil, drops: UInt32 = 0
  ) {
    let indicator = datalink == .hciUART ? 1 : 0
    writer.uint32BigEndian(UInt32(clamping: (originalLength ?? packet.count) + indicator))
    writer.uint32BigEndian(UInt32(clamping: packet.count + indicator))
    writer.uint32BigEndian(flags(type: type, direction: direction, adapter: adapter))
    writer.uint32BigEndian(drops)
    writer.uint64BigEndian(UInt64(bitPattern: time.microseconds.addingReportingOverflow(BtsnoopFormat.epoch).partialValue))
    if indicator == 1 { writer.uint8(type.rawValue) }
    writer.append(packet)
  }

  private func flags(type: HCIPacketType, direction: CaptureRecord.Direction, adapter: UInt16) -> UInt32 {
    guard datalink == .monitor else {
      let control: UInt32 = type == .command || type == .event ? 2 : 0
      return control | UInt32(direction.rawValue)
    }
    let received = direction == .controllerToHost
    let opcode: UInt32 =
      switch type {
      case .command: 2
      case .event: 3
      case .aclData: received ? 5 : 4
      case .synchronousData: received ? 7 : 6
      default: received ? 19 : 18
      }
    return UInt32(adapter) << 16 | opcode
  }
}
