/// Where a capture's bytes come from: handed out in order, once.
protocol ByteSource {
  /// Appends up to `count` bytes to `buffer` and tells how many; 0 is the end.
  mutating func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int
}

/// Bytes that are in memory already.
struct MemorySource: ByteSource {
  let bytes: [UInt8]
  var position = 0

  mutating func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    let end = min(bytes.count, position + count)
    defer { position = end }
    buffer += bytes[position..<end]
    return end - position
  }
}
