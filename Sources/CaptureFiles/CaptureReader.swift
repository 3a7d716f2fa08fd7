import ByteParsing

/// Reads a capture file record by record, in one pass and with memory for one chunk.
///
/// Damage inside the file becomes findings; what comes before it is kept. Only a file that is no capture throws.
public struct CaptureReader {
  /// The file as the caller named it.
  public let file: String
  public let datalink: BtsnoopDatalink
  /// What was found in the container itself.
  public private(set) var findings = FindingLog()
  /// Complete records read so far.
  public private(set) var recordCount = 0
  /// Bytes consumed so far.
  public var byteOffset: Int { input.fileOffset }
  /// The time of the first record.
  public private(set) var start: CaptureTime?

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
    guard try input.fill(BtsnoopFormat.headerByteCount) else {
      throw Self.headerError(file: file, bytes: input.span(input.available).array)
    }
    datalink = try Self.datalink(header: input.span(BtsnoopFormat.headerByteCount), file: file)
    input.consume(BtsnoopFormat.headerByteCount)
    self.input = input
  }

  /// Hands every record that is left to `body`, in order.
  public mutating func forEachRecord(_ body: (borrowing CaptureRecord) throws -> Void) throws {
    while try input.fill(BtsnoopFormat.recordHeaderByteCount) {
      let header = RecordHeader(input.span(BtsnoopFormat.recordHeaderByteCount))
      let included = header.included
      guard included <= BtsnoopFormat.maximumRecordByteCount else {
        findings.add(
          .corruptRecord, .problem, frame: recordCount + 1,
          "record \(recordCount + 1) at byte \(input.fileOffset) claims \(included) bytes, more than any packet has: the file is damaged, "
            + "reading stops here")
        return
      }
      guard try input.fill(BtsnoopFormat.recordHeaderByteCount + included) else {
        noteCutEnd(needed: BtsnoopFormat.recordHeaderByteCount + included)
        return
      }
      recordCount += 1
      note(header)
      try emit(header, body)
      input.consume(BtsnoopFormat.recordHeaderByteCount + included)
    }
    if input.available > 0 { noteCutEnd(needed: BtsnoopFormat.recordHeaderByteCount) }
  }

  /// The header of a record; layout in ``BtsnoopFormat``.
  private struct RecordHeader {
    let original: Int
    let included: Int
    let flags: UInt32
    let drops: UInt32
    let time: CaptureTime

    init(_ bytes: RawSpan) {
      original = Int(bytes.uint32(at: 0).byteSwapped)
      included = Int(bytes.uint32(at: 4).byteSwapped)
      flags = bytes.uint32(at: 8).byteSwapped
      drops = bytes.uint32(at: 12).byteSwapped
      let stamp = Int64(bitPattern: bytes.uint64(at: 16).byteSwapped)
      time = CaptureTime(microseconds: stamp.subtractingReportingOverflow(BtsnoopFormat.epoch).partialValue)
    }
  }

  private mutating func emit(_ header: RecordHeader, _ body: (borrowing CaptureRecord) throws -> Void) throws {
    let (flags, included) = (header.flags, header.included)
    var kind: CaptureRecord.Kind
    var direction: CaptureRecord.Direction = flags & 1 == 0 ? .hostToController : .controllerToHost
    var skip = 0
    var adapter: UInt16 = 0
    switch datalink {
    case .hciUnencapsulated:
      kind = flags & 2 == 0 ? .aclData : direction == .hostToController ? .command : .event
    case .hciUART:
      guard included > 0 else {
        findings.add(.emptyRecord, .warning, frame: recordCount, "record \(recordCount) at byte \(input.fileOffset) has no bytes")
        kind = .unknown(0)
        break
      }
      skip = 1
      // The indicator is trusted before the flags: logs exist whose command/event flag is wrong.
      let indicator = input.span(1, from: BtsnoopFormat.recordHeaderByteCount).uint8(at: 0)
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
    case .monitor:
      let opcode = MonitorOpcode(rawValue: UInt16(truncatingIfNeeded: flags))
      (kind, direction) = (opcode.kind, opcode.direction)
      adapter = UInt16(truncatingIfNeeded: flags >> 16)
      if case .unknown(let number) = kind {
        findings.add(.unknownRecord, .note, frame: recordCount, "record \(recordCount) has the unknown monitor opcode \(number)")
      }
    }
    try body(
      CaptureRecord(
        number: recordCount, byteOffset: input.fileOffset, time: header.time, kind: kind, direction: direction, adapter: adapter,
        bytes: input.span(included - skip, from: BtsnoopFormat.recordHeaderByteCount + skip),
        originalLength: max(header.original, included) - skip))
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

  private static func datalink(header: RawSpan, file: String) throws(CaptureError) -> BtsnoopDatalink {
    guard header.extracting(0..<8).array == BtsnoopFormat.magic else {
      throw CaptureError(.unknownFormat, file: file, byteOffset: 0, notACapture)
    }
    let version = header.uint32(at: 8).byteSwapped
    guard version == 1 else {
      throw CaptureError(
        .unknownFormat, file: file, byteOffset: 8, "is btsnoop version \(version); only version 1 exists: the file may be damaged")
    }
    let link = header.uint32(at: 12).byteSwapped
    guard let datalink = BtsnoopDatalink(rawValue: link) else {
      throw CaptureError(
        .unsupportedLinkType, file: file, byteOffset: 12,
        "has btsnoop datalink \(link)\(datalinkName(link)); 1001 (HCI), 1002 (HCI UART, H4) and 2001 (BlueZ monitor) are read: "
          + "record with one of these")
    }
    return datalink
  }

  private static let notACapture = "is no capture that can be read; btsnoop files are (datalinks 1001, 1002 and 2001)"

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

  private static func datalinkName(_ link: UInt32) -> String {
    switch link {
    case 1003: " (HCI BCSP)"
    case 1004: " (HCI serial, three-wire)"
    case 2002: " (BlueZ simulator)"
    default: ""
    }
  }
}
