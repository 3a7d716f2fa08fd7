import ByteParsing

/// Numbers the packets of a capture, mends their times, reads their link types and hands them on as records.
struct RecordEmitter {
  /// The file as the caller named it.
  let file: String
  var findings = FindingLog()
  /// Records so far.
  private(set) var recordCount = 0
  /// Those that are HCI or link-layer packets, of any kind.
  var packetCount: Int { ownPackets + decoder.packets }
  private var ownPackets = 0
  /// The time of the first record.
  private(set) var start: CaptureTime?
  /// The part that is being read, where there are several; `nil` where the file is all there is.
  var partName: String?
  /// The first place where a part was damaged.
  var firstDamage: CaptureError?
  /// What the parts of a log have in common.
  var overlap = OverlapFilter()
  private var clock: ClockRepair
  private var decoder: LinkTypeDecoder

  init(file: String, options: CaptureOptions) {
    self.file = file
    clock = ClockRepair(isOn: !options.keepsRawTimes)
    decoder = LinkTypeDecoder(userLinkTypes: options.userLinkTypes)
  }

  /// Tells what is only known at the end.
  mutating func finish() { decoder.finish(&findings) }

  /// Takes one packet.
  @inline(__always)
  mutating func emit(
    _ header: RecordHeader, at byteOffset: Int, _ bytes: RawSpan, _ body: (borrowing CaptureRecord) throws -> Void
  ) throws {
    if overlap.isOn, overlap.isDouble(header, bytes) { return }
    recordCount += 1
    let number = recordCount
    if start == nil { start = header.time }
    if bytes.byteCount < header.original {
      findings.add(.cutRecord, .note, frame: number, "record \(number) keeps \(bytes.byteCount) of \(header.original) bytes")
    }
    if header.lost > 0 {
      findings.add(
        .droppedRecords, .warning, frame: number, "\(header.lost) packet\(header.lost == 1 ? "" : "s") lost before record \(number)")
    }
    let place = RecordPlace(
      number: number, byteOffset: byteOffset, time: clock.mend(header.time, isNote: header.encapsulation.isNote, frame: number, &findings),
      recordedTime: header.time,
      direction: header.direction, adapter: header.adapter, original: header.original, typeNumber: header.typeNumber)
    switch header.encapsulation {
    case .hci(let kind):
      if case .unknown(let type) = kind {
        findings.add(.unknownRecord, .note, frame: number, "record \(number) has the unknown type \(type)")
      }
      if kind.isPacket { ownPackets += 1 }
      try body(CaptureRecord(place, kind, place.direction ?? .hostToController, bytes, frame: bytes))
    case .simulator(let frequency): try decoder.emitSimulated(frequency: frequency, place, bytes, &findings, body)
    case .link(.hciUART, _): try decoder.emitUART(place, bytes, &findings, body)
    case .link(let type, let isBigEndian): try decoder.emit(type, isBigEndian: isBigEndian, place, bytes, &findings, body)
    }
  }
}

/// Where a packet stands in its capture.
struct RecordPlace {
  var number: Int
  var byteOffset: Int
  var time: CaptureTime
  var recordedTime: CaptureTime
  var direction: CaptureRecord.Direction?
  var adapter: UInt16
  var original: Int
  var typeNumber: UInt32
  var linkType: LinkType?
}

extension CaptureRecord {
  /// A packet of the link layer at its place.
  @_lifetime(copy packet, copy frame)
  init(_ place: RecordPlace, _ packet: consuming LinkLayerPacket, frame: RawSpan) {
    let direction: Direction = packet.isCentralToPeripheral == false ? .controllerToHost : .hostToController
    self.init(
      number: place.number, byteOffset: place.byteOffset, time: place.time, recordedTime: place.recordedTime, kind: .linkLayer,
      direction: direction, adapter: place.adapter, bytes: packet.pdu, originalLength: packet.originalLength, linkType: place.linkType,
      frame: frame, air: packet)
  }

  /// A record at its place; `skipped` bytes stood before the packet.
  @_lifetime(copy bytes, copy frame)
  init(_ place: RecordPlace, _ kind: Kind, _ direction: Direction, skipped: Int = 0, _ bytes: RawSpan, frame: RawSpan) {
    self.init(
      number: place.number, byteOffset: place.byteOffset, time: place.time, recordedTime: place.recordedTime, kind: kind,
      direction: direction, adapter: place.adapter, bytes: bytes, originalLength: max(place.original - skipped, bytes.byteCount),
      typeNumber: place.typeNumber, linkType: place.linkType, frame: frame)
  }
}
