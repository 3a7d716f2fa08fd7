import ByteParsing

/// Builds a PacketLogger file in its big-endian layout, record by record.
public struct PacketLoggerWriter: CaptureWriter {
  private var writer = ByteWriter(capacity: 1 << 12)

  /// An empty file; there is no header.
  public init() {}

  public mutating func takeBytes() -> [UInt8] {
    defer { writer.bytes.removeAll(keepingCapacity: true) }
    return writer.bytes
  }

  public mutating func append(_ record: borrowing CaptureRecord) -> CaptureLoss? {
    let received = record.direction == .controllerToHost
    let type: UInt8
    switch record.kind {
    case .command: type = 0x00
    case .event: type = 0x01
    case .aclData: type = received ? 0x03 : 0x02
    case .synchronousData: type = received ? 0x09 : 0x08
    // Text and vendors' data that came from such a file keep their number.
    case .note: type = (0xF0...0xFF).contains(record.typeNumber) ? UInt8(record.typeNumber) : 0xFC
    case .transport: return nil
    case .unknown, .isochronousData, .adapter, .linkLayer: return .record
    }
    guard record.bytes.byteCount + PacketLoggerFormat.countedByteCount <= PacketLoggerFormat.detectedByteLimit else { return .record }
    let time = record.recordedTime
    let seconds = UInt32(clamping: time.seconds)
    writer.uint32BigEndian(UInt32(clamping: record.bytes.byteCount + PacketLoggerFormat.countedByteCount))
    writer.uint32BigEndian(seconds)
    writer.uint32BigEndian(Int64(seconds) == time.seconds ? UInt32(time.nanoseconds / 1000) : 0)
    writer.uint8(type)
    writer.bytes.append(contentsOf: record.bytes)
    if Int64(seconds) != time.seconds { return .time }
    if record.isTruncated { return .originalLength }
    if record.adapter != 0 { return .adapter }
    return time.nanoseconds % 1000 == 0 ? nil : .time
  }
}
