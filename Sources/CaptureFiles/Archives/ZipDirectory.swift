import ByteParsing

/// Where the entries of a zip are listed, told by the record at its end.
///
/// `"PK\5\6"(4) disk(2) directoryDisk(2) entriesHere(2) entries(2) directorySize(4) directoryOffset(4) commentLength(2) comment`; where a
/// number does not fit, a locator `"PK\6\7"(4) disk(4) offset(8) disks(4)` stands before it and leads to `"PK\6\6"(4) size(8) madeBy(2)
/// needed(2) disk(4) directoryDisk(4) entriesHere(8) entries(8) directorySize(8) directoryOffset(8)` (APPNOTE 6.3.10, 4.3.14–4.3.16).
struct ZipDirectory {
  static let endByteCount = 22
  private static let locatorByteCount = 20
  private static let largeEndByteCount = 56
  /// The directory says how many; this many are listed.
  static let entryLimit = 1 << 16
  /// No directory of so many entries needs more, with names of a kilobyte.
  private static let byteLimit = 1 << 26

  private(set) var entries: [ZipEntry] = []
  /// Entries that were not listed, because there are too many.
  private(set) var omittedEntryCount = 0
  /// What the offsets in the directory have to be moved by: bytes that were put before the archive.
  private(set) var shift = 0

  /// Finds and reads the directory.
  init(_ bytes: any RandomAccessBytes, file: String) throws(CaptureError) {
    let end = try Self.end(of: bytes, file: file)
    guard end.disk == 0 else {
      throw CaptureError(.unsupportedArchive, file: file, "is one part of a zip in several; join them, or unpack it and name the capture")
    }
    // The directory lies directly before its end record, wherever the archive itself begins.
    let actual = end.position - end.size
    guard end.size >= 0, end.offset >= 0, actual >= 0 else {
      throw Self.damaged(file, at: end.position, "its end points outside the file")
    }
    let first = try bytes.bytes(4, at: actual)
    let isThere = first.count == 4 && first.byteSpan.uint32(at: 0) == ZipEntry.signature
    let start = isThere ? actual : end.offset
    shift = start - end.offset
    try readEntries(bytes, start, byteCount: min(end.size, Self.byteLimit), count: end.count, file: file)
  }

  private mutating func readEntries(
    _ bytes: any RandomAccessBytes, _ start: Int, byteCount: Int, count: Int, file: String
  ) throws(CaptureError) {
    var input = InputBuffer(RangeSource(bytes, from: start, count: byteCount))
    var index = 0
    while index < count, try input.fill(ZipEntry.headerByteCount) {
      guard let length = ZipEntry.byteCount(input.span(ZipEntry.headerByteCount)), try input.fill(length) else { break }
      if entries.count < Self.entryLimit, let entry = ZipEntry(input.span(length)) {
        entries.append(entry)
      } else {
        omittedEntryCount += 1
      }
      input.consume(length)
      index += 1
    }
    guard index == count || entries.count == Self.entryLimit || input.fileOffset >= Self.byteLimit - (1 << 18) else {
      throw Self.damaged(file, at: start + input.fileOffset, "it lists \(count) entries, and entry \(index + 1) cannot be read")
    }
    omittedEntryCount += count - index
  }

  private struct End {
    var position: Int
    var disk: UInt32
    var count: Int
    var size: Int
    var offset: Int
  }

  /// Looks for the end record, which only a comment of up to 65,535 bytes may follow.
  private static func end(of bytes: any RandomAccessBytes, file: String) throws(CaptureError) -> End {
    let start = max(0, bytes.byteCount - endByteCount - 0xFFFF)
    let tail = try bytes.bytes(endByteCount + 0xFFFF, at: start)
    let span = tail.byteSpan
    var place = span.byteCount - endByteCount
    while place >= 0 {
      if span.uint32(at: place) == 0x0605_4B50, place + endByteCount + Int(span.uint16(at: place + 20)) <= span.byteCount {
        let end = End(
          position: start + place, disk: UInt32(span.uint16(at: place + 4)), count: Int(span.uint16(at: place + 10)),
          size: Int(span.uint32(at: place + 12)), offset: Int(span.uint32(at: place + 16)))
        return try large(bytes, before: end, file: file) ?? end
      }
      place -= 1
    }
    throw CaptureError(
      .damagedArchive, file: file, byteOffset: bytes.byteCount,
      "is a zip that is cut: the list of its entries, which stands at the end, is missing; copy the file again")
  }

  /// The end record with numbers of 64 bits, where there is one.
  private static func large(_ bytes: any RandomAccessBytes, before end: End, file: String) throws(CaptureError) -> End? {
    let locator = try bytes.bytes(locatorByteCount, at: end.position - locatorByteCount)
    guard end.position >= locatorByteCount, locator.count == locatorByteCount, locator.byteSpan.uint32(at: 0) == 0x0706_4B50 else {
      return nil
    }
    let stated = Int(exactly: locator.byteSpan.uint64(at: 8)) ?? -1
    // Bytes before the archive move the record, too; it stands directly before its locator unless it has been extended.
    for position in [end.position - locatorByteCount - largeEndByteCount, stated] where position >= 0 {
      let record = try bytes.bytes(largeEndByteCount, at: position)
      let span = record.byteSpan
      guard span.byteCount == largeEndByteCount, span.uint32(at: 0) == 0x0606_4B50 else { continue }
      guard let count = Int(exactly: span.uint64(at: 32)), let size = Int(exactly: span.uint64(at: 40)),
        let offset = Int(exactly: span.uint64(at: 48))
      else { break }
      return End(position: position, disk: span.uint32(at: 16), count: count, size: size, offset: offset)
    }
    throw damaged(file, at: end.position, "the record of its large sizes is missing")
  }

  private static func damaged(_ file: String, at offset: Int, _ what: String) -> CaptureError {
    CaptureError(.damagedArchive, file: file, byteOffset: offset, "is a damaged zip: \(what); copy the file again")
  }
}
