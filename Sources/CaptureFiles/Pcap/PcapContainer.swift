import ByteParsing

/// Classic pcap, read by libpcap: micro- and nanosecond files in both byte orders.
///
/// File header: `magic(4) version(4) zone(4) accuracy(4) snapLength(4) linkType(4)`; record: `seconds(4) fraction(4) kept(4)
/// length(4) packet(kept)`, with eight bytes more in one old variant.
struct PcapContainer: RecordContainer {
  static let headerByteCount = 24
  /// Libpcap puts what USB's link types hold into the order of the machine that it runs on.
  private static let isBigEndianHost = 1.bigEndian == 1
  private let file: PcapFile
  private let layout: Layout
  private let linkType: LinkType
  private(set) var byteOffset = Self.headerByteCount

  /// What the magic number tells.
  struct Layout: Hashable {
    var isBigEndian: Bool
    var recordHeaderByteCount: Int

    /// Looks at the first four bytes; `nil` where they are no pcap file's.
    init?(detecting bytes: RawSpan) {
      guard bytes.byteCount >= 4 else { return nil }
      let word = bytes.uint32(at: 0)
      switch (word, word.byteSwapped) {
      case (0xA1B2_C3D4, _), (0xA1B2_3C4D, _): (isBigEndian, recordHeaderByteCount) = (false, 16)
      case (_, 0xA1B2_C3D4), (_, 0xA1B2_3C4D): (isBigEndian, recordHeaderByteCount) = (true, 16)
      case (0xA1B2_CD34, _): (isBigEndian, recordHeaderByteCount) = (false, 24)
      case (_, 0xA1B2_CD34): (isBigEndian, recordHeaderByteCount) = (true, 24)
      default: return nil
      }
    }
  }

  /// Opens a file that begins with `beginning`, whose layout was detected; `source` gives the whole of it.
  init(_ source: any ByteSource, _ layout: Layout, linkType: LinkType, file: String) throws(CaptureError) {
    (self.layout, self.linkType) = (layout, linkType)
    self.file = try PcapFile(source, file: file)
  }

  /// The link type in a file's header; its upper bits say how long the checksums at the ends of frames are.
  static func linkType(_ beginning: RawSpan, _ layout: Layout, file: String, options: CaptureOptions) throws(CaptureError) -> LinkType {
    guard beginning.byteCount >= headerByteCount else {
      throw CaptureError(
        .cutHeader, file: file, byteOffset: beginning.byteCount,
        "is cut inside the pcap header: \(beginning.byteCount) of \(headerByteCount) bytes are there; copy the file again")
    }
    let word = beginning.uint32(at: 20)
    let number = (layout.isBigEndian ? word.byteSwapped : word) & 0x03FF_FFFF
    guard let type = LinkType(number, options) else { throw .unsupported(linkTypes: [number], file: file, byteOffset: 20) }
    return type
  }

  mutating func forEachRecord(_ emitter: inout RecordEmitter, _ body: (borrowing CaptureRecord) throws -> Void) throws {
    while true {
      switch file.next() {
      case .packet:
        let (length, time) = file.lengthAndTime
        guard length <= 1 << 17 || file.keptLength > 0 else {
          return try emitter.noteCorrupt(at: byteOffset, "claims \(length) bytes and keeps none")
        }
        let header = RecordHeader(original: length, time: time, encapsulation: .link(linkType, isBigEndian: Self.isBigEndianHost))
        defer { byteOffset += layout.recordHeaderByteCount + file.keptLength }
        try emitter.emit(header, at: byteOffset, file.bytes, body)
      case .end: return
      case .failed(let reason):
        if let error = file.sourceError { throw error }
        if reason.hasPrefix("truncated") {
          return emitter.noteCutEnd(at: byteOffset, reason)
        }
        return try emitter.noteCorrupt(at: byteOffset, "is refused by libpcap (\(reason))")
      }
    }
  }
}
