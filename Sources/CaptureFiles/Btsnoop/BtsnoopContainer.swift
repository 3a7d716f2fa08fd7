import ByteParsing

/// A btsnoop file: records one after the other behind a file header.
struct BtsnoopContainer: RecordContainer {
  private var input: InputBuffer
  private let datalink: BtsnoopDatalink
  /// The count of lost packets in the header before.
  private var lastDrops: UInt32 = 0

  /// Begins at the file header, which was read.
  init(_ input: consuming InputBuffer, _ datalink: BtsnoopDatalink) {
    self.input = input
    self.datalink = datalink
    self.input.consume(BtsnoopFormat.headerByteCount)
  }

  var byteOffset: Int { input.fileOffset }

  mutating func forEachRecord(_ emitter: inout RecordEmitter, _ body: (borrowing CaptureRecord) throws -> Void) throws {
    let headerLength = BtsnoopFormat.recordHeaderByteCount
    while try input.fill(headerLength) {
      let included = Int(input.span(headerLength).uint32(at: 4).byteSwapped)
      guard included <= BtsnoopFormat.maximumRecordByteCount else {
        return try emitter.noteCorrupt(at: input.fileOffset, "claims \(included) bytes, more than any packet has")
      }
      guard try input.fill(headerLength + included) else {
        return emitter.noteCutEnd(at: input.fileOffset, "\(input.available) of \(headerLength + included) bytes are there")
      }
      var drops = lastDrops
      let header = datalink.header(input.span(headerLength), &drops)
      lastDrops = drops
      defer { input.consume(headerLength + included) }
      try emitter.emit(header, at: input.fileOffset, input.span(included, from: headerLength), body)
    }
    if input.available > 0 { emitter.noteCutEnd(at: input.fileOffset, "\(input.available) of \(headerLength) bytes are there") }
  }
}
