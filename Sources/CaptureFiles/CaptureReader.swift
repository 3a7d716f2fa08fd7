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
    if recordCount == 0, let broken = emitter.firstDamage { return broken }
    return Self.emptiness(of: format, records: recordCount, isCut: findings.count(of: .cutLastRecord) > 0, file: file)
  }

  /// How it is read.
  public let options: CaptureOptions
  private var part: CapturePart
  /// Parts that follow, with the times at which they begin.
  private var following: [(segment: CaptureSegment, start: CaptureTime?)] = []
  private var emitter: RecordEmitter
  private var hasEnded = false

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

  /// Opens several files as one log: in the order of their times, what two have in common once.
  ///
  /// Each may be what a single one may be; ``file`` names them all.
  public init(joining paths: [String], options: CaptureOptions = CaptureOptions()) throws(CaptureError) {
    var segments: [CaptureSegment] = []
    for path in paths { segments += try CaptureContents(path: path).segments }
    try self.init(file: Self.names(paths), CaptureContents(joining: segments), options: options)
  }

  /// Reads several captures that are in memory as one log.
  public init(joining parts: [(file: String, bytes: [UInt8])], options: CaptureOptions = CaptureOptions()) throws(CaptureError) {
    var segments: [CaptureSegment] = []
    for part in parts { segments += try CaptureContents(bytes: part.bytes, file: part.file).segments }
    try self.init(file: Self.names(parts.map(\.file)), CaptureContents(joining: segments), options: options)
  }

  private static func names(_ files: [String]) -> String {
    files.map { String($0.split(separator: "/").last ?? "") }.joined(separator: " + ")
  }

  private init(file: String, _ contents: CaptureContents, options: CaptureOptions) throws(CaptureError) {
    self.file = file
    self.options = options
    emitter = RecordEmitter(file: file, options: options)
    byteCount = contents.byteCount
    let segments = contents.segments.count > 1 ? CapturePart.ordered(contents.segments, options) : contents.segments.map { ($0, nil) }
    emitter.note(contents, order: segments.map(\.0.name))
    (part, following) = try Self.first(of: segments, file: file, options, &emitter)
    format = part.format
    if segments.count > 1 { emitter.partName = part.name }
    emitter.overlap.nextStart = nextStart
  }

  /// The first part that can be opened, and those behind it: one that is damaged does not keep the others from being read.
  private static func first(
    of segments: [(CaptureSegment, CaptureTime?)], file: String, _ options: CaptureOptions, _ emitter: inout RecordEmitter
  ) throws(CaptureError) -> (CapturePart, [(segment: CaptureSegment, start: CaptureTime?)]) {
    var firstError: CaptureError?
    for (index, (segment, _)) in segments.enumerated() {
      do throws(CaptureError) {
        let part = try CapturePart(segment, file: segments.count > 1 ? segment.name : file, options: options)
        return (part, segments.dropFirst(index + 1).map { (segment: $0.0, start: $0.1) })
      } catch {
        if firstError == nil { firstError = error }
        emitter.findings.add(.unreadablePart, .problem, frame: nil, "\(error)")
      }
    }
    throw firstError ?? refusal(of: RawSpan(), file: file)
  }

  /// When the next part begins whose time is known.
  private var nextStart: CaptureTime? { following.lazy.compactMap(\.start).first }

  /// Hands every record that is left to `body`, in order; where `body` throws, the next call goes on behind the record that it was given.
  public mutating func forEachRecord(_ body: (borrowing CaptureRecord) throws -> Void) throws {
    guard !hasEnded else { return }
    while true {
      try part.container.forEachRecord(&emitter, body)
      emitter.noteEnd(of: part)
      guard let next = openNext() else { break }
      part = next
      emitter.partName = next.name
      emitter.overlap.beginNext(nextStart: nextStart)
    }
    hasEnded = true
    emitter.finish()
  }

  /// The next part that can be opened; those that cannot are told, and do not cost what was read before them.
  private mutating func openNext() -> CapturePart? {
    while !following.isEmpty {
      let segment = following.removeFirst().segment
      do throws(CaptureError) { return try CapturePart(segment, file: segment.name, options: options) } catch {
        emitter.findings.add(.unreadablePart, .problem, frame: nil, "\(error)")
      }
    }
    return nil
  }
}
