import ByteParsing

/// The snooz inside the text of an Android bug report, or of `dumpsys bluetooth_manager`.
///
/// `--- BEGIN:BTSNOOP_LOG_SUMMARY (N bytes in) ---` LF, base64 in lines of 128, LF `--- END:BTSNOOP_LOG_SUMMARY`. N is the size before it was
/// packed; older systems say the other size at the end, and none of it is needed.
enum SnoozText {
  static let marker = Array("--- BEGIN:BTSNOOP_LOG_SUMMARY".utf8)
  /// How such texts begin; the block itself stands many megabytes later.
  private static let beginnings = ["== dumpstate:", "Bluetooth Status"].map { Array($0.utf8) }

  /// Whether a text begins with these bytes that may hold a snooz.
  static func begins(_ bytes: RawSpan) -> Bool {
    let head = bytes.extracting(0..<min(bytes.byteCount, 1 << 12))
    // A PacketLogger file may hold a line of text that reads so; each of its records has zeros in its length.
    guard find([0], in: head) == nil else { return false }
    return find(marker, in: bytes) != nil || beginnings.contains { find($0, in: head) != nil }
  }

  /// No report's text is longer; the snooz is looked for up to here.
  private static let byteLimit = 1 << 32

  /// The bytes of the snooz in a text; `nil` where the text has none.
  ///
  /// The text is read as far as needed, in chunks.
  static func snooz(in source: any ByteSource) throws(CaptureError) -> (any ByteSource)? {
    var source = source
    var window: [UInt8] = []
    var fileOffset = 0
    while fileOffset < byteLimit, try source.read(InflatingSource.chunk, into: &window) > 0 {
      if let start = find(marker, in: window.byteSpan) {
        // The rest of the marker's line is no base64.
        var lineEnd = window[start...].firstIndex(of: UInt8(ascii: "\n"))
        while lineEnd == nil, window.count - start < 1000, try source.read(InflatingSource.chunk, into: &window) > 0 {
          lineEnd = window[start...].firstIndex(of: UInt8(ascii: "\n"))
        }
        guard let lineEnd else { return nil }
        return Base64Source(source, beginning: Array(window[(lineEnd + 1)...]), fileOffset: fileOffset + lineEnd + 1)
      }
      let gone = max(0, window.count - marker.count)
      window.removeFirst(gone)
      fileOffset += gone
    }
    return nil
  }

  /// The text's snooz as a btsnoop file; an error says that there is none, and how to get a log.
  static func open(_ source: any ByteSource, file: String) throws(CaptureError) -> SnoozSource {
    guard let snooz = try snooz(in: source) else {
      throw CaptureError(.noCapture, file: file, "is a text without the log of Bluetooth; \(CaptureAdvice.android)")
    }
    return try SnoozSource(snooz, file: file)
  }

  /// Where `pattern` begins, looked for by its first byte.
  private static func find(_ pattern: [UInt8], in bytes: RawSpan) -> Int? {
    guard let first = pattern.first, bytes.byteCount >= pattern.count else { return nil }
    var offset = 0
    let last = bytes.byteCount - pattern.count
    while offset <= last {
      if bytes.uint8(at: offset) == first, (1..<pattern.count).allSatisfy({ bytes.uint8(at: offset + $0) == pattern[$0] }) { return offset }
      offset += 1
    }
    return nil
  }
}
