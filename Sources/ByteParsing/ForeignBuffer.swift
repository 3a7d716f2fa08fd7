/// Memory that a caller of Foundation's streams hands over, and answers for.
package enum ForeignBuffer {
  /// Copies bytes to where a buffer begins that has room for them.
  @safe package static func write(_ bytes: some Collection<UInt8>, to buffer: UnsafeMutablePointer<UInt8>) {
    for (offset, byte) in bytes.enumerated() { unsafe buffer[offset] = byte }
  }

  /// The bytes that stand in a buffer.
  @safe package static func read(_ count: Int, from buffer: UnsafePointer<UInt8>) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: buffer, count: max(0, count)))
  }
}
