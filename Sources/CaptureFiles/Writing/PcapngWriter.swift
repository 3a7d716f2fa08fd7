import ByteParsing

/// Builds a little-endian pcapng file, record by record: an interface for each controller and link type, times in nanoseconds.
///
/// HCI packets are written with link type 201 and their direction twice, before the packet and in the block's flags; BlueZ's own
/// records with 254; link-layer packets as they were. Text between packets becomes a comment of the next one, or of the interface's
/// statistics where no packet follows or there is much of it.
public struct PcapngWriter: CaptureWriter {
  private struct Interface: Hashable {
    var type: UInt32
    var adapter: UInt16
  }
  /// The first section has no end that is known while it is written.
  private static let unknownLength = UInt64.max
  private var writer = ByteWriter(capacity: 1 << 12)
  private var interfaces: [Interface: UInt32] = [:]
  /// Seconds that are added to every time, where the first is before 1970.
  private var offset: Int64?
  private var comments: [[UInt8]] = []
  private var commentByteCount = 0
  /// How much text waits for a packet; more of it goes into blocks of its own, so that no block grows beyond what readers take.
  private static let commentLimit = 1 << 16
  /// The time of the last packet, on the scale of the file.
  private var lastTicks: UInt64 = 0

  /// Begins with the section header.
  public init() {
    block(PcapngBlockType.section) { writer in
      writer.uint32(0x1A2B_3C4D)
      writer.uint16(1)
      writer.uint16(0)
      writer.uint64(Self.unknownLength)
    }
  }

  public mutating func takeBytes() -> [UInt8] {
    defer { writer.bytes.removeAll(keepingCapacity: true) }
    return writer.bytes
  }

  public mutating func append(_ record: borrowing CaptureRecord) -> CaptureLoss? {
    var prefix = ByteWriter(capacity: 8)
    let type: LinkType
    if let indicator = record.kind.indicator {
      type = .hciUARTWithDirection
      prefix.uint32BigEndian(UInt32(record.direction.rawValue))
      prefix.uint8(indicator)
    } else if case .note = record.kind, record.linkType != .monitor, record.typeNumber > 0xEF {
      return keep(record.bytes.extracting(0..<min(record.bytes.byteCount, 0xFFF0)).array)
    } else if let opcode = MonitorOpcode(record) {
      type = .monitor
      prefix.bytes = [UInt8(record.adapter >> 8), UInt8(record.adapter & 0xFF), UInt8(opcode.rawValue >> 8), UInt8(opcode.rawValue & 0xFF)]
    } else if record.kind == .linkLayer, let own = record.linkType {
      type = own
    } else {
      return record.kind == .transport ? nil : .record
    }
    let payload = record.kind == .linkLayer ? record.frame : record.bytes
    // Only a hostile file has such packets, and every reader would take them for damage.
    guard payload.byteCount < BtsnoopFormat.maximumRecordByteCount else { return .record }
    let time = record.recordedTime
    if offset == nil { offset = time.seconds < 0 ? time.seconds : 0 }
    // A monitor record names its controller itself.
    let interface = interface(Interface(type: type.rawValue, adapter: type == .hciUARTWithDirection ? record.adapter : 0))
    let ticks = time.subtracting(CaptureTime(seconds: offset ?? 0, nanoseconds: 0)).nanoseconds(
      since: CaptureTime(seconds: 0, nanoseconds: 0))
    let (kept, original) = (
      prefix.bytes.count + payload.byteCount, prefix.bytes.count + payload.byteCount + (record.originalLength - record.bytes.byteCount)
    )
    let notes = takeComments()
    lastTicks = UInt64(max(0, ticks))
    let direction: UInt32 = record.direction == .controllerToHost ? 1 : 2
    let start = begin(PcapngBlockType.enhancedPacket)
    writer.uint32(interface)
    writer.uint32(UInt32(truncatingIfNeeded: lastTicks >> 32))
    writer.uint32(UInt32(truncatingIfNeeded: lastTicks))
    writer.uint32(UInt32(clamping: kept))
    writer.uint32(UInt32(clamping: original))
    writer.append(prefix.bytes)
    writer.bytes.append(contentsOf: payload)
    pad(kept)
    for note in notes { option(1, note) }
    if type == .hciUARTWithDirection { option(2, (0..<4).map { UInt8(truncatingIfNeeded: direction >> (8 * $0)) }) }
    if type == .hciUARTWithDirection || !notes.isEmpty { writer.uint32(0) }
    end(start)
    return ticks < 0 || ticks == .max ? .time : nil
  }

  private mutating func interface(_ interface: Interface) -> UInt32 {
    if let known = interfaces[interface] { return known }
    let number = UInt32(interfaces.count)
    interfaces[interface] = number
    let start = begin(PcapngBlockType.interface)
    writer.uint16(UInt16(truncatingIfNeeded: interface.type))
    writer.uint16(0)
    writer.uint32(0)
    option(2, Array(Self.name(interface).utf8))
    option(9, [9])
    if let offset, offset != 0 { option(14, (0..<8).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) }) }
    writer.uint32(0)
    end(start)
    return number
  }

  private static func name(_ interface: Interface) -> String {
    switch LinkType(rawValue: interface.type) {
    case .monitor: "bluetooth-monitor"
    case .hciUARTWithDirection: "bluetooth\(interface.adapter)"
    default: "sniffer"
    }
  }

  /// Keeps a text until a packet comes; tells where there is no place for it.
  private mutating func keep(_ text: [UInt8]) -> CaptureLoss? {
    if commentByteCount + text.count > Self.commentLimit { writeComments() }
    guard comments.isEmpty || commentByteCount + text.count <= Self.commentLimit else { return .record }
    comments.append(text)
    commentByteCount += text.count + 8
    return nil
  }

  private mutating func takeComments() -> [[UInt8]] {
    defer { (comments, commentByteCount) = ([], 0) }
    return comments
  }

  public mutating func finish() { writeComments() }

  /// An Interface Statistics Block of the first interface, with the texts that wait as its comments; nothing before there is an interface.
  private mutating func writeComments() {
    guard !comments.isEmpty, !interfaces.isEmpty else { return }
    let start = begin(PcapngBlockType.interfaceStatistics)
    writer.uint32(0)
    writer.uint32(UInt32(truncatingIfNeeded: lastTicks >> 32))
    writer.uint32(UInt32(truncatingIfNeeded: lastTicks))
    for text in takeComments() { option(1, text) }
    writer.uint32(0)
    end(start)
  }

  private mutating func option(_ code: UInt16, _ value: [UInt8]) {
    writer.uint16(code)
    writer.uint16(UInt16(clamping: value.count))
    writer.append(value)
    pad(value.count)
  }

  private mutating func pad(_ count: Int) { for _ in 0..<(-count & 3) { writer.uint8(0) } }

  private mutating func block(_ type: UInt32, _ body: (inout ByteWriter) -> Void) {
    let start = begin(type)
    body(&writer)
    end(start)
  }

  private mutating func begin(_ type: UInt32) -> Int {
    let start = writer.bytes.count
    writer.uint32(type)
    writer.uint32(0)
    return start
  }

  private mutating func end(_ start: Int) {
    let length = UInt32(clamping: writer.bytes.count + 4 - start)
    writer.uint32(length)
    for index in 0..<4 { writer.bytes[start + 4 + index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
  }
}
