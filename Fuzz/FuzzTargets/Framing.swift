import ByteParsing
import CaptureFiles
import TestSupport

/// Wraps arbitrary bytes so that they reach the reader behind a checksum, a compression or a container.
enum Framing {
  static let options = CaptureOptions(userLinkTypes: [147: .linkLayer, 148: .nordicSniffer, 149: .linkLayerWithHeader])

  private static let start = CaptureTime(seconds: 1_700_000_000, nanoseconds: 0)

  /// A pcapng of the records in `bytes`: `choice(1) { length(2, little-endian) frame(length) }*`.
  ///
  /// The choice's lower five bits number the link type, bit 7 makes the file big-endian. Bit 15 of a length says that the capture kept
  /// only a part of the frame.
  static func capture(_ bytes: [UInt8], types: [LinkType]) -> [UInt8] {
    let choice = bytes.first ?? 0
    var builder = PcapngBuilder()
    builder.section(isBigEndian: choice & 0x80 != 0)
    builder.interface(linkType: UInt16(truncatingIfNeeded: types[Int(choice & 31) % types.count].rawValue))
    var rest = bytes.dropFirst()
    var time = start
    while rest.count > 2 {
      let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
      let frame = Array(rest.dropFirst(2).prefix(length & 0x7FFF))
      builder.packet(frame, time: time, originalLength: length & 0x8000 == 0 ? nil : frame.count + 16)
      time = CaptureTime(microseconds: time.microseconds + 1000)
      rest = rest.dropFirst(2 + frame.count)
    }
    return builder.bytes
  }

  /// A snooz with compression around the records of `version(1) time(8) records`; bit 7 of the version wraps it in a report's text.
  /// `nil` where the version has no such bit and is one already.
  static func snooz(_ bytes: [UInt8]) -> [UInt8]? {
    guard let version = bytes.first, version & 0xC0 != 0, bytes.count > 9 else { return nil }
    let snooz = [version & 3] + bytes[1..<9] + Deflate.compress(Array(bytes[9...]), .zlib, level: 1)
    return version & 0x80 == 0 ? snooz : SnoozBuilder.text(around: snooz, inflatedByteCount: bytes.count - 9)
  }

  /// The tar with the checksum of each block that could be a header put right, as no fuzzer guesses it.
  static func withRightChecksums(_ tar: [UInt8]) -> [UInt8] {
    var tar = tar
    for start in stride(from: 0, through: tar.count - 512, by: 512) where tar[start + 257] == UInt8(ascii: "u") {
      tar.replaceSubrange((start + 148)..<(start + 156), with: [UInt8](repeating: 0x20, count: 8))
      let digits = Array(String(tar[start..<(start + 512)].reduce(0) { $0 + Int($1) }, radix: 8).utf8)
      tar.replaceSubrange((start + 148)..<(start + 156), with: [UInt8](repeating: 0x30, count: 7 - digits.count) + digits + [0])
    }
    return tar
  }
}
