import ByteParsing

/// A zip whose entries are opened one by one, by their place in the file.
///
/// The reading is our own: libzip and minizip are neither in Debian's base nor in macOS, and want callbacks in C for anything but a path,
/// while what is needed here – a directory, stored and deflated entries – is three records and zlib.
struct ZipArchive: Sendable {
  /// For messages.
  let file: String
  let entries: [ZipEntry]
  /// Entries beyond those listed.
  let omittedEntryCount: Int
  private let bytes: any RandomAccessBytes
  private let shift: Int

  /// Reads the list of entries; nothing of their content.
  init(_ bytes: any RandomAccessBytes, file: String) throws(CaptureError) {
    let directory = try ZipDirectory(bytes, file: file)
    (self.bytes, self.file, shift) = (bytes, file, directory.shift)
    (entries, omittedEntryCount) = (directory.entries, directory.omittedEntryCount)
  }

  /// All entries that are files.
  var segments: [CaptureSegment] {
    entries.filter { !$0.name.hasSuffix("/") }.map { entry in
      CaptureSegment(name: entry.name) { () throws(CaptureError) -> any ByteSource in try source(of: entry) }
    }
  }

  /// The content of one entry, inflated while it is read.
  func source(of entry: ZipEntry) throws(CaptureError) -> any ByteSource {
    if entry.isEncrypted {
      throw CaptureError(
        .unsupportedArchive, file: file, byteOffset: entry.localOffset,
        "holds '\(entry.name)' encrypted; unpack it with its password and name the capture")
    }
    let stored = try data(of: entry)
    let inner: any ByteSource
    switch entry.method {
    case 0: inner = RangeSource(stored)
    case 8: inner = InflatingSource(RangeSource(stored), .raw)
    default:
      throw CaptureError(
        .unsupportedArchive, file: file, byteOffset: entry.localOffset,
        "holds '\(entry.name)' compressed with method \(entry.method)\(Self.name(ofMethod: entry.method)); "
          + "stored and deflated entries are read: unpack it and name the capture")
    }
    return ZipEntrySource(inner, entry)
  }

  /// The bytes of an entry as they stand in the archive; behind its own header
  /// `"PK\3\4"(4) … nameLength(2 at 26) extraLength(2 at 28) name extra`, whose sizes may be zero.
  private func data(of entry: ZipEntry) throws(CaptureError) -> PartOfBytes {
    let (start, overflow) = entry.localOffset.addingReportingOverflow(shift)
    let header = overflow ? [] : try bytes.bytes(30, at: max(0, start))
    guard start >= 0, header.count == 30, header.byteSpan.uint32(at: 0) == 0x0403_4B50 else {
      throw damaged(entry, "no header of it is there")
    }
    let dataStart = start + 30 + Int(header.byteSpan.uint16(at: 26)) + Int(header.byteSpan.uint16(at: 28))
    guard entry.compressedByteCount >= 0, dataStart <= bytes.byteCount, entry.compressedByteCount <= bytes.byteCount - dataStart else {
      throw damaged(entry, "it reaches beyond the end")
    }
    return PartOfBytes(bytes, from: dataStart, count: entry.compressedByteCount)
  }

  private func damaged(_ entry: ZipEntry, _ what: String) -> CaptureError {
    CaptureError(
      .damagedArchive, file: file, byteOffset: entry.localOffset, "is a damaged zip at '\(entry.name)': \(what); copy the file again")
  }

  private static func name(ofMethod method: UInt16) -> String {
    switch method {
    case 1...6: " (of PKZIP 1)"
    case 9: " (Deflate64)"
    case 12: " (bzip2)"
    case 14: " (LZMA)"
    case 93: " (Zstandard)"
    case 95: " (xz)"
    case 99: " (AES)"
    default: ""
    }
  }
}
