import ByteParsing

/// A pcapng file: sections of blocks, each `type(4) length(4) body(length−12) length(4)` in the byte order of its section.
///
/// Read by our own code because libpcap hides direction flags and refuses interfaces that differ.
/// Source: the IETF draft "PCAP Now Generic Capture File Format".
struct PcapngContainer: RecordContainer {
  /// What Wireshark takes; long comments come near, packets do not.
  private static let maximumBlockByteCount = 1 << 24
  private var input: InputBuffer
  private var section: PcapngSection

  /// Begins at the first section.
  init(_ input: consuming InputBuffer, options: CaptureOptions) {
    self.input = input
    section = PcapngSection(options: options)
  }

  var byteOffset: Int { input.fileOffset }

  /// Whether a file begins with a section header.
  static func detect(_ beginning: RawSpan) -> Bool {
    beginning.byteCount >= 4 && beginning.uint32(at: 0) == PcapngBlockType.section
  }

  /// The link types at the head of a file, as far as `beginning` has them.
  static func linkTypes(_ beginning: RawSpan, file: String, options: CaptureOptions) throws(CaptureError) -> [UInt32] {
    guard beginning.byteCount >= 28 else {
      throw CaptureError(
        .cutHeader, file: file, byteOffset: beginning.byteCount,
        "is cut inside the pcapng section header: \(beginning.byteCount) of 28 bytes are there; copy the file again")
    }
    guard let bigEndian = PcapngSection.order(beginning) else {
      throw CaptureError(
        .damaged, file: file, byteOffset: 8, "has a pcapng section header without its byte order mark: the file is damaged; copy it again")
    }
    var numbers: [UInt32] = []
    var offset = 0
    while offset + 12 <= beginning.byteCount {
      let head = PcapngBlock(beginning.suffix(from: offset), isBigEndian: bigEndian)
      let (type, length) = (head.uint32(at: 0), Int(head.uint32(at: 4)))
      if type == PcapngBlockType.interface, offset + 10 <= beginning.byteCount { numbers.append(UInt32(head.uint16(at: 8))) }
      guard !PcapngBlockType.isPacket(type), type != PcapngBlockType.section || offset == 0, length >= 12 else { break }
      offset += length
    }
    if !numbers.isEmpty, numbers.allSatisfy({ LinkType($0, options) == nil }) {
      throw .unsupported(linkTypes: Array(Set(numbers)).sorted(), file: file, byteOffset: nil)
    }
    return numbers
  }

  mutating func forEachRecord(_ emitter: inout RecordEmitter, _ body: (borrowing CaptureRecord) throws -> Void) throws {
    // Taken out while blocks are read, for they lie in a part of the same value.
    var section = section
    defer { self.section = section }
    while try input.fill(12) {
      if let problem = section.beginBlock(input.span(12)) { return try emitter.noteCorrupt(at: input.fileOffset, problem) }
      let (type, length) = (section.blockType, section.blockLength)
      guard PcapngBlockType.isRead(type) else {
        let start = input.fileOffset
        if let missing = try input.skip(length) {
          return emitter.noteCutEnd(at: start, "\(length - missing) of \(length) bytes are there")
        }
        continue
      }
      guard length <= Self.maximumBlockByteCount else {
        return try emitter.noteCorrupt(at: input.fileOffset, "lies in a block of \(length) bytes, more than any packet has")
      }
      guard try input.fill(length) else {
        return emitter.noteCutEnd(at: input.fileOffset, "\(input.available) of \(length) bytes are there")
      }
      if let problem = section.endBlock(input.span(4, from: length - 4)) {
        return try emitter.noteCorrupt(at: input.fileOffset, problem)
      }
      let step = section.take(PcapngBlock(input.span(length - 12, from: 8), isBigEndian: section.isBigEndian), &emitter)
      if case .problem(let problem) = step { return try emitter.noteCorrupt(at: input.fileOffset, problem) }
      defer { input.consume(length) }
      if case .packet(let header, let bytes) = step {
        try emitter.emit(header, at: input.fileOffset, input.span(bytes.count, from: 8 + bytes.lowerBound), body)
      }
    }
    if input.available > 0 { emitter.noteCutEnd(at: input.fileOffset, "\(input.available) of 12 bytes are there") }
  }
}
