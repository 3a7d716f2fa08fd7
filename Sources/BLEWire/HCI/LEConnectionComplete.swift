package import ByteParsing

/// The three events that open an LE link, in one value.
///
/// Layout after the subevent: `status(1) handle(2) role(1) peerAddressType(1) peerAddress(6)`, then in the enhanced forms
/// `localResolvable(6) peerResolvable(6)`, then `interval(2) latency(2) timeout(2) clockAccuracy(1)`, then in version 2
/// `advertisingHandle(1) syncHandle(2)`. Source: Core 5.4, Vol 4, Part E, 7.7.65.1 and 7.7.65.10.
public struct LEConnectionComplete: Sendable, Hashable {
  /// Which of the events carried it.
  public enum Form: UInt8, Sendable, Hashable { case legacy = 0x01, enhanced = 0x0A, enhancedV2 = 0x29 }
  public var form: Form
  public var status: HCIErrorCode
  public var handle: ConnectionHandle
  /// The part of the host that reports: 0 central, 1 peripheral.
  public var role: UInt8
  public var peer: BluetoothAddress
  /// The resolvable addresses in use, zero where there are none; absent in the legacy form.
  public var localResolvable: UInt64 = 0
  public var peerResolvable: UInt64 = 0
  /// In units of 1.25 ms.
  public var interval: UInt16
  /// In connection events.
  public var latency: UInt16
  /// In units of 10 ms.
  public var timeout: UInt16
  public var clockAccuracy: UInt8 = 0
  /// 0xFF where no set applies; version 2 only.
  public var advertisingHandle: UInt8 = 0xFF
  /// 0xFFFF where no train applies; version 2 only.
  public var syncHandle: UInt16 = 0xFFFF

  /// Joins the parts that every form has.
  public init(
    form: Form, status: HCIErrorCode = .success, handle: ConnectionHandle, role: UInt8, peer: BluetoothAddress, interval: UInt16,
    latency: UInt16, timeout: UInt16
  ) {
    (self.form, self.status, self.handle, self.role, self.peer) = (form, status, handle, role, peer)
    (self.interval, self.latency, self.timeout) = (interval, latency, timeout)
  }

  init(parsing reader: inout ByteReader, form: Form) throws(ParseError) {
    let status = HCIErrorCode(rawValue: try reader.uint8())
    let handle = ConnectionHandle(try reader.uint16() & 0x0FFF)
    let role = try reader.uint8()
    let kind = BluetoothAddress.Kind(rawValue: try reader.uint8())
    let peer = BluetoothAddress(try reader.uint48(), kind: kind)
    var resolvable: (UInt64, UInt64) = (0, 0)
    if form != .legacy { resolvable = (try reader.uint48(), try reader.uint48()) }
    self.init(
      form: form, status: status, handle: handle, role: role, peer: peer, interval: try reader.uint16(),
      latency: try reader.uint16(), timeout: try reader.uint16())
    (localResolvable, peerResolvable) = resolvable
    clockAccuracy = try reader.uint8()
    if form == .enhancedV2 {
      advertisingHandle = try reader.uint8()
      syncHandle = try reader.uint16()
    }
  }

  /// Appends the subevent octet and the parameters.
  package func write(to writer: inout ByteWriter) {
    writer.uint8(form.rawValue)
    writer.uint8(status.rawValue)
    writer.uint16(handle.rawValue)
    writer.uint8(role)
    writer.uint8(peer.kind.rawValue)
    writer.uint48(peer.value)
    if form != .legacy {
      writer.uint48(localResolvable)
      writer.uint48(peerResolvable)
    }
    writer.uint16(interval)
    writer.uint16(latency)
    writer.uint16(timeout)
    writer.uint8(clockAccuracy)
    if form == .enhancedV2 {
      writer.uint8(advertisingHandle)
      writer.uint16(syncHandle)
    }
  }
}
