import ByteParsing

extension CaptureReader {
  /// Why a file is no capture that is read, told by its first bytes.
  static func refusal(of beginning: RawSpan, file: String) -> CaptureError {
    let bytes = beginning.extracting(0..<min(512, beginning.byteCount)).array
    if bytes.isEmpty {
      return CaptureError(.empty, file: file, "is empty: the log was not switched on, or was not flushed yet; \(CaptureAdvice.both)")
    }
    if BtsnoopFormat.magic.starts(with: bytes.prefix(8)) {
      return CaptureError(
        .cutHeader, file: file, byteOffset: bytes.count,
        "is cut inside the btsnoop header: \(bytes.count) of \(BtsnoopFormat.headerByteCount) bytes are there; copy the file again")
    }
    if isText(bytes) {
      let text = String(decoding: bytes, as: UTF8.self)
      let kind =
        text.contains("Bluetooth monitor ver")
        ? "the printed output of btmon: record with `btmon -w FILE`"
        : text.contains("HCI sniffer")
          ? "the printed output of hcidump: record with `hcidump -w FILE`"
          : text.hasPrefix("{") || text.hasPrefix("[")
            ? "JSON, perhaps exported from a viewer: give the capture itself" : "give the capture itself"
      return CaptureError(.unknownFormat, file: file, byteOffset: 0, "is text and no capture; \(kind)")
    }
    return CaptureError(
      .unknownFormat, file: file, byteOffset: 0,
      "is no capture that can be read; btsnoop, pcap, pcapng and PacketLogger files are. \(CaptureAdvice.both)")
  }

  /// What a file without a packet is, and what to do about it.
  static func emptiness(of format: CaptureFormat, records: Int, isCut: Bool, file: String) -> CaptureError {
    if isCut, records == 0 {
      return CaptureError(.noRecords, file: file, "is cut inside its first record: nothing can be read; copy the file again")
    }
    guard records == 0 else {
      return CaptureError(
        .noBluetooth, file: file,
        "holds \(records) record\(records == 1 ? "" : "s") and none of them is a Bluetooth packet; was the right adapter or bus captured, "
          + "and Bluetooth in use?")
    }
    if case .btsnoop = format {
      return CaptureError(
        .noRecords, file: file,
        "has a header and no record: the log was on and nothing was written. On Android, switch Bluetooth off and on after the developer "
          + "option is set (some phones need a restart), use the app, and take the log again")
    }
    return CaptureError(.noRecords, file: file, "has a header and no record: nothing was captured before the recording ended; record again")
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    let controls = bytes.filter { $0 < 0x09 || (0x0E..<0x20).contains($0) && $0 != 0x1B }
    guard controls.isEmpty else { return false }
    // The end may lie inside a character.
    return (0...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}
