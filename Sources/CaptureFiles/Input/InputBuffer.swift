import ByteParsing

/// A window on a byte source that slides forward; it holds no more than a chunk and the record that is being read.
struct InputBuffer {
  /// How much is read at a time.
  static let chunk = 1 << 18
  private var source: any ByteSource
  private(set) var bytes: [UInt8] = []
  /// Index in `bytes` of the next byte that was not consumed.
  private(set) var position = 0
  /// Place of that byte in the file.
  private(set) var fileOffset = 0
  private var ended = false

  init(_ source: any ByteSource) { self.source = source }

  var available: Int { bytes.count - position }

  /// Makes `count` bytes available from the position on, and tells whether there are as many.
  mutating func fill(_ count: Int) throws(CaptureError) -> Bool {
    if available >= count { return true }
    if position > 0 {
      bytes.removeSubrange(0..<position)
      position = 0
    }
    while bytes.count < count, !ended {
      if try source.read(Self.chunk, into: &bytes) == 0 { ended = true }
    }
    return bytes.count >= count
  }

  /// The `count` bytes from the position on, which must have been filled.
  @_lifetime(borrow self)
  func span(_ count: Int, from offset: Int = 0) -> RawSpan {
    bytes.byteSpan.extracting((position + offset)..<(position + offset + count))
  }

  mutating func consume(_ count: Int) {
    position += count
    fileOffset += count
  }

  /// Passes over `count` bytes without keeping them; tells how many the source lacks, where it lacks any.
  mutating func skip(_ count: Int) throws(CaptureError) -> Int? {
    var left = count
    while left > available {
      left -= available
      consume(available)
      guard try fill(1) else { return left }
    }
    consume(left)
    return nil
  }
}

/// What is left of a buffered source is a source.
extension InputBuffer: ByteSource {
  mutating func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    guard try fill(1) else { return 0 }
    let count = min(count, available)
    buffer += bytes[position..<(position + count)]
    consume(count)
    return count
  }
}
