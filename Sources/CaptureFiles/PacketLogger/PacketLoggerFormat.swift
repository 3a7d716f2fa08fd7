import ByteParsing

/// Apple's PacketLogger: `{ length(4) seconds(4) microseconds(4) type(1) packet(length−9) }*`, without a file header.
///
/// The byte order differs: big-endian from iOS's logging profile, little-endian from newer systems. A third layout holds the time as
/// one little-endian number of 64 bits, seconds in its upper half, so that the two words change places.
struct PacketLoggerFormat: Hashable {
  static let headerByteCount = 13
  /// The part of the header that `length` counts.
  static let countedByteCount = 9
  /// The longest that a record is believed to be where the layout is looked for.
  static let detectedByteLimit = 1 << 17

  var isBigEndian: Bool
  var hasMicrosecondsFirst = false

  /// Tells the layout from the beginning of a file: the lengths and types of the first two records have to make sense together.
  ///
  /// A length of 256 bytes is one of 65,536 in the other order, so both are tried: one that leads to a second record is believed
  /// before one that leads out of the file, and of two alike the shorter.
  init?(detecting bytes: RawSpan) {
    let orders = [true, false].compactMap { isBigEndian -> (isBigEndian: Bool, end: Int, words: (UInt32, UInt32), leadsOut: Bool)? in
      guard let first = Self.record(at: 0, bytes, isBigEndian) else { return nil }
      let rest = bytes.byteCount - first.end
      guard rest < Self.headerByteCount || Self.record(at: first.end, bytes, isBigEndian) != nil else { return nil }
      return (isBigEndian, first.end, first.words, rest < 0)
    }
    guard let best = orders.min(by: { ($0.leadsOut ? 1 : 0, $0.end) < ($1.leadsOut ? 1 : 0, $1.end) }) else { return nil }
    isBigEndian = best.isBigEndian
    // A word of a million and more counts no microseconds.
    hasMicrosecondsFirst = !best.isBigEndian && best.words.1 >= 1_000_000 && best.words.0 < 1_000_000
  }

  private static func word(_ bytes: RawSpan, _ offset: Int, _ isBigEndian: Bool) -> UInt32 {
    let value = bytes.uint32(at: offset)
    return isBigEndian ? value.byteSwapped : value
  }

  private static func record(at start: Int, _ bytes: RawSpan, _ isBigEndian: Bool) -> (end: Int, words: (UInt32, UInt32))? {
    guard bytes.byteCount - start >= headerByteCount else { return nil }
    let length = Int(word(bytes, start, isBigEndian))
    guard (countedByteCount...detectedByteLimit).contains(length), isKnown(bytes.uint8(at: start + 12)) else { return nil }
    return (start + 4 + length, (word(bytes, start + 4, isBigEndian), word(bytes, start + 8, isBigEndian)))
  }

  private static func isKnown(_ type: UInt8) -> Bool { type <= 0x0B || type >= 0xF0 }

  /// Reads the header of one record; `nil` where its length is less than the header itself.
  func header(_ bytes: RawSpan) -> RecordHeader? {
    let length = Int(Self.word(bytes, 0, isBigEndian))
    guard length >= Self.countedByteCount else { return nil }
    let words = (Self.word(bytes, 4, isBigEndian), Self.word(bytes, 8, isBigEndian))
    let (seconds, microseconds) = hasMicrosecondsFirst ? (words.1, words.0) : words
    let count = length - Self.countedByteCount
    let (kind, direction) = Self.meaning(of: bytes.uint8(at: 12))
    return RecordHeader(
      original: count, time: CaptureTime(microseconds: Int64(seconds) * 1_000_000 + Int64(microseconds)), encapsulation: .hci(kind),
      direction: direction, typeNumber: UInt32(bytes.uint8(at: 12)))
  }

  private static func meaning(of type: UInt8) -> (CaptureRecord.Kind, CaptureRecord.Direction) {
    switch type {
    case 0x00: (.command, .hostToController)
    case 0x01: (.event, .controllerToHost)
    case 0x02: (.aclData, .hostToController)
    case 0x03: (.aclData, .controllerToHost)
    case 0x08: (.synchronousData, .hostToController)
    case 0x09: (.synchronousData, .controllerToHost)
    // Text of the system's log, the device's name, and what vendors add.
    case 0xF0...0xFF: (.note, .controllerToHost)
    default: (.unknown(UInt32(type)), .controllerToHost)
    }
  }
}
