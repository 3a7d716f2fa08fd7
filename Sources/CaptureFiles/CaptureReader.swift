import ByteParsing

/// Reads a capture file record by record, in one pass and with memory for one chunk.
///
/// Damage inside the file becomes findings; what comes before it is kept. Only a file that is no capture throws.
public struct CaptureReader {
  /// The file as the caller named it.
  public let file: String
  /// What the file is, told by its content.
  public let format: CaptureFormat
  /// What was found in the container itself.
  public private(set) var findings = FindingLog()
  /// Complete records read so far.
  public private(set) var recordCount = 0
  /// Bytes consumed so far.
  public var byteOffset: Int { input.fileOffset }
  /// The time of the first record.
  public private(set) var start: CaptureTime?

  private let packetLogger: PacketLoggerFormat?
  private var input: InputBuffer
  private var lastDrops: UInt32 = 0
  private var lastTime: CaptureTime?

  /// Opens the file at `path`; `-` is standard input.
  public init(path: String) throws(CaptureError) {
    try self.init(file: path == "-" ? "standard input" : path, source: try FileSource(path: path))
  }

  /// Reads bytes that are in memory; `file` is for messages.
  public init(bytes: [UInt8], file: String) throws(CaptureError) { try self.init(file: file, source: MemorySource(bytes: bytes)) }

  private init(file: String, source: any ByteSource) throws(CaptureError) {
    self.file = file
    var input = InputBuffer(source)
    // Enough for the longest packet's record and the header behind it.
    _ = try input.fill(1 << 17)
    (format, packetLogger) = try Self.detect(input.span(input.available), file: file)
    if packetLogger == nil { input.consume(BtsnoopFormat.headerByteCount) }
    self.input = input
  }

  /// Hands every record that is left to `body`, in order.
  public mutating func forEachRecord(_ body: (borrowing CaptureRecord) throws -> Void) throws {
    let headerLength = packetLogger == nil ? BtsnoopFormat.recordHeaderByteCount : PacketLoggerFormat.headerByteCount
    while try input.fill(headerLength) {
      guard let header = header(input.span(headerLength)) else {
        noteCorrupt("has a length shorter than its own header")
        return
      }
      guard header.included <= BtsnoopFormat.maximumRecordByteCount else {
        noteCorrupt("claims \(header.included) bytes, more than any packet has")
        return
      }
      guard try input.fill(headerLength + header.included) else {
        noteCutEnd(needed: headerLength + header.included)
        return
      }
      recordCount += 1
      note(header)
      try emit(header, headerLength, body)
      input.consume(headerLength + header.included)
    }
    if input.available > 0 { noteCutEnd(needed: headerLength) }
  }

  private func header(_ bytes: RawSpan) -> RecordHeader? {
    switch format {
    case .btsnoop(let datalink): datalink.header(bytes)
    case .packetLogger: packetLogger?.header(bytes)
    }
  }

  private mutating func emit(_ header: RecordHeader, _ headerLength: Int, _ body: (borrowing CaptureRecord) throws -> Void) throws {
    var direction = header.direction
    let kind: CaptureRecord.Kind
    var skip = 0
    if let told = header.kind {
      kind = told
      if case .unknown(let number) = told {
        findings.add(.unknownRecord, .note, frame: recordCount, "record \(recordCount) has the unknown type \(number)")
      }
    } else if header.included == 0 {
      kind = .unknown(0)
      findings.add(.emptyRecord, .warning, frame: recordCount, "record \(recordCount) at byte \(input.fileOffset) has no bytes")
    } else {
      skip = 1
      // The indicator is trusted before the flags: logs exist whose command/event flag is wrong.
      let indicator = input.span(1, from: headerLength).uint8(at: 0)
      switch HCIPacketType(rawValue: indicator) {
      case .command: (kind, direction) = (.command, .hostToController)
      case .event: (kind, direction) = (.event, .controllerToHost)
      case .aclData: kind = .aclData
      case .synchronousData: kind = .synchronousData
      case .isochronousData: kind = .isochronousData
      default:
        kind = .unknown(UInt32(indicator))
        findings.add(
          .unknownRecord, .note, frame: recordCount, "record \(recordCount) has H4 indicator \(indicator), which is no HCI packet")
      }
    }
    try body(
      CaptureRecord(
        number: recordCount, byteOffset: input.fileOffset, time: header.time, kind: kind, direction: direction, adapter: header.adapter,
        bytes: input.span(header.included - skip, from: headerLength + skip), originalLength: max(header.original, header.included) - skip))
  }

  private mutating func note(_ header: RecordHeader) {
    let (time, drops, included, original) = (header.time, header.drops, header.included, header.original)
    if start == nil { start = time }
    let number = recordCount
    if included < original {
      findings.add(.cutRecord, .note, frame: number, "record \(number) keeps \(included) of \(original) bytes")
    }
    if drops != lastDrops {
      // Counters that go down have been reset; only a rise says that packets are missing.
      if drops > lastDrops {
        let lost = drops - lastDrops
        findings.add(.droppedRecords, .warning, frame: number, "\(lost) packet\(lost == 1 ? "" : "s") lost before record \(number)")
      }
      lastDrops = drops
    }
    if let last = lastTime, time < last {
      findings.add(.backwardTime, .warning, frame: number, "the time of record \(number) is before that of the record before it")
    }
    lastTime = time
  }

  private mutating func noteCutEnd(needed: Int) {
    findings.add(
      .cutLastRecord, .warning, frame: recordCount + 1,
      "record \(recordCount + 1) at byte \(input.fileOffset) is cut: \(input.available) of \(needed) bytes are there; all before it was read"
    )
  }

  private static func detect(_ beginning: RawSpan, file: String) throws(CaptureError) -> (CaptureFormat, PacketLoggerFormat?) {
    if beginning.byteCount >= BtsnoopFormat.headerByteCount, beginning.extracting(0..<8).array == BtsnoopFormat.magic {
      return (.btsnoop(try BtsnoopDatalink.detect(beginning, file: file)), nil)
    }
    if let layout = PacketLoggerFormat(detecting: beginning) { return (.packetLogger(bigEndian: layout.isBigEndian), layout) }
    throw headerError(file: file, bytes: beginning.extracting(0..<min(16, beginning.byteCount)).array)
  }

  private mutating func noteCorrupt(_ what: String) {
    findings.add(
      .corruptRecord, .problem, frame: recordCount + 1,
      "record \(recordCount + 1) at byte \(input.fileOffset) \(what): the file is damaged, reading stops here")
  }

  private static let notACapture = "is no capture that can be read; btsnoop (datalinks 1001, 1002 and 2001) and PacketLogger files are"

  private static func headerError(file: String, bytes: [UInt8]) -> CaptureError {
    if bytes.isEmpty {
      return CaptureError(.empty, file: file, "is empty: the log was not switched on, or was not flushed yet; record again")
    }
    if BtsnoopFormat.magic.starts(with: bytes.prefix(8)) {
      return CaptureError(
        .cutHeader, file: file, byteOffset: bytes.count,
        "is cut inside the btsnoop header: \(bytes.count) of 16 bytes are there; copy the file again")
    }
    return CaptureError(.unknownFormat, file: file, byteOffset: 0, notACapture)
  }
}
