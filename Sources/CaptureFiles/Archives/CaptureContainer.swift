import ByteParsing

/// What a file is around its captures, told by its first bytes and never by its name.
enum CaptureContainer: Sendable, Hashable, CaseIterable {
  /// A capture itself, or nothing that is known.
  case plain
  case gzip, zip, tar
  /// Android's snooz, taken out of its text.
  case snooz
  /// A text that may hold a snooz.
  case snoozText

  /// How many bytes are enough to tell.
  static let detectionByteCount = 4096

  /// Tells what begins with these bytes.
  static func detect(_ beginning: RawSpan) -> CaptureContainer {
    guard beginning.byteCount >= 4 else { return .plain }
    switch beginning.uint32(at: 0) {
    // An entry, or the end record of a zip without any.
    case 0x0403_4B50, 0x0605_4B50: return .zip
    case let word where word & 0xFF_FFFF == 0x08_8B1F: return .gzip
    default: break
    }
    if TarHeader.begins(beginning) { return .tar }
    if isCaptureByMagic(beginning) { return .plain }
    if SnoozFormat.begins(beginning) { return .snooz }
    return SnoozText.begins(beginning) ? .snoozText : .plain
  }

  /// Whether a capture begins with these bytes; PacketLogger has no magic, so that its records have to make sense.
  static func isCapture(_ beginning: RawSpan) -> Bool {
    isCaptureByMagic(beginning) || PacketLoggerFormat(detecting: beginning) != nil
  }

  /// btsnoop, pcapng, and pcap in both byte orders and precisions.
  static func isCaptureByMagic(_ beginning: RawSpan) -> Bool {
    guard beginning.byteCount >= 8 else { return false }
    if beginning.extracting(0..<8).array == BtsnoopFormat.magic { return true }
    return [0x0A0D_0D0A, 0xA1B2_C3D4, 0xD4C3_B2A1, 0xA1B2_3C4D, 0x4D3C_B2A1].contains(beginning.uint32(at: 0))
  }
}
