import CUnderstudyZlib

/// Compresses test data with zlib itself.
public enum Deflate {
  public enum Wrapping: Int32, Sendable, CaseIterable {
    case gzip = 31
    case zlib = 15
    case raw = -15
  }

  /// The whole stream of `bytes`.
  public static func compress(_ bytes: [UInt8], _ wrapping: Wrapping, level: Int32 = 6) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard deflateInit2_(&stream, level, Z_DEFLATED, wrapping.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK else { return [] }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))) + 64)
    let room = output.count
    let left = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = uInt(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = uInt(target.count)
        _ = deflate(&stream, Z_FINISH)
        return Int(stream.avail_out)
      }
    }
    return Array(output.prefix(room - left))
  }

  /// CRC-32.
  public static func checksum(_ bytes: [UInt8]) -> UInt32 { UInt32(crc32(0, bytes, uInt(bytes.count))) }
}
