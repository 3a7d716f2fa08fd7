import ByteParsing

/// Reads what stands before a packet in its link type, and keeps what a link type needs to know of the packets before.
struct LinkTypeDecoder {
  /// What the user's numbers mean inside per-packet information.
  private let innerTypes: [UInt32: LinkLayerLinkType]
  private var usb = USBBluetooth()
  /// Bluetooth packets among what was decoded.
  private(set) var packets = 0
  private var guess = DirectionGuess()

  init(userLinkTypes: [UInt32: LinkType]) {
    innerTypes = userLinkTypes.compactMapValues { if case .linkLayer(let type) = $0.transport { type } else { nil } }
  }

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
    switch type.transport {
    case .linkLayer(let type): return try emitAir(type, place, bytes, &findings, body)
    case .usb(let type): return try emitUSB(type, isBigEndian: isBigEndian, place, bytes, &findings, body)
    case .hci: break
    }
    guard type != .hciUART else { return try emitUART(place, bytes, &findings, body) }
    guard bytes.byteCount >= 4 else {
      findings.add(
        .emptyRecord, .warning, frame: place.number,
        "record \(place.number) at byte \(place.byteOffset) has \(bytes.byteCount) bytes, fewer than the 4 of its link type's header")
      return try body(CaptureRecord(place, .unknown(0), place.direction ?? .hostToController, bytes, frame: bytes))
    }
    guard type == .monitor else {
      place.direction = bytes.uint32(at: 0).byteSwapped & 1 == 0 ? .hostToController : .controllerToHost
      return try emitUART(place, bytes, &findings, skipped: 4, body)
    }
    place.adapter = bytes.uint16(at: 0).byteSwapped
    let opcode = MonitorOpcode(rawValue: bytes.uint16(at: 2).byteSwapped)
    if case .unknown(let number) = opcode.kind {
      findings.add(.unknownRecord, .note, frame: place.number, "record \(place.number) has the unknown type \(number)")
    }
    place.typeNumber = UInt32(opcode.rawValue)
    if opcode.kind.isPacket { packets += 1 }
    try body(CaptureRecord(place, opcode.kind, opcode.direction, skipped: 4, bytes.suffix(from: 4), frame: bytes))
  }

  /// Takes a packet of BlueZ's radio simulator.
  mutating func emitSimulated(
    frequency: Int, _ place: RecordPlace, _ bytes: RawSpan, _ findings: inout FindingLog, _ body: (borrowing CaptureRecord) throws -> Void
  ) throws {
    var place = place
    place.linkType = .linkLayer
    let channel = frequency >= 2402 && frequency % 2 == 0 ? LinkLayerPacket.channel(radioFrequency: (frequency - 2402) / 2) : nil
    try emitAir(.bare, channel: channel, place, bytes.suffix(from: min(1, bytes.byteCount)), &findings, body)
  }

  private mutating func emitAir(
    _ type: LinkLayerLinkType, channel: Int? = nil, _ place: RecordPlace, _ bytes: RawSpan, _ findings: inout FindingLog,
    _ body: (borrowing CaptureRecord) throws -> Void
  ) throws {
    var place = place
    do {
      var packet = try type.parse(bytes, userTypes: innerTypes)
      packet.channel = packet.channel ?? channel
      packets += 1
      place.adapter = UInt16(packet.board)
      try body(CaptureRecord(place, packet, frame: bytes))
    } catch let error as LinkTypeError {
      if case .notAPacket = error {
        findings.add(.unknownRecord, .note, frame: place.number, "record \(place.number): \(error)")
        return try body(CaptureRecord(place, .transport, .hostToController, bytes, frame: bytes))
      }
      findings.add(.malformedPacket, .warning, frame: place.number, "record \(place.number) at byte \(place.byteOffset): \(error)")
      try body(CaptureRecord(place, .unknown(0), .hostToController, bytes, frame: bytes))
    }
  }

  private mutating func emitUSB(
    _ type: USBLinkType, isBigEndian: Bool, _ place: RecordPlace, _ bytes: RawSpan, _ findings: inout FindingLog,
    _ body: (borrowing CaptureRecord) throws -> Void
  ) throws {
    let transfer: USBTransfer
    do { transfer = try type.parse(bytes, isBigEndian: isBigEndian) } catch {
      findings.add(.malformedPacket, .warning, frame: place.number, "record \(place.number) at byte \(place.byteOffset): \(error)")
      return try body(CaptureRecord(place, .unknown(0), .hostToController, bytes, frame: bytes))
    }
    let outcome = try usb.add(transfer) { packet in
      var place = place
      place.adapter = packet.adapter
      place.original = packet.originalLength
      try body(CaptureRecord(place, packet.kind, packet.direction, packet.bytes, frame: bytes))
    }
    if outcome == .packet {
      packets += 1
    } else {
      if outcome == .missingData {
        findings.add(.cutPacket, .warning, frame: place.number, "record \(place.number) brings an HCI packet of which nothing was kept")
      }
      try body(CaptureRecord(place, .transport, .hostToController, bytes, frame: bytes))
    }
  }

  /// Tells what is only known at the end.
  func finish(_ findings: inout FindingLog) {
    let others = usb.count(of: .otherDevice)
    if others > 0 {
      findings.add(.otherDevices, .note, frame: nil, "\(others) USB transfers are of devices that are no Bluetooth controllers")
    }
    let audio = usb.count(of: .synchronous)
    if audio > 0 { findings.add(.otherDevices, .note, frame: nil, "\(audio) USB transfers carry audio, which is not read") }
    if usb.droppedPackets > 0 {
      findings.add(.missingFragment, .warning, frame: nil, "\(usb.droppedPackets) HCI packets lack a USB transfer of theirs")
    }
  }
}
