import BLEWire
import CaptureFiles

/// Makes captures of a sniffer, connection event by connection event, two milliseconds apart.
///
/// In each event the central sends first and the peripheral answers; SN and NESN go on as they do on the air.
public struct AirBuilder {
  /// What stands before a packet.
  public enum Form: Sendable, CaseIterable {
    /// Link type 251: nothing.
    case bare
    /// 256 with types 2 and 3, and with type 0, which tells no direction.
    case radioHeader, radioHeaderWithoutDirection
    /// 272, version 3.
    case nordic
    /// 192 around 251.
    case perPacketInformation

    var linkType: UInt32 {
      switch self {
      case .bare: 251
      case .radioHeader, .radioHeaderWithoutDirection: 256
      case .nordic: 272
      case .perPacketInformation: 192
      }
    }
  }

  /// Who sends.
  public enum Sender: Sendable { case central, peripheral }

  /// A payload with its kind.
  public struct Payload: Sendable {
    public var llid: DataPDUHeader.LLID
    public var bytes: [UInt8]
    public init(_ llid: DataPDUHeader.LLID, _ bytes: [UInt8]) { (self.llid, self.bytes) = (llid, bytes) }
    public static let empty = Payload(.continuing, [])
    public static func control(_ bytes: [UInt8]) -> Payload { Payload(.control, bytes) }
  }

  public static let phone = BluetoothAddress(0x4122_3344_5566, kind: .random)
  public static let peer = CaptureBuilder.peer
  public static let address = AccessAddress(rawValue: 0x5065_6A3C)

  public let form: Form
  private var pcap: PcapBuilder
  public var time = CaptureTime(microseconds: 1_700_000_000_000_000)
  public private(set) var records = 0
  /// The link that packets belong to, and what its checksums begin with.
  public var accessAddress = Self.address
  public var crcInit: UInt32 = 0x12_3456
  /// The sniffer's word on encryption: bits 2 and 3 of Nordic's flags, or bit 3 of type 256's.
  public var nordicFlags: UInt8 = 0
  public var radioFlags: UInt16 = 0
  /// What both ends count with: the central sends SN and NESN alike.
  public var bit = false
  /// Whether the peripheral had no room for a packet, so that the bits went the other way round.
  public var isTurned = false

  public init(_ form: Form) {
    self.form = form
    pcap = PcapBuilder(linkType: form.linkType)
  }

  public var bytes: [UInt8] { pcap.bytes }

  /// Writes one packet as the sniffer would.
  public mutating func packet(
    _ address: AccessAddress, _ pdu: [UInt8], crcInit: UInt32, sender: Sender? = nil, isDamaged: Bool = false, kept: Int? = nil,
    board: UInt8 = 0
  ) {
    let checksum = LinkLayerCRC.of(pdu.byteSpan, initial: crcInit) ^ (isDamaged ? 0x10 : 0)
    let crc = (0..<3).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    let packet = (0..<4).map { UInt8(truncatingIfNeeded: address.rawValue >> (8 * $0)) } + pdu + crc
    var header: [UInt8] = []
    switch form {
    case .bare: break
    case .perPacketInformation: header = [0, 0, 8, 0, 251, 0, 0, 0]
    case .radioHeader, .radioHeaderWithoutDirection:
      var flags: UInt16 = 0x0401 | (isDamaged ? 0 : 0x0800)
      if form == .radioHeader, let sender { flags |= sender == .central ? 0x100 : 0x180 }
      if sender != nil { flags |= radioFlags }
      header = [sender == nil ? 0 : 5, 0, 0, 0, 0, 0, 0, 0, UInt8(flags & 0xFF), UInt8(flags >> 8)]
    case .nordic:
      var flags: UInt8 = isDamaged ? 0 : 1
      if sender == .central { flags |= 2 }
      if sender != nil { flags |= nordicFlags }
      let length = UInt16(packet.count + 10)
      header =
        [board, UInt8(length & 0xFF), UInt8(length >> 8), 3, 0, 0, sender == nil ? 2 : 6, 10, flags, sender == nil ? 37 : 5, 60]
        + [UInt8](repeating: 0, count: 6)
    }
    let frame = header + packet
    pcap.record(Array(frame.prefix(kept ?? frame.count)), time: time, originalLength: frame.count)
    records += 1
  }

  /// Something that is advertised.
  public mutating func advertise(_ pdu: AdvertisingPDU, kept: Int? = nil) {
    packet(.advertising, pdu.bytes, crcInit: 0x55_5555, kept: kept)
    pass(1000)
  }

  /// CONNECT_IND; later packets belong to its link.
  public mutating func connect(
    _ accessAddress: AccessAddress = Self.address, initiator: BluetoothAddress = Self.phone, peer: BluetoothAddress = Self.peer,
    interval: UInt16 = 36, timeout: UInt16 = 42, isDamaged: Bool = false, kept: Int? = nil
  ) {
    self.accessAddress = accessAddress
    bit = false
    let data = LLData(accessAddress: accessAddress, crcInit: crcInit, interval: interval, timeout: timeout)
    let pdu = AdvertisingPDU(.connectIndication, .connect(initiator: initiator, advertiser: peer, data))
    packet(.advertising, pdu.bytes, crcInit: 0x55_5555, isDamaged: isDamaged, kept: kept)
    pass(1000)
  }

  /// Lets time go by, in microseconds.
  public mutating func pass(_ microseconds: Int64) { time = CaptureTime(microseconds: time.microseconds + microseconds) }

  /// One connection event; what is lost is sent and not heard, and what is repeated was not heard by the other end.
  public mutating func event(
    _ central: Payload = .empty, _ peripheral: Payload = .empty, lost: Set<Sender> = [], repeats: Int = 0, damaged: Set<Sender> = []
  ) {
    for _ in 0...repeats {
      if !lost.contains(.central) { send(central, .central, nesn: bit != isTurned, isDamaged: damaged.contains(.central)) }
      pass(300)
      if !lost.contains(.peripheral) { send(peripheral, .peripheral, nesn: bit == isTurned, isDamaged: damaged.contains(.peripheral)) }
      pass(1700)
    }
    bit.toggle()
  }

  /// One packet with the bits as they are.
  public mutating func send(_ payload: Payload, _ sender: Sender, nesn: Bool, isDamaged: Bool = false) {
    var writer = ByteWriter()
    DataPDUHeader(llid: payload.llid, nesn: nesn, sn: bit, length: UInt8(payload.bytes.count)).write(to: &writer)
    packet(accessAddress, writer.bytes + payload.bytes, crcInit: crcInit, sender: sender, isDamaged: isDamaged)
  }

  /// One payload from one end.
  public mutating func send(_ payload: Payload, from sender: Sender, isLost: Bool = false, repeats: Int = 0) {
    let lost: Set<Sender> = isLost ? [sender] : []
    if sender == .central { event(payload, lost: lost, repeats: repeats) } else { event(.empty, payload, lost: lost, repeats: repeats) }
  }

  /// One ATT PDU in fragments; `lost` says which of them were not heard.
  public mutating func att(_ sender: Sender, _ pdu: [UInt8], size: Int = 27, lost: Set<Int> = [], repeats: Int = 0, mic: [UInt8] = []) {
    var rest = CaptureBuilder.l2cap(pdu)[...]
    var number = 0
    while !rest.isEmpty {
      send(
        Payload(number == 0 ? .start : .continuing, rest.prefix(size) + mic), from: sender, isLost: lost.contains(number),
        repeats: repeats)
      rest = rest.dropFirst(size)
      number += 1
    }
  }
}
