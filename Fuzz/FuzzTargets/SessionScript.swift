import CaptureFiles
import TestSupport

/// Turns bytes into the HCI packets of a few connections, so that mutations mostly stay packets.
///
/// `datalink(1) { operation(1) argument(1) … }*`. An operation's lower four bits say what it is, bit 4 the controller, and bits 5–7 how many
/// bytes of the packet the capture did not keep. Of an argument the lower two bits mostly choose the connection handle. `data` stands for
/// `length(1) bytes(length)`.
enum SessionScript {
  static func capture(_ bytes: [UInt8]) -> [UInt8] {
    var script = Script(bytes)
    var builder = CaptureBuilder(datalink: script.byte() & 1 == 0 ? .hciUART : .monitor)
    while !script.isAtEnd { add(&script, &builder) }
    return builder.bytes
  }

  private static func add(_ script: inout Script, _ builder: inout CaptureBuilder) {
    let (operation, argument) = (script.byte(), script.byte())
    let adapter = UInt16(operation >> 4 & 1)
    let handle = 0x40 + UInt16(argument & 3)
    let cut = Int(operation >> 5)
    switch operation & 15 {
    // An HCI packet as it is.
    case 0:
      let packet = script.data()
      builder.packet(
        Array(packet.dropLast(cut)), HCIPacketType(rawValue: argument & 7), argument & 8 == 0 ? .host : .controller, adapter: adapter,
        originalLength: packet.count)
    case 1:
      let forms: [LEConnectionComplete.Form] = [.legacy, .enhanced, .enhancedV2]
      builder.connect(
        handle, peer: argument & 4 == 0 ? CaptureBuilder.peer : CaptureBuilder.otherPeer, role: argument >> 3 & 1,
        form: forms[Int(argument >> 4) % forms.count], status: HCIErrorCode(rawValue: argument & 0xC0 == 0xC0 ? 0x3E : 0),
        adapter: adapter)
    case 2: builder.disconnect(handle, reason: script.byte(), status: argument >> 2 & 1, adapter: adapter)
    // ATT PDUs of the host and of the peer, whole or in fragments.
    case 3...8:
      let pdu = script.data()
      let fragments = argument & 0x80 == 0 ? [] : [Int(argument >> 2 & 31)]
      builder.att(operation & 15 < 6 ? .host : .controller, pdu, handle: handle, fragments: fragments, adapter: adapter)
    // Any part of any L2CAP packet.
    case 9, 10:
      let data = script.data()
      builder.acl(
        argument & 4 == 0 ? .host : .controller, data, handle: handle, boundary: UInt16(argument >> 4), kept: max(0, data.count - cut),
        adapter: adapter)
    case 11:
      builder.acl(
        argument & 4 == 0 ? .host : .controller, CaptureBuilder.l2cap(script.data(), channel: UInt16(argument >> 4)), handle: handle,
        adapter: adapter)
    case 12:
      let step = Int64(1) << Int64(min(argument & 63, 60))
      let time = builder.time.microseconds + (argument & 0x80 == 0 ? step : -step)
      builder.time = CaptureTime(microseconds: max(-1 << 61, min(time, 1 << 61)))
    case 13: builder.packet([], .command, .host, drops: UInt32(argument))
    case 14: builder.command(UInt16(argument) | UInt16(script.byte()) << 8, script.data(), adapter: adapter)
    default: builder.event(argument, script.data(), adapter: adapter)
    }
  }

  /// Bytes that are taken from the front; zeros behind the end.
  private struct Script {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func data() -> [UInt8] {
      let count = Int(byte())
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
  }
}
