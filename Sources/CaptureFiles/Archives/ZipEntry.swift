import ByteParsing

/// One entry of a zip's central directory.
///
/// `"PK\1\2"(4) madeBy(2) needed(2) flags(2) method(2) time(2) date(2) CRC-32(4) compressed(4) size(4) nameLength(2) extraLength(2)
/// commentLength(2) disk(2) attributes(2) attributes(4) localOffset(4) name extra comment`, little-endian; a size or offset of
/// 0xFFFFFFFF stands in the extra field 1 with 8 bytes (APPNOTE 6.3.10, 4.3.12 and 4.5.3).
struct ZipEntry: Sendable, Hashable {
  static let signature: UInt32 = 0x0201_4B50
  static let headerByteCount = 46

  var name: String
  var method: UInt16
  var isEncrypted: Bool
  var checksum: UInt32
  var compressedByteCount: Int
  var byteCount: Int
  /// Where its own header begins, from the beginning of the archive.
  var localOffset: Int

  /// The length of a whole entry, told by its fixed part; `nil` where none begins.
  static func byteCount(_ header: RawSpan) -> Int? {
    guard header.uint32(at: 0) == signature else { return nil }
    return headerByteCount + Int(header.uint16(at: 28)) + Int(header.uint16(at: 30)) + Int(header.uint16(at: 32))
  }

  /// Reads a whole entry, fixed and variable part; `nil` where a number in it is beyond any file.
  init?(_ bytes: RawSpan) {
    let nameEnd = Self.headerByteCount + Int(bytes.uint16(at: 28))
    // Not every writer sets the flag for UTF-8, and Android's names are ASCII anyway.
    name = String(decoding: bytes.extracting(Self.headerByteCount..<nameEnd).array, as: UTF8.self)
    isEncrypted = bytes.uint16(at: 8) & 1 != 0
    method = bytes.uint16(at: 10)
    checksum = bytes.uint32(at: 16)
    var large = Self.largeNumbers(bytes.extracting(nameEnd..<(nameEnd + Int(bytes.uint16(at: 30)))))
    // The extra field holds only those that did not fit, in this order.
    func number(_ offset: Int) -> Int? {
      let value = bytes.uint32(at: offset)
      guard value == .max else { return Int(value) }
      guard !large.isEmpty else { return Int(value) }
      return Int(exactly: large.removeFirst())
    }
    guard let size = number(24), let compressed = number(20), let offset = number(42) else { return nil }
    (byteCount, compressedByteCount, localOffset) = (size, compressed, offset)
  }

  /// The numbers of the zip64 extra field: `{ id(2) length(2) data }*`, id 1.
  private static func largeNumbers(_ extra: RawSpan) -> [UInt64] {
    var offset = 0
    while extra.byteCount - offset >= 4 {
      let (id, length) = (extra.uint16(at: offset), Int(extra.uint16(at: offset + 2)))
      offset += 4
      guard extra.byteCount - offset >= length else { return [] }
      if id == 1 { return stride(from: offset, through: offset + length - 8, by: 8).map { extra.uint64(at: $0) } }
      offset += length
    }
    return []
  }
}
