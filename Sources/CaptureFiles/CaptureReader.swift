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
  public var findings: FindingLog { emitter.findings }
  /// Complete records read so far.
  public var recordCount: Int { emitter.recordCount }
  /// Bytes consumed so far.
  public var byteOffset: Int { container.byteOffset }
  /// The time of the first record.
  public var start: CaptureTime? { emitter.start }

  /// Why there is nothing to work on, after all records were read; `nil` where there was a packet.
  public var emptiness: CaptureError? {
    guard emitter.packetCount == 0 else { return nil }
    return Self.emptiness(of: format, records: recordCount, isCut: findings.count(of: .cutLastRecord) > 0, file: file)
  }

  private var container: any RecordContainer
  private var emitter: RecordEmitter

  /// Opens the file at `path`; `-` is standard input.
  public init(path: String, options: CaptureOptions = CaptureOptions()) throws(CaptureError) {
    try self.init(file: path == "-" ? "standard input" : path, source: try FileSource(path: path), options: options)
  }

  /// Reads bytes that are in memory; `file` is for messages.
  public init(bytes: [UInt8], file: String, options: CaptureOptions = CaptureOptions()) throws(CaptureError) {
    try self.init(file: file, source: MemorySource(bytes: bytes), options: options)
  }

  private init(file: String, source: any ByteSource, options: CaptureOptions) throws(CaptureError) {
    self.file = file
    var input = InputBuffer(source)
    // Enough for the longest packet's record and the header behind it.
    _ = try input.fill(1 << 17)
    format = try Self.detect(input.span(input.available), file: file, options: options)
    container = try Self.open(input, format, file: file, options: options)
    emitter = RecordEmitter(file: file, options: options)
  }

  /// Hands every record that is left to `body`, in order.
  public mutating func forEachRecord(_ body: (borrowing CaptureRecord) throws -> Void) throws {
    try container.forEachRecord(&emitter, body)
    emitter.finish()
  }

  private static func detect(_ beginning: RawSpan, file: String, options: CaptureOptions) throws(CaptureError) -> CaptureFormat {
    if beginning.byteCount >= BtsnoopFormat.headerByteCount, beginning.extracting(0..<8).array == BtsnoopFormat.magic {
      return .btsnoop(try BtsnoopDatalink.detect(beginning, file: file))
    }
    if let layout = PcapContainer.Layout(detecting: beginning) {
      return .pcap(try PcapContainer.linkType(beginning, layout, file: file, options: options))
    }
    if PcapngContainer.detect(beginning) { return .pcapng(try PcapngContainer.linkTypes(beginning, file: file, options: options)) }
    if let layout = PacketLoggerFormat(detecting: beginning) { return .packetLogger(bigEndian: layout.isBigEndian) }
    throw Self.refusal(of: beginning, file: file)
  }

  private static func open(
    _ input: InputBuffer, _ format: CaptureFormat, file: String, options: CaptureOptions
  ) throws(CaptureError) -> any RecordContainer {
    let beginning = input.span(input.available)
    switch format {
    case .btsnoop(let datalink): return BtsnoopContainer(input, datalink)
    case .pcap(let type):
      if let layout = PcapContainer.Layout(detecting: beginning) { return try PcapContainer(input, layout, linkType: type, file: file) }
    case .pcapng: return PcapngContainer(input, options: options)
    case .packetLogger: if let layout = PacketLoggerFormat(detecting: beginning) { return PacketLoggerContainer(input, layout) }
    }
    throw Self.refusal(of: beginning, file: file)
  }
}
