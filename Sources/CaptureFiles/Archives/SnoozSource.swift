import ByteParsing

/// A snooz, handed out as the btsnoop file (datalink 1002) that would hold the same packets; layout in ``SnoozFormat``.
///
/// Times count back from the last packet, so everything is inflated first: a ring of 256 KiB, for which 64 MiB are a wide limit.
final class SnoozSource: DamageTelling {
  static let byteLimit = 1 << 26

  private(set) var damage: String?
  /// Whether the packets' times are known; where not, all carry that of the last one.
  let keepsTimes: Bool
  private let format: SnoozFormat
  private let bytes: [UInt8]
  private var offset = 0
  private var time: Int64
  private var pending: [UInt8]
  private var position = 0

  /// Reads and inflates all of `source`; `file` is for messages.
  init(_ source: any ByteSource, file: String) throws(CaptureError) {
    var source = source
    let header = try source.readAll(upTo: SnoozFormat.headerByteCount)
    guard let format = SnoozFormat(header.byteSpan) else {
      throw CaptureError(
        .unknownFormat, file: file, byteOffset: 0, "holds no Bluetooth summary (snooz) of version 1 or 2; take the bug report again")
    }
    var inflating: any ByteSource = InflatingSource(source, .zlib)
    bytes = try inflating.readAll(upTo: Self.byteLimit)
    damage = inflating.toldDamage
    if bytes.count == Self.byteLimit { damage = "the summary inflates to more than \(Self.byteLimit) bytes; the rest was left out" }
    (self.format, keepsTimes) = (format, format.keepsTimes)
    (time, pending) = (format.lastTime, BtsnoopWriter(datalink: .hciUART).bytes)
    if keepsTimes { time = format.lastTime &- Self.sumOfDeltas(format, bytes) }
  }

  private static func sumOfDeltas(_ format: SnoozFormat, _ bytes: [UInt8]) -> Int64 {
    var (offset, sum): (Int, Int64) = (0, 0)
    while let record = format.record(at: offset, in: bytes.byteSpan) {
      sum &+= Int64(record.delta)
      offset += format.recordHeaderByteCount + record.included
    }
    return sum
  }

  func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    guard count > 0 else { return 0 }
    if position == pending.count { convertSome() }
    let end = position + min(count, pending.count - position)
    defer { position = end }
    buffer += pending[position..<end]
    return end - position
  }

  /// Converts enough records to make a chunk; none are left where that makes no bytes.
  private func convertSome() {
    var writer = ByteWriter(capacity: InflatingSource.chunk)
    let bytes = bytes
    while writer.bytes.count < InflatingSource.chunk, let record = format.record(at: offset, in: bytes.byteSpan) {
      let start = offset + format.recordHeaderByteCount
      if keepsTimes { time &+= Int64(record.delta) }
      let (indicator, flags) = SnoozFormat.btsnoop(record.type)
      writer.uint32BigEndian(UInt32(record.original + 1))
      writer.uint32BigEndian(UInt32(record.included + 1))
      writer.uint32BigEndian(flags)
      writer.uint32BigEndian(0)
      writer.uint64BigEndian(UInt64(bitPattern: time &+ BtsnoopFormat.epoch))
      writer.uint8(indicator)
      writer.bytes += bytes[start..<(start + record.included)]
      offset = start + record.included
    }
    (pending, position) = (writer.bytes, 0)
    if pending.isEmpty, offset < bytes.count, damage == nil {
      damage = "the summary is damaged at byte \(offset) of the \(bytes.count) it inflates to"
    }
  }
}
