public import ByteParsing

/// A command's number: group in the upper six bits, command in the lower ten.
///
/// Source: Core 5.4, Vol 4, Part E, 5.4.1.
public struct HCIOpcode: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt16
  /// Wraps an opcode.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let disconnect = HCIOpcode(rawValue: 0x0406)
  public static let reset = HCIOpcode(rawValue: 0x0C03)
  public static let leCreateConnection = HCIOpcode(rawValue: 0x200D)
  public static let leCreateConnectionCancel = HCIOpcode(rawValue: 0x200E)
  public static let leConnectionUpdate = HCIOpcode(rawValue: 0x2013)
  public static let leEnableEncryption = HCIOpcode(rawValue: 0x2019)
  public static let leLongTermKeyRequestReply = HCIOpcode(rawValue: 0x201A)
  public static let leLongTermKeyRequestNegativeReply = HCIOpcode(rawValue: 0x201B)
  public static let leRemoteConnectionParameterRequestReply = HCIOpcode(rawValue: 0x2020)
  public static let leRemoteConnectionParameterRequestNegativeReply = HCIOpcode(rawValue: 0x2021)
  public static let leAddDeviceToResolvingList = HCIOpcode(rawValue: 0x2027)
  public static let leExtendedCreateConnection = HCIOpcode(rawValue: 0x2043)
}

/// One HCI command over borrowed bytes: `opcode(2) length(1) parameters(length)`.
///
/// The commands that make, change, encrypt and end LE links, and those that name peers are read; every other keeps its opcode and bytes.
/// Source: Core 5.4, Vol 4, Part E, 5.4.1, 7.1.6, 7.8.12, 7.8.18, 7.8.24, 7.8.26, 7.8.31,
/// 7.8.32, 7.8.38, 7.8.66.
public enum HCICommandView: ~Escapable {
  /// `handle(2) reason(1)`
  case disconnect(handle: ConnectionHandle, reason: HCIErrorCode)
  case reset
  /// `scanInterval(2) scanWindow(2) filterPolicy(1) peerAddressType(1) peerAddress(6) ownAddressType(1) …`; the peer is
  /// `nil` where the filter accept list decides.
  case leCreateConnection(peer: BluetoothAddress?)
  case leCreateConnectionCancel
  /// `handle(2) intervalMin(2) intervalMax(2) latency(2) timeout(2) …`
  case leConnectionUpdate(handle: ConnectionHandle, intervalMin: UInt16, intervalMax: UInt16, latency: UInt16, timeout: UInt16)
  /// `handle(2) random(8) diversifier(2) key(16)`; the key is not kept.
  case leEnableEncryption(handle: ConnectionHandle)
  /// `filterPolicy(1) ownAddressType(1) peerAddressType(1) peerAddress(6) …`
  case leExtendedCreateConnection(peer: BluetoothAddress?)
  /// `handle(2)`
  case leLongTermKeyRequestNegativeReply(handle: ConnectionHandle)
  /// `handle(2) intervalMin(2) intervalMax(2) latency(2) timeout(2) …`
  case leRemoteConnectionParameterRequestReply(handle: ConnectionHandle)
  /// `handle(2) reason(1)`
  case leRemoteConnectionParameterRequestNegativeReply(handle: ConnectionHandle, reason: HCIErrorCode)
  /// `peerIdentityAddressType(1) peerIdentityAddress(6) peerIRK(16) localIRK(16)`; IRKs have their least significant octet first.
  case leAddDeviceToResolvingList(peer: BluetoothAddress, peerIRK: RawSpan)
  /// Any other command.
  case other(HCIOpcode, parameters: RawSpan)

  /// Checks a command.
  @_lifetime(copy bytes)
  public init(parsing bytes: RawSpan) throws(ParseError) {
    var header = ByteReader(bytes, layer: .hciCommand)
    let opcode = HCIOpcode(rawValue: try header.uint16())
    let length = Int(try header.uint8())
    guard header.remaining >= length else {
      throw ParseError.truncated(.hciCommand, at: 3, needed: length, available: header.remaining)
    }
    var reader = ByteReader(bytes.extracting(0..<(3 + length)), layer: .hciCommand)
    try reader.skip(3)
    switch opcode {
    case .disconnect: self = .disconnect(handle: try reader.connectionHandle(), reason: try reader.status())
    case .reset: self = .reset
    case .leCreateConnection:
      try reader.skip(4)
      self = .leCreateConnection(peer: try reader.initiatorPeer(policy: try reader.uint8()))
    case .leCreateConnectionCancel: self = .leCreateConnectionCancel
    case .leConnectionUpdate:
      self = .leConnectionUpdate(
        handle: try reader.connectionHandle(), intervalMin: try reader.uint16(), intervalMax: try reader.uint16(),
        latency: try reader.uint16(), timeout: try reader.uint16())
    case .leEnableEncryption:
      self = .leEnableEncryption(handle: try reader.connectionHandle())
    case .leExtendedCreateConnection:
      let policy = try reader.uint8()
      try reader.skip(1)
      self = .leExtendedCreateConnection(peer: try reader.initiatorPeer(policy: policy))
    case .leLongTermKeyRequestNegativeReply: self = .leLongTermKeyRequestNegativeReply(handle: try reader.connectionHandle())
    case .leRemoteConnectionParameterRequestReply:
      self = .leRemoteConnectionParameterRequestReply(handle: try reader.connectionHandle())
    case .leRemoteConnectionParameterRequestNegativeReply:
      self = .leRemoteConnectionParameterRequestNegativeReply(handle: try reader.connectionHandle(), reason: try reader.status())
    case .leAddDeviceToResolvingList:
      let kind = BluetoothAddress.Kind(rawValue: try reader.uint8())
      self = .leAddDeviceToResolvingList(peer: BluetoothAddress(try reader.uint48(), kind: kind), peerIRK: try reader.slice(16))
    default: self = .other(opcode, parameters: reader.rest())
    }
  }
}

extension ByteReader {
  /// The peer of a connection command; with policy 1 the accept list is used and the address is ignored.
  @_lifetime(self: copy self)
  fileprivate mutating func initiatorPeer(policy: UInt8) throws(ParseError) -> BluetoothAddress? {
    let kind = BluetoothAddress.Kind(rawValue: try uint8())
    let peer = BluetoothAddress(try uint48(), kind: kind)
    return policy & 1 == 0 ? peer : nil
  }
}
