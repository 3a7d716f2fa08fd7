import CUnderstudyZlib
import ByteParsing

/// One run of zlib's inflate over arrays; the only place that calls zlib.
@safe final class Inflater {
  /// What zlib said after one step.
  enum Outcome: Hashable {
    /// More input or more room for output is wanted.
    case wantsMore
    /// The stream has ended, its checksum included.
    case ended
    case damaged(String)
  }

  /// On the heap, since zlib's state points back at it.
  private let stream: UnsafeMutablePointer<z_stream>
  private let isReady: Bool

  /// `windowBits` as zlib takes them: 31 for gzip, 15 for zlib, −15 for raw deflate.
  init(windowBits: Int32) {
    unsafe stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe isReady = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
  }

  deinit {
    if isReady { unsafe inflateEnd(stream) }
    unsafe stream.deinitialize(count: 1)
    unsafe stream.deallocate()
  }

  /// Makes ready for another stream of the same kind.
  func reset() { if isReady { unsafe inflateReset(stream) } }

  /// Takes input from `position` on, which it moves, and fills `output` from its beginning; tells how many bytes it made.
  func step(_ input: [UInt8], from position: inout Int, into output: inout [UInt8]) -> (count: Int, outcome: Outcome) {
    guard isReady else { return (0, .damaged("no memory is left for it")) }
    let start = min(position, input.count)
    let given = min(input.count - start, Int(Int32.max))
    let room = min(output.count, Int(Int32.max))
    let code = unsafe input.withUnsafeBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { target in
        // zlib never writes to its input; the C declaration only lacks the `const`.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress.map { unsafe $0 + start })
        unsafe stream.pointee.avail_in = uInt(given)
        unsafe stream.pointee.next_out = target.baseAddress
        unsafe stream.pointee.avail_out = uInt(room)
        return unsafe CUnderstudyZlib.inflate(stream, Z_NO_FLUSH)
      }
    }
    position = unsafe start + given - Int(stream.pointee.avail_in)
    let count = unsafe room - Int(stream.pointee.avail_out)
    switch code {
    case Z_OK, Z_BUF_ERROR: return (count, .wantsMore)
    case Z_STREAM_END: return (count, .ended)
    case Z_NEED_DICT: return (count, .damaged("it asks for a dictionary"))
    default: return (count, .damaged(unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "zlib's error \(code)"))
    }
  }
}

/// The checksum of zip and gzip: CRC-32 as ISO 3309 has it.
enum CyclicRedundancyCheck {
  /// Goes on from `value`, which is 0 at the beginning.
  static func update(_ value: UInt32, _ bytes: RawSpan) -> UInt32 {
    unsafe bytes.withUnsafeBytes { buffer in
      UInt32(
        truncatingIfNeeded: unsafe CUnderstudyZlib.crc32_z(
          uLong(value), buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count))
    }
  }
}
