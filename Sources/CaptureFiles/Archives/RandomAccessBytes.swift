/// Bytes that can be read at any place, as archives need it whose directory stands at their end.
protocol RandomAccessBytes: Sendable {
  /// How many there are.
  var byteCount: Int { get }

  /// Appends up to `count` bytes from `offset` on to `buffer` and tells how many; 0 behind the end.
  func read(_ count: Int, at offset: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int
}

extension RandomAccessBytes {
  /// The bytes from `offset` on, as many of `count` as there are.
  func bytes(_ count: Int, at offset: Int) throws(CaptureError) -> [UInt8] {
    var source = RangeSource(self, from: offset, count: count)
    return try source.readAll(upTo: count)
  }
}

/// Bytes in memory.
struct MemoryBytes: RandomAccessBytes {
  let bytes: [UInt8]
  var byteCount: Int { bytes.count }

  func read(_ count: Int, at offset: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    guard offset >= 0, offset < bytes.count, count > 0 else { return 0 }
    let end = offset + min(count, bytes.count - offset)
    buffer += bytes[offset..<end]
    return end - offset
  }
}

/// A part of other bytes, as the stored entry of an archive is one.
struct PartOfBytes: RandomAccessBytes {
  private let whole: any RandomAccessBytes
  private let start: Int
  let byteCount: Int

  /// `count` bytes from `start` on; the part has to lie within the whole.
  init(_ whole: any RandomAccessBytes, from start: Int, count: Int) { (self.whole, self.start, byteCount) = (whole, start, count) }

  func read(_ count: Int, at offset: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    guard offset >= 0, offset < byteCount, count > 0 else { return 0 }
    return try whole.read(min(count, byteCount - offset), at: start + offset, into: &buffer)
  }
}

/// Hands a range out in order.
struct RangeSource: ByteSource {
  private let bytes: any RandomAccessBytes
  private var position: Int
  private var rest: Int

  /// `count` bytes from `start` on; both come from files and may be nonsense, which reads as no bytes.
  init(_ bytes: any RandomAccessBytes, from start: Int = 0, count: Int = .max) {
    self.bytes = bytes
    position = start < 0 ? bytes.byteCount : min(start, bytes.byteCount)
    rest = min(max(0, count), bytes.byteCount - position)
  }

  /// Passes over up to `count` bytes without reading them.
  mutating func skip(_ count: Int) {
    let step = min(max(0, count), rest)
    position += step
    rest -= step
  }

  mutating func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    guard rest > 0, count > 0 else { return 0 }
    let got = try bytes.read(min(count, rest), at: position, into: &buffer)
    position += got
    rest -= got
    return got
  }
}
