import ByteParsing

extension BtsnoopDatalink {
  /// Reads the header of one record; layout in ``BtsnoopFormat``. `lastDrops` is the count of lost packets in the header before.
  func header(_ bytes: RawSpan, _ lastDrops: inout UInt32) -> RecordHeader {
    let flags = bytes.uint32(at: 8).byteSwapped
    let drops = bytes.uint32(at: 12).byteSwapped
    let stamp = Int64(bitPattern: bytes.uint64(at: 16).byteSwapped)
    let direction: CaptureRecord.Direction = flags & 1 == 0 ? .hostToController : .controllerToHost
    var header = RecordHeader(
      original: Int(bytes.uint32(at: 0).byteSwapped),
      time: CaptureTime(microseconds: stamp.subtractingReportingOverflow(BtsnoopFormat.epoch).partialValue),
      encapsulation: .link(.hciUART, isBigEndian: true), direction: direction)
    // Counters that go down have been reset; only a rise says that packets are missing.
    if drops > lastDrops { header.lost = Int(drops - lastDrops) }
    lastDrops = drops
    switch self {
    case .hciUnencapsulated:
      header.encapsulation = .hci(flags & 2 == 0 ? .aclData : direction == .hostToController ? .command : .event)
    case .hciUART: break
    case .monitor:
      let opcode = MonitorOpcode(rawValue: UInt16(truncatingIfNeeded: flags))
      (header.encapsulation, header.direction) = (.hci(opcode.kind), opcode.direction)
      header.adapter = UInt16(truncatingIfNeeded: flags >> 16)
      header.typeNumber = UInt32(opcode.rawValue)
    case .simulator: header.encapsulation = .simulator(frequency: Int(flags & 0xFFFF))
    }
    return header
  }

  /// Reads the file header: 16 bytes that begin with the magic.
  static func detect(_ header: RawSpan, file: String) throws(CaptureError) -> BtsnoopDatalink {
    let version = header.uint32(at: 8).byteSwapped
    guard version == 1 else {
      throw CaptureError(
        .unknownFormat, file: file, byteOffset: 8, "is btsnoop version \(version); only version 1 exists: the file may be damaged")
    }
    let link = header.uint32(at: 12).byteSwapped
    guard let datalink = BtsnoopDatalink(rawValue: link) else {
      throw CaptureError(
        .unsupportedLinkType, file: file, byteOffset: 12,
        "has btsnoop datalink \(link)\(name(of: link)); 1001 (HCI), 1002 (HCI UART, H4), 2001 (BlueZ monitor) and 2002 (BlueZ simulator) are read: "
          + "record with one of these")
    }
    return datalink
  }

  private static func name(of link: UInt32) -> String {
    switch link {
    case 1003: " (HCI BCSP)"
    case 1004: " (HCI serial, three-wire)"
    default: ""
    }
  }
}
