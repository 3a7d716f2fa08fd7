import ByteParsing

/// A file of Apple's PacketLogger: records one after the other, without a file header.
struct PacketLoggerContainer: RecordContainer {
  private var input: InputBuffer
  private let format: PacketLoggerFormat

  init(_ input: consuming InputBuffer, _ format: PacketLoggerFormat) {
    self.input = input
    self.format = format
  }

  var byteOffset: Int { input.fileOffset }

  mutating func forEachRecord(_ emitter: inout RecordEmitter, _ body: (borrowing CaptureRecord) throws -> Void) throws {
    let headerLength = PacketLoggerFormat.headerByteCount
    while try input.fill(headerLength) {
      guard let header = format.header(input.span(headerLength)) else {
        return try emitter.noteCorrupt(at: input.fileOffset, "has a length shorter than its own header")
      }
      guard header.original <= BtsnoopFormat.maximumRecordByteCount else {
        return try emitter.noteCorrupt(at: input.fileOffset, "claims \(header.original) bytes, more than any packet has")
      }
      let length = headerLength + header.original
      guard try input.fill(length) else {
        return emitter.noteCutEnd(at: input.fileOffset, "\(input.available) of \(length) bytes are there")
      }
      defer { input.consume(length) }
      try emitter.emit(header, at: input.fileOffset, input.span(header.original, from: headerLength), body)
    }
    if input.available > 0 { emitter.noteCutEnd(at: input.fileOffset, "\(input.available) of \(headerLength) bytes are there") }
  }
}
