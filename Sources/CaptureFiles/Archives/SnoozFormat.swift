import ByteParsing

/// The numbers of Android's snooz, the log of the last packets that every bug report holds.
///
/// `version(1) lastTime(8)`, then zlib around `{ length(2) packetLength(2, version 2 only) delta(4) type(1) data(length−1) }*`, all
/// little-endian; both lengths count the type. A delta is the time since the packet before, in microseconds although its name in the source
/// says milliseconds, so that times count back from the last one (AOSP, `btif_debug_btsnoop`; the ring holds 256 KiB at most).
struct SnoozFormat: Hashable {
  static let headerByteCount = 9

  let version: UInt8
  /// Microseconds since 1970.
  let lastTime: Int64
  /// Whether times can be told; some phones write them so that only those of the last packet are left.
  let keepsTimes: Bool

  /// Reads the header; `nil` where it is none, or its time lies in no year with Android in it.
  init?(_ header: RawSpan) {
    guard header.byteCount >= Self.headerByteCount, (1...2).contains(header.uint8(at: 0)) else { return nil }
    version = header.uint8(at: 0)
    let stamp = header.uint64(at: 1)
    if let time = Int64(exactly: stamp), Self.plausibleTimes.contains(time) {
      (lastTime, keepsTimes) = (time, true)
      return
    }
    // Some phones hand the ring a time as it stands in a btsnoop record: big-endian and counted from the year 0. Differences of such
    // numbers keep only their upper half, which changes every 71 minutes (a Redmi Note 9's log of 2026-04-20 begins 02 00E32D9A1DB5DA98).
    let swapped = Int64(bitPattern: stamp.byteSwapped).subtractingReportingOverflow(BtsnoopFormat.epoch)
    guard !swapped.overflow, Self.plausibleTimes.contains(swapped.partialValue) else { return nil }
    (lastTime, keepsTimes) = (swapped.partialValue, false)
  }

  /// From 2008, when Android began, to 2100.
  private static let plausibleTimes: ClosedRange<Int64> = 1_199_145_600_000_000...4_102_444_800_000_000

  /// Whether a snooz begins with these bytes.
  static func begins(_ bytes: RawSpan) -> Bool {
    guard SnoozFormat(bytes) != nil, bytes.byteCount >= headerByteCount + 2 else { return false }
    let (method, flags) = (bytes.uint8(at: headerByteCount), bytes.uint8(at: headerByteCount + 1))
    return method & 15 == 8 && flags & 0x20 == 0 && (UInt16(method) << 8 | UInt16(flags)).isMultiple(of: 31)
  }

  /// The part of a record before its data.
  var recordHeaderByteCount: Int { version == 1 ? 7 : 9 }

  /// One packet.
  struct Record: Hashable {
    /// Bytes that were kept, without the type.
    var included: Int
    /// Bytes that the packet had, without the type.
    var original: Int
    var delta: UInt32
    var type: UInt8
  }

  /// Reads what stands before the data at `offset`; `nil` where the record is not whole or no record.
  func record(at offset: Int, in bytes: RawSpan) -> Record? {
    guard offset >= 0, bytes.byteCount - offset >= recordHeaderByteCount else { return nil }
    let length = Int(bytes.uint16(at: offset))
    let packet = version == 1 ? length : Int(bytes.uint16(at: offset + 2))
    guard length > 0, bytes.byteCount - offset - recordHeaderByteCount >= length - 1 else { return nil }
    return Record(
      included: length - 1, original: max(packet, length) - 1, delta: bytes.uint32(at: offset + recordHeaderByteCount - 5),
      type: bytes.uint8(at: offset + recordHeaderByteCount - 1))
  }

  /// The H4 indicator and the flags of the same packet in btsnoop; a type that nobody knows stands as it is, so that it is told.
  static func btsnoop(_ type: UInt8) -> (indicator: UInt8, flags: UInt32) {
    switch type {
    case 0x10: (4, 3)
    case 0x11: (2, 1)
    case 0x12: (3, 1)
    case 0x17: (5, 1)
    case 0x20: (1, 2)
    case 0x21: (2, 0)
    case 0x22: (3, 0)
    case 0x2D: (5, 0)
    default: (type, 0)
    }
  }
}
