/// What a container says of one packet, before the packet itself is looked at.
struct RecordHeader {
  /// Bytes that the packet had; the container may have kept fewer.
  var original: Int
  var time: CaptureTime
  /// What the packet's bytes begin with.
  var encapsulation: Encapsulation
  /// Which way the packet went, where the container tells.
  var direction: CaptureRecord.Direction?
  var adapter: UInt16 = 0
  /// The container's own number of the record's kind.
  var typeNumber: UInt32 = 0
  /// Packets lost since the record before this one.
  var lost = 0
}

/// What the bytes of a record begin with.
enum Encapsulation: Hashable {
  /// An HCI packet or a note without anything before it.
  case hci(CaptureRecord.Kind)
  /// A packet in one of the link types that pcap names.
  case link(LinkType, isBigEndian: Bool)
  /// A link-layer packet behind its preamble (1), heard at a frequency in MHz.
  case simulator(frequency: Int)

  /// Whether the container itself says that the record is no packet.
  var isNote: Bool {
    switch self {
    case .hci(.note), .hci(.adapter), .hci(.unknown): true
    case .hci, .link, .simulator: false
    }
  }
}
