import ByteParsing

/// Reads a capture record by record, in one pass and with memory for one chunk.
///
/// Formats are told by content, never by name; compressed files, phones' reports and other archives are opened, and the parts of a
/// rotated log are read as one. Damage inside becomes findings; what comes before it is kept. Only what is no capture throws.
public struct CaptureReader {
  /// The file as the caller named it.
  public let file: String
  /// What the capture is; of several parts the first.
  public let format: CaptureFormat
  /// What was found in the container itself.
  public var findings: FindingLog { emitter.findings }
  /// Complete records read so far.
  public var recordCount: Int { emitter.recordCount }
  /// Bytes consumed so far of the part that is being read.
  public var byteOffset: Int { part.container.byteOffset }
  /// The time of the first record.
  public var start: CaptureTime? { emitter.start }
  /// Bytes of the file, where it is a plain one and this is known.
  public let byteCount: Int?

  /// Why there is nothing to work on, after all records were read; `nil` where there was a packet.
  public var emptiness: CaptureError? {
    guard emitter.packetCount == 0 else { return nil }
    return Self.emptiness(of: format, records: recordCount, isCut: findings.count(of: .cutLastRecord) > 0, file: file)
  }

  private let options: CaptureOptions
  private var part: CapturePart
  /// Parts that follow, with the times at which they begin.
  private var following: [(segment: CaptureSegment, start: CaptureTime?)] = []
  private var emitter: RecordEmitter

  /// Opens the file at `path`; `-` is standard input. Older parts of an Android log (`NAME.last`, `NAME.1`…) beside it belong to it.
  public init(path: String, options: CaptureOptions = CaptureOptions()) throws(CaptureError) {
    let file = path == "-" ? "standard input" : path
    let parts = CaptureSiblings.siblings(of: path)
    let contents = try CaptureContents(path: path)
    guard parts.count > 1, contents.container == .plain else {
      try self.init(file: file, contents, options: options)
      return
    }
    var segments: [CaptureSegment] = []
    for part in parts { segments += try CaptureContents(path: part).segments }
    try self.init(file: file, CaptureContents(joining: segments), options: options)
  }

  /// Reads bytes that are in memory; `file` is for messages.
  public init(bytes: [UInt8], file: String, options: CaptureOptions = CaptureOptions()) throws(CaptureError) {
    try self.init(file: file, try CaptureContents(bytes: bytes, file: file), options: options)
  }

  private init(file: String, _ contents: CaptureContents, options: CaptureOptions) throws(CaptureError) {
    self.file = file
    self.options = options
    emitter = RecordEmitter(file: file, options: options)
    byteCount = contents.byteCount
    let segments = contents.segments.count > 1 ? CapturePart.ordered(contents.segments, options) : contents.segments.map { ($0, nil) }
    guard let first = segments.first else { throw Self.refusal(of: RawSpan(), file: file) }
    part = try CapturePart(first.0, file: file, options: options)
    format = part.format
    following = segments.dropFirst().map { (segment: $0.0, start: $0.1) }
    emitter.note(contents, order: segments.map(\.0.name))
    emitter.overlap.nextStart = following.first?.start
  }

  /// Hands every record that is left to `body`, in order.
  public mutating func forEachRecord(_ body: (borrowing CaptureRecord) throws -> Void) throws {
    try part.container.forEachRecord(&emitter, body)
    emitter.noteEnd(of: part)
    while let next = following.first {
      following.removeFirst()
      emitter.overlap.beginNext(nextStart: following.first?.start)
      do throws(CaptureError) { part = try CapturePart(next.segment, file: next.segment.name, options: options) } catch {
        // The parts before it were read; they are not given up for this one.
        emitter.findings.add(.unreadablePart, .problem, frame: nil, "\(error)")
        continue
      }
      try part.container.forEachRecord(&emitter, body)
      emitter.noteEnd(of: part)
    }
    emitter.finish()
  }
}
