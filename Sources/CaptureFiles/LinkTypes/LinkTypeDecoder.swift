import ByteParsing

/// Reads what stands before a packet in its link type, and keeps what a link type needs to know of the packets before.
struct LinkTypeDecoder {
  private let userLinkTypes: [UInt32: LinkType]
  /// Bluetooth packets among what was decoded.
  private(set) var packets = 0
  private var guess = DirectionGuess()

  init(userLinkTypes: [UInt32: LinkType]) { self.userLinkTypes = userLinkTypes }

  /// Takes a packet behind its H4 indicator.
  @inline(__always)
  mutating func emitUART(
    _ place: RecordPlace, _ frame: RawSpan, _ findings: inout FindingLog, skipped: Int = 0, _ body: (borrowing CaptureRecord) throws -> Void
  ) throws {
    let bytes = frame.suffix(from: skipped)
    guard bytes.byteCount > 0 else {
      findings.add(
        .emptyRecord, .warning, frame: place.number, "record \(place.number) at byte \(place.byteOffset) has no bytes")
      return try body(CaptureRecord(place, .unknown(0), place.direction ?? .hostToController, skipped: skipped, bytes, frame: frame))
    }
    let indicator = bytes.uint8(at: 0)
    let packet = bytes.suffix(from: 1)
    let kind: CaptureRecord.Kind
    packets += 1
    switch HCIPacketType(rawValue: indicator) {
    case .command: kind = .command
    case .event: kind = .event
    case .aclData: kind = .aclData
    case .synchronousData: kind = .synchronousData
    case .isochronousData: kind = .isochronousData
    default:
      kind = .unknown(UInt32(indicator))
      packets -= 1
      findings.add(
        .unknownRecord, .note, frame: place.number, "record \(place.number) has H4 indicator \(indicator), which is no HCI packet")
    }
    var direction = place.direction ?? guess.direction(of: kind, packet, adapter: place.adapter)
    // The indicator is trusted before the flags: logs exist whose command/event flag is wrong.
    if kind == .command { direction = .hostToController } else if kind == .event { direction = .controllerToHost }
    try body(CaptureRecord(place, kind, direction, skipped: skipped + 1, packet, frame: frame))
  }

  /// Takes a packet of any other link type; multi-byte fields of some are in the order of the machine that captured.
  mutating func emit(
    _ type: LinkType, isBigEndian: Bool, _ place: RecordPlace, _ bytes: RawSpan, _ findings: inout FindingLog,
    _ body: (borrowing CaptureRecord) throws -> Void
  ) throws {
    var place = place
    place.linkType = type
    switch type {
    case .hciUART: try emitUART(place, bytes, &findings, body)
    case .hciUARTWithDirection:
      guard bytes.byteCount >= 4 else { return try emitShort(place, bytes, needed: 4, &findings, body) }
      place.direction = bytes.uint32(at: 0).byteSwapped & 1 == 0 ? .hostToController : .controllerToHost
      try emitUART(place, bytes, &findings, skipped: 4, body)
    case .monitor:
      guard bytes.byteCount >= 4 else { return try emitShort(place, bytes, needed: 4, &findings, body) }
      place.adapter = bytes.uint16(at: 0).byteSwapped
      let opcode = MonitorOpcode(rawValue: bytes.uint16(at: 2).byteSwapped)
      if case .unknown(let number) = opcode.kind {
        findings.add(.unknownRecord, .note, frame: place.number, "record \(place.number) has the unknown type \(number)")
      }
      place.typeNumber = UInt32(opcode.rawValue)
      if opcode.kind.isPacket { packets += 1 }
      try body(CaptureRecord(place, opcode.kind, opcode.direction, skipped: 4, bytes.suffix(from: 4), frame: bytes))
    }
  }

  private func emitShort(
    _ place: RecordPlace, _ bytes: RawSpan, needed: Int, _ findings: inout FindingLog, _ body: (borrowing CaptureRecord) throws -> Void
  ) throws {
    findings.add(
      .emptyRecord, .warning, frame: place.number,
      "record \(place.number) at byte \(place.byteOffset) has \(bytes.byteCount) bytes, fewer than the \(needed) of its link type's header")
    try body(CaptureRecord(place, .unknown(0), place.direction ?? .hostToController, bytes, frame: bytes))
  }
}
