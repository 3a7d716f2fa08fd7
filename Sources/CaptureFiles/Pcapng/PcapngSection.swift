import ByteParsing

/// What the blocks of a pcapng section have told so far: its byte order and its interfaces.
struct PcapngSection {
  /// What a block leads to.
  enum Step {
    case nothing
    case packet(RecordHeader, bytes: Range<Int>)
    /// The file makes no sense from this block on; the text ends "record N …".
    case problem(String)
  }

  /// Interfaces of a section: one for each controller that can be told apart, and more.
  private static let maximumInterfaces = 1 << 17
  private let options: CaptureOptions
  private(set) var isBigEndian = false
  /// Of the block at hand.
  private(set) var blockType: UInt32 = 0
  private(set) var blockLength = 0
  private var interfaces: [PcapngInterface] = []
  /// The numbers of the controllers that have an interface.
  private var adapters: Set<UInt16> = []
  /// No controller before this one lacks an interface.
  private var firstFree: UInt16 = 0
  private var lastTime = CaptureTime(seconds: 0, nanoseconds: 0)

  init(options: CaptureOptions) { self.options = options }

  /// The byte order of a section that begins with these bytes; `nil` where its mark is missing.
  static func order(_ section: RawSpan) -> Bool? {
    switch section.uint32(at: 8) {
    case 0x1A2B_3C4D: false
    case 0x4D3C_2B1A: true
    default: nil
    }
  }

  /// Reads a block's type and length from its first twelve bytes; tells what is wrong with them.
  mutating func beginBlock(_ head: RawSpan) -> String? {
    if head.uint32(at: 0) == PcapngBlockType.section {
      guard let order = Self.order(head) else { return "follows a section header without its byte order mark" }
      isBigEndian = order
    }
    let block = PcapngBlock(head, isBigEndian: isBigEndian)
    (blockType, blockLength) = (block.uint32(at: 0), Int(block.uint32(at: 4)))
    return blockLength >= 12 && blockLength % 4 == 0 ? nil : "lies in a block of \(blockLength) bytes, which no block has"
  }

  /// Holds the length at a block's end against that at its beginning.
  func endBlock(_ tail: RawSpan) -> String? {
    PcapngBlock(tail, isBigEndian: isBigEndian).uint32(at: 0) == blockLength ? nil : "lies in a block whose two lengths differ"
  }

  /// Takes the body of the block at hand.
  mutating func take(_ block: borrowing PcapngBlock, _ emitter: inout RecordEmitter) -> Step {
    switch blockType {
    case PcapngBlockType.section:
      (interfaces, adapters, firstFree) = ([], [], 0)
      note(block.comments(from: 16), frame: nil, &emitter)
    case PcapngBlockType.interface:
      guard interfaces.count < Self.maximumInterfaces else { return .problem("follows more than \(interfaces.count) interfaces") }
      guard var interface = PcapngInterface(block, options: options) else {
        return .problem("follows an interface without a link type")
      }
      interface.adapter = adapter(of: interface)
      if interface.type?.isOneController == true { adapters.insert(interface.adapter) }
      interfaces.append(interface)
      note(block.comments(from: 8), frame: nil, &emitter)
    case PcapngBlockType.interfaceStatistics:
      noteDrops(block, &emitter)
      note(block.comments(from: 12), frame: nil, &emitter)
    default: return packet(block, &emitter)
    }
    return .nothing
  }

  /// The number in its name, or else the first one that no interface has: captures of several machines may use a name twice.
  private mutating func adapter(of interface: PcapngInterface) -> UInt16 {
    if interface.type?.isOneController == true, let named = interface.namedAdapter, !adapters.contains(named) { return named }
    // No number is left; whoever has so many interfaces cannot tell them apart.
    guard adapters.count <= UInt16.max else { return .max }
    while adapters.contains(firstFree) { firstFree &+= 1 }
    return firstFree
  }

  /// `original(4) packet` in a simple block; `interface(4) time(8) kept(4) original(4) packet options` in an enhanced one, whose
  /// older form has `interface(2) drops(2)` in its first four bytes.
  private mutating func packet(_ block: borrowing PcapngBlock, _ emitter: inout RecordEmitter) -> Step {
    let isSimple = blockType == PcapngBlockType.simplePacket
    let fixed = isSimple ? 4 : 20
    guard block.body.byteCount >= fixed else { return .problem("lies in a block of \(blockLength) bytes, fewer than its header has") }
    let original = Int(block.uint32(at: isSimple ? 0 : 16))
    let (index, lost) =
      isSimple
      ? (0, 0) : blockType == PcapngBlockType.packet ? (Int(block.uint16(at: 0)), Int(block.uint16(at: 2))) : (Int(block.uint32(at: 0)), 0)
    guard index < interfaces.count else { return .problem("is of interface \(index), which the section does not describe") }
    let interface = interfaces[index]
    let kept = isSimple ? min(original, interface.snapLength ?? original, block.body.byteCount - 4) : Int(block.uint32(at: 12))
    guard kept <= block.body.byteCount - fixed else { return .problem("claims \(kept) bytes in a block of \(blockLength)") }
    var header = RecordHeader(
      original: original, time: lastTime,
      encapsulation: interface.type.map { .link($0, isBigEndian: isBigEndian) } ?? .hci(.unknown(interface.number)),
      adapter: interface.adapter)
    if isSimple {
      if emitter.findings.count(of: .missingTime) == 0 {
        emitter.findings.add(
          .missingTime, .warning, frame: emitter.recordCount + 1,
          "record \(emitter.recordCount + 1) has no time, as all simple packets; they count as simultaneous with the one before")
      }
    } else {
      lastTime = interface.time(high: block.uint32(at: 4), low: block.uint32(at: 8))
      header.time = lastTime
      // 0xFFFF says that the number is not known.
      if lost != 0xFFFF { header.lost = lost }
      let options = fixed + (kept + 3) & ~3
      if options + 4 <= block.body.byteCount { readOptions(block, from: options, &header, &emitter) }
    }
    return .packet(header, bytes: fixed..<(fixed + kept))
  }

  private func readOptions(
    _ block: borrowing PcapngBlock, from start: Int, _ header: inout RecordHeader, _ emitter: inout RecordEmitter
  ) {
    var options = block.options(from: start)
    while let (code, range) = options.next(block) {
      switch code {
      case 1:
        let text = String(decoding: block.body.extracting(range).array, as: UTF8.self)
        note([text], frame: emitter.recordCount + 1, &emitter)
      case 2 where range.count == 4:
        // The direction as the capturing machine sees it: 1 came in, 2 went out.
        let way = block.uint32(at: range.lowerBound) & 3
        header.direction = way == 1 ? .controllerToHost : way == 2 ? .hostToController : nil
      case 4 where range.count == 8: header.lost = Int(clamping: block.uint64(at: range.lowerBound))
      default: break
      }
    }
  }

  private func note(_ comments: [String], frame: Int?, _ emitter: inout RecordEmitter) {
    for comment in comments { emitter.findings.add(.comment, .note, frame: frame, "comment: \(comment)") }
  }

  /// Interface Statistics Block: `interface(4) time(8) options`; option 5 counts what the interface dropped.
  private func noteDrops(_ block: borrowing PcapngBlock, _ emitter: inout RecordEmitter) {
    guard block.body.byteCount >= 12 else { return }
    var options = block.options(from: 12)
    while let (code, range) = options.next(block) {
      guard code == 5, range.count == 8 else { continue }
      let drops = block.uint64(at: range.lowerBound)
      guard drops > 0 else { continue }
      emitter.findings.add(
        .droppedRecords, .warning, frame: nil, "interface \(block.uint32(at: 0)) lost \(drops) packets while it was captured")
    }
  }
}
