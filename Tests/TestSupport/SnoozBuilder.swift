import BLEWire
import ByteParsing
import CaptureFiles

/// Writes Android's snooz record by record.
public struct SnoozBuilder {
  public let version: UInt8
  /// Whether times are written as some phones of 2026 do: big-endian, from the year 0.
  public let hasForeignTimes: Bool
  private var records = ByteWriter()
  private var time: Int64?

  public init(version: UInt8 = 2, hasForeignTimes: Bool = false) { (self.version, self.hasForeignTimes) = (version, hasForeignTimes) }

  private func stamp(_ time: Int64) -> UInt64 {
    hasForeignTimes ? UInt64(bitPattern: time + 0x00DC_DDB3_0F2F_8000).byteSwapped : UInt64(bitPattern: time)
  }

  /// Adds a packet, without its H4 indicator; `kept` bytes of it.
  public mutating func packet(_ packet: [UInt8], type: UInt8, time: Int64, kept: Int? = nil) {
    let data = Array(packet.prefix(kept ?? packet.count))
    records.uint16(UInt16(data.count + 1))
    if version == 2 { records.uint16(UInt16(packet.count + 1)) }
    records.uint32(UInt32(truncatingIfNeeded: self.time.map { stamp(time) &- stamp($0) } ?? 0))
    records.uint8(type)
    records.append(data)
    self.time = time
  }

  /// What is inside the compression.
  public var inflated: [UInt8] { records.bytes }

  /// The snooz.
  public var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.uint8(version)
    writer.uint64(stamp(time ?? 0))
    writer.append(Deflate.compress(records.bytes, .zlib))
    return writer.bytes
  }

  /// A bug report's text with the snooz in it; `padding` bytes stand before it.
  public func text(padding: Int = 100, lineEnd: String = "\n") -> [UInt8] {
    Self.text(around: bytes, inflatedByteCount: inflated.count, padding: padding, lineEnd: lineEnd)
  }

  /// A bug report's text with any bytes in the place of its snooz.
  public static func text(around bytes: [UInt8], inflatedByteCount: Int, padding: Int = 100, lineEnd: String = "\n") -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var encoded: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
      for digit in 0..<4 { encoded.append(digit > group.count ? 0x3D : alphabet[Int(bits >> (18 - 6 * UInt32(digit)) & 63)]) }
      if encoded.count % 130 == 128 { encoded += Array(lineEnd.utf8) }
    }
    let filler = Array("--- a line of the report ---\(lineEnd)".utf8)
    return Array("========\n== dumpstate: 2026-04-20 18:54:25\n".utf8) + (0..<(padding / filler.count)).flatMap { _ in filler }
      + Array("--- BEGIN:BTSNOOP_LOG_SUMMARY (\(inflatedByteCount) bytes in) ---\(lineEnd)".utf8) + encoded
      + Array("\(lineEnd)--- END:BTSNOOP_LOG_SUMMARY ---\(lineEnd)more\n".utf8)
  }
}
