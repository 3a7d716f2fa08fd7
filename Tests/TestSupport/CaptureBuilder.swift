import BLEWire
import CaptureFiles

/// Makes small captures record by record, a millisecond apart.
public struct CaptureBuilder {
  /// Who sends an ACL packet.
  public enum Sender: Sendable { case host, controller }

  public private(set) var writer: BtsnoopWriter
  /// The time of the next record.
  public var time = CaptureTime(microseconds: 1_700_000_000_000_000)
  /// Records so far.
  public private(set) var records = 0

  public static let peer = BluetoothAddress(0xC011_2233_4455, kind: .random)
  public static let otherPeer = BluetoothAddress(0xC0AA_BBCC_DDEE, kind: .random)

  public init(datalink: BtsnoopDatalink = .hciUART) { writer = BtsnoopWriter(datalink: datalink) }

  /// The file so far.
  public var bytes: [UInt8] { writer.bytes }

  /// Any packet.
  public mutating func packet(
    _ bytes: [UInt8], _ type: HCIPacketType, _ sender: Sender, adapter: UInt16 = 0, originalLength: Int? = nil, drops: UInt32 = 0
  ) {
    writer.append(
      bytes, type: type, direction: sender == .host ? .hostToController : .controllerToHost, time: time, adapter: adapter,
      originalLength: originalLength, drops: drops)
    records += 1
    time = CaptureTime(microseconds: time.microseconds + 1000)
  }

  public mutating func event(_ code: UInt8, _ parameters: [UInt8], adapter: UInt16 = 0) {
    packet([code, UInt8(parameters.count)] + parameters, .event, .controller, adapter: adapter)
  }

  public mutating func command(_ opcode: UInt16, _ parameters: [UInt8] = [], adapter: UInt16 = 0) {
    packet([UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters, .command, .host, adapter: adapter)
  }

  /// One of the three events that open a link, or report that none came about.
  public mutating func connect(
    _ handle: UInt16 = 0x40, peer: BluetoothAddress = Self.peer, role: UInt8 = 0, form: LEConnectionComplete.Form = .legacy,
    status: HCIErrorCode = .success, adapter: UInt16 = 0
  ) {
    var writer = ByteWriter()
    LEConnectionComplete(
      form: form, status: status, handle: ConnectionHandle(handle), role: role, peer: peer, interval: 36, latency: 0, timeout: 42
    ).write(to: &writer)
    event(0x3E, writer.bytes, adapter: adapter)
  }

  public mutating func disconnect(_ handle: UInt16 = 0x40, reason: UInt8 = 0x13, status: UInt8 = 0, adapter: UInt16 = 0) {
    event(0x05, [status, UInt8(handle & 0xFF), UInt8(handle >> 8), reason], adapter: adapter)
  }

  /// One ACL packet; `kept` is how many bytes of its data the capture keeps, where it does not keep all.
  public mutating func acl(
    _ sender: Sender, _ data: [UInt8], handle: UInt16 = 0x40, boundary: UInt16? = nil, kept: Int? = nil, adapter: UInt16 = 0
  ) {
    let flags = handle | (boundary ?? (sender == .host ? 0 : 2)) << 12
    let packet = [UInt8(flags & 0xFF), UInt8(flags >> 8), UInt8(data.count & 0xFF), UInt8(data.count >> 8)] + data
    self.packet(
      Array(packet.prefix(4 + (kept ?? data.count))), .aclData, sender, adapter: adapter, originalLength: packet.count)
  }

  /// One ATT PDU, in fragments where `fragments` tells their lengths (the L2CAP header counts).
  public mutating func att(
    _ sender: Sender, _ pdu: [UInt8], handle: UInt16 = 0x40, fragments: [Int] = [], adapter: UInt16 = 0
  ) {
    var rest = Self.l2cap(pdu)[...]
    var isFirst = true
    for length in fragments + [rest.count] where !rest.isEmpty {
      acl(sender, Array(rest.prefix(length)), handle: handle, boundary: isFirst ? nil : 1, adapter: adapter)
      rest = rest.dropFirst(length)
      isFirst = false
    }
  }

  /// The PDU behind an L2CAP header.
  public static func l2cap(_ pdu: [UInt8], channel: UInt16 = 4) -> [UInt8] {
    [UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8), UInt8(channel & 0xFF), UInt8(channel >> 8)] + pdu
  }
}
