import ByteParsing

/// What stands behind a path: one capture, or all that an archive holds. The reader's way in.
struct CaptureContents: Sendable {
  /// What the file is, told by its content; of `X.tar.gz` the tar.
  let container: CaptureContainer
  /// The captures, in the order to read them; never empty.
  let segments: [CaptureSegment]
  /// What else an archive holds; `nil` for anything else.
  let archive: PhoneArchive?
  /// Why an archive could not be listed to its end; `nil` where it could.
  let damage: String?

  /// Bytes of a plain file, where they are known.
  var byteCount: Int?

  /// The parts of one log, in any order.
  init(joining segments: [CaptureSegment]) { self.init(.plain, segments) }

  /// Opens the file at `path`; `-` is standard input.
  ///
  /// A plain capture is read in order, also from a pipe; anything else from a pipe goes to a temporary file first.
  init(path: String) throws(CaptureError) {
    let file = try RandomAccessFile(path: path)
    if file.isSeekable {
      try self.init(file, file: file.name)
      return
    }
    var stream: any ByteSource = StreamSource(file, beginning: [])
    let beginning = try stream.readAll(upTo: CaptureContainer.detectionByteCount)
    guard CaptureContainer.detect(beginning.byteSpan) == .plain else {
      let spooled = try RandomAccessFile.spool(StreamSource(file, beginning: beginning), name: file.name, limit: Self.spoolLimit)
      try self.init(spooled, file: file.name)
      return
    }
    // A pipe can be read once; opening it again would begin where the first reader stopped.
    let segment = CaptureSegment(name: file.name, beginning: beginning) { () throws(CaptureError) -> any ByteSource in
      StreamSource(file, beginning: beginning)
    }
    self.init(.plain, [segment])
  }

  /// Reads bytes that are in memory; `file` is for messages.
  init(bytes: [UInt8], file: String) throws(CaptureError) { try self.init(MemoryBytes(bytes: bytes), file: file) }

  /// No report of a phone is larger.
  private static let spoolLimit = 1 << 34

  private init(_ container: CaptureContainer, _ segments: [CaptureSegment], archive: PhoneArchive? = nil, damage: String? = nil) {
    (self.container, self.segments, self.archive, self.damage) = (container, segments, archive, damage)
  }

  private init(_ bytes: any RandomAccessBytes, file: String) throws(CaptureError) {
    let whole = CaptureSegment(name: file) { () throws(CaptureError) -> any ByteSource in RangeSource(bytes) }
    let beginning = try whole.firstBytes(CaptureContainer.detectionByteCount)
    let container = CaptureContainer.detect(beginning.byteSpan)
    switch container {
    case .zip:
      let zip = try ZipArchive(bytes, file: file)
      let omitted = zip.omittedEntryCount > 0 ? "\(zip.omittedEntryCount) of its entries were not looked at" : nil
      let archive = try PhoneArchive(zip.segments, file: file)
      self.init(.zip, archive.segments, archive: archive, damage: omitted)
    case .tar: try self.init(tar: whole)
    case .gzip:
      let inner = try whole.inflated.firstBytes(CaptureContainer.detectionByteCount)
      switch CaptureContainer.detect(inner.byteSpan) {
      case .tar: try self.init(tar: whole.inflated)
      case .snooz: self.init(.gzip, [whole.inflated.fromSnooz])
      case .snoozText: self.init(.gzip, [whole.inflated.fromSnoozText])
      default: self.init(.gzip, [whole.inflated])
      }
    case .snooz: self.init(.snooz, [whole.fromSnooz])
    case .snoozText: self.init(.snoozText, [whole.fromSnoozText])
    case .plain:
      self.init(.plain, [whole])
      byteCount = bytes.byteCount
    }
  }

  private init(tar: CaptureSegment) throws(CaptureError) {
    let listed = try TarArchive(tar.open)
    do throws(CaptureError) {
      let archive = try PhoneArchive(listed.segments, file: tar.name)
      self.init(.tar, archive.segments, archive: archive, damage: listed.damage)
    } catch {
      // Of an archive that is cut, what is missing may be the log.
      guard error.code == .noCapture, let damage = listed.damage else { throw error }
      throw CaptureError(
        .damagedArchive, file: tar.name, "holds no log of Bluetooth as far as it can be read: \(damage); copy the file again")
    }
  }
}
