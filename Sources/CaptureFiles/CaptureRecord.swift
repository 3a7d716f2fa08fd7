@_exported public import BLEWire

/// One record of a capture file over borrowed bytes, whatever the container.
public struct CaptureRecord: ~Escapable {
  /// What a record holds.
  public enum Kind: Sendable, Hashable {
    case command, event, aclData, synchronousData, isochronousData
    /// A controller was added, opened, closed or removed, or told its name (BlueZ monitor).
    case adapter
    /// A packet of the LE link layer, as a sniffer heard it.
    case linkLayer
    /// What the transport needs for itself: a USB transfer that completes no packet, a sniffer's own message.
    case transport
    /// Text or a vendor's own data; no HCI packet.
    case note
    /// Nothing that the reader knows; the number is the container's own.
    case unknown(UInt32)

    /// Whether it is a Bluetooth packet, and nothing that a host or a program adds to the log.
    public var isPacket: Bool {
      switch self {
      case .command, .event, .aclData, .synchronousData, .isochronousData, .linkLayer: true
      case .adapter, .note, .transport, .unknown: false
      }
    }
  }

  /// Which way an HCI packet went.
  public enum Direction: UInt8, Sendable, Hashable { case hostToController = 0, controllerToHost = 1 }

  /// Position in the file, from 1.
  public let number: Int
  /// Where the record's header begins in the file.
  public let byteOffset: Int
  /// When it was captured; mended, so that it is never before that of an earlier record, unless raw times were asked for.
  public let time: CaptureTime
  /// The time as the file has it.
  public let recordedTime: CaptureTime
  public let kind: Kind
  public let direction: Direction
  /// The controller's number; 0 where the container knows one only.
  public let adapter: UInt16
  /// The bytes of the packet that were kept, without the H4 indicator.
  public let bytes: RawSpan
  /// The bytes that the packet had.
  public let originalLength: Int
  /// The number that the container itself gives to the kind of record: a BlueZ monitor opcode or a PacketLogger type; 0 elsewhere.
  public let typeNumber: UInt32
  /// What the record's bytes began with, in pcap and pcapng; `nil` in other containers.
  public let linkType: LinkType?
  /// All bytes of the record, with what its link type puts before the packet.
  public let frame: RawSpan

  /// What a sniffer tells of a packet of the link layer; `nil` for all others.
  package let air: LinkLayerPacket?

  /// Joins the parts; the record lives as long as `bytes`.
  @_lifetime(copy bytes, copy frame, copy air)
  package init(
    number: Int, byteOffset: Int, time: CaptureTime, recordedTime: CaptureTime, kind: Kind, direction: Direction, adapter: UInt16,
    bytes: RawSpan, originalLength: Int, typeNumber: UInt32 = 0, linkType: LinkType? = nil, frame: RawSpan,
    air: consuming LinkLayerPacket? = nil
  ) {
    self.number = number
    self.byteOffset = byteOffset
    self.time = time
    self.recordedTime = recordedTime
    self.kind = kind
    self.direction = direction
    self.adapter = adapter
    self.bytes = bytes
    self.originalLength = originalLength
    self.typeNumber = typeNumber
    self.linkType = linkType
    self.frame = frame
    self.air = air
  }

  /// The same record with other bytes in place of its own.
  @_lifetime(copy bytes, copy frame)
  package func replacing(bytes: RawSpan, frame: RawSpan) -> CaptureRecord {
    CaptureRecord(
      number: number, byteOffset: byteOffset, time: time, recordedTime: recordedTime, kind: kind, direction: direction, adapter: adapter,
      bytes: bytes, originalLength: originalLength, typeNumber: typeNumber, linkType: linkType, frame: frame)
  }

  /// Whether the capture kept fewer bytes than the packet had.
  @inlinable public var isTruncated: Bool { bytes.byteCount < originalLength }
}
