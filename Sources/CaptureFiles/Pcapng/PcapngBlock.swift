import ByteParsing

/// The body of one pcapng block, between its two lengths.
struct PcapngBlock: ~Escapable {
  let body: RawSpan
  let isBigEndian: Bool

  @_lifetime(copy body)
  init(_ body: RawSpan, isBigEndian: Bool) {
    self.body = body
    self.isBigEndian = isBigEndian
  }

  @inline(__always) func uint16(at offset: Int) -> UInt16 { isBigEndian ? body.uint16(at: offset).byteSwapped : body.uint16(at: offset) }
  @inline(__always) func uint32(at offset: Int) -> UInt32 { isBigEndian ? body.uint32(at: offset).byteSwapped : body.uint32(at: offset) }
  @inline(__always) func uint64(at offset: Int) -> UInt64 { isBigEndian ? body.uint64(at: offset).byteSwapped : body.uint64(at: offset) }

  /// The options that begin at `start`.
  func options(from start: Int) -> PcapngOptions { PcapngOptions(offset: start) }

  /// The comments among the options (code 1), as text.
  func comments(from start: Int) -> [String] {
    var comments: [String] = []
    var options = options(from: start)
    while let (code, range) = options.next(self) {
      if code == 1 { comments.append(String(decoding: body.extracting(range).array, as: UTF8.self)) }
    }
    return comments
  }
}

/// Goes through a block's options: `code(2) length(2) value(length)`, padded to four bytes; what does not fit ends the list.
struct PcapngOptions {
  var offset: Int

  /// The next option's code, and where its value lies.
  @inline(__always)
  mutating func next(_ block: borrowing PcapngBlock) -> (code: UInt16, value: Range<Int>)? {
    guard offset + 4 <= block.body.byteCount else { return nil }
    let (code, length) = (block.uint16(at: offset), Int(block.uint16(at: offset + 2)))
    let start = offset + 4
    guard code != 0, start + length <= block.body.byteCount else { return nil }
    offset = start + (length + 3) & ~3
    return (code, start..<(start + length))
  }
}

/// The kinds of blocks that are looked at.
enum PcapngBlockType {
  static let section: UInt32 = 0x0A0D_0D0A
  static let interface: UInt32 = 1
  static let packet: UInt32 = 2
  static let simplePacket: UInt32 = 3
  static let interfaceStatistics: UInt32 = 5
  static let enhancedPacket: UInt32 = 6

  /// Whether it brings a packet.
  static func isPacket(_ type: UInt32) -> Bool { type == packet || type == simplePacket || type == enhancedPacket }

  /// Whether its body is looked at; names, secrets and what programs add of their own are passed over.
  static func isRead(_ type: UInt32) -> Bool {
    switch type {
    case section, interface, packet, simplePacket, interfaceStatistics, enhancedPacket: true
    default: false
    }
  }
}
