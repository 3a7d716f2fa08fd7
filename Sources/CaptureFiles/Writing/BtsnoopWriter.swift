public import BLEWire
import ByteParsing

/// Builds a btsnoop file, record by record.
public struct BtsnoopWriter: CaptureWriter {
  public let datalink: BtsnoopDatalink
  private var writer = ByteWriter(capacity: 1 << 12)

  /// Begins with the file header.
  public init(datalink: BtsnoopDatalink = .hciUART) {
    self.datalink = datalink
    writer.append(BtsnoopFormat.magic)
    writer.uint32BigEndian(1)
    writer.uint32BigEndian(datalink.rawValue)
  }

  /// The bytes that were not taken yet.
  public var bytes: [UInt8] { writer.bytes }

  public mutating func takeBytes() -> [UInt8] {
    defer { writer.bytes.removeAll(keepingCapacity: true) }
    return writer.bytes
  }

  public mutating func append(_ record: borrowing CaptureRecord) -> CaptureLoss? {
    if record.kind == .transport { return nil }
    guard record.bytes.byteCount < BtsnoopFormat.maximumRecordByteCount else { return .record }
    switch datalink {
    case .hciUART:
      guard let indicator = record.kind.indicator else { return .record }
      append(
        record.bytes, indicator: indicator, flags: Self.plainFlags(record.kind, record.direction), time: record.recordedTime,
        originalLength: record.originalLength)
      return Self.loss(of: record)
    case .hciUnencapsulated:
      switch record.kind {
      case .command, .event, .aclData: break
      default: return .record
      }
      append(
        record.bytes, indicator: nil, flags: Self.plainFlags(record.kind, record.direction), time: record.recordedTime,
        originalLength: record.originalLength)
      return Self.loss(of: record)
    case .simulator: return .record
    case .monitor:
      guard let opcode = MonitorOpcode(record) else { return .record }
      append(
        record.bytes, indicator: nil, flags: UInt32(record.adapter) << 16 | UInt32(opcode.rawValue), time: record.recordedTime,
        originalLength: record.originalLength)
      return Self.loss(of: record.recordedTime)
    }
  }

  private static func loss(of record: borrowing CaptureRecord) -> CaptureLoss? {
    loss(of: record.recordedTime) ?? (record.adapter == 0 ? nil : .adapter)
  }

  /// Times are whole microseconds, as many as 64 bits count from the format's own year 0.
  private static func loss(of time: CaptureTime) -> CaptureLoss? {
    let (_, overflow) = time.microseconds.addingReportingOverflow(BtsnoopFormat.epoch)
    return !overflow && time.fitsMicroseconds && time.nanoseconds % 1000 == 0 ? nil : .time
  }

  /// Appends one HCI packet, without its H4 indicator.
  ///
  /// `originalLength` is the packet's length where fewer of its bytes are given; `drops` is the number of packets lost so far.
  public mutating func append(
    _ packet: [UInt8], type: HCIPacketType, direction: CaptureRecord.Direction, time: CaptureTime, adapter: UInt16 = 0,
    originalLength: Int? = nil, drops: UInt32 = 0
  ) {
    let kind: CaptureRecord.Kind =
      switch type {
      case .command: .command
      case .event: .event
      case .aclData: .aclData
      case .synchronousData: .synchronousData
      case .isochronousData: .isochronousData
      default: .unknown(UInt32(type.rawValue))
      }
    let flags =
      datalink == .monitor
      ? UInt32(adapter) << 16 | UInt32(MonitorOpcode(kind, direction)?.rawValue ?? 0) : Self.plainFlags(kind, direction)
    append(
      packet.byteSpan, indicator: datalink == .hciUART ? type.rawValue : nil, flags: flags, time: time,
      originalLength: originalLength ?? packet.count, drops: drops)
  }

  private static func plainFlags(_ kind: CaptureRecord.Kind, _ direction: CaptureRecord.Direction) -> UInt32 {
    let control: UInt32 = kind == .command || kind == .event ? 2 : 0
    return control | UInt32(direction.rawValue)
  }

  private mutating func append(
    _ packet: RawSpan, indicator: UInt8?, flags: UInt32, time: CaptureTime, originalLength: Int, drops: UInt32 = 0
  ) {
    let extra = indicator == nil ? 0 : 1
    writer.uint32BigEndian(UInt32(clamping: originalLength + extra))
    writer.uint32BigEndian(UInt32(clamping: packet.byteCount + extra))
    writer.uint32BigEndian(flags)
    writer.uint32BigEndian(drops)
    let (stamp, overflow) = time.microseconds.addingReportingOverflow(BtsnoopFormat.epoch)
    writer.uint64BigEndian(UInt64(bitPattern: overflow ? .max : stamp))
    if let indicator { writer.uint8(indicator) }
    writer.bytes.append(contentsOf: packet)
  }
}
