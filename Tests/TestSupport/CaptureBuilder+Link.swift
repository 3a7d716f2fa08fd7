import BLEWire

// What the ends of a link do besides attribute traffic.
extension CaptureBuilder {
  /// A command of L2CAP's signalling.
  public mutating func signal(_ sender: Sender, _ command: L2CAPSignal.Command, identifier: UInt8 = 1, channel: UInt16 = 5) {
    acl(sender, Self.l2cap(L2CAPSignal(identifier: identifier, command).bytes, channel: channel))
  }

  /// A K-frame; `length` is that of its SDU, where the frame does not hold it whole.
  public mutating func frame(_ sender: Sender, _ bytes: [UInt8], on channel: UInt16, length: Int? = nil) {
    let length = length ?? bytes.count
    acl(sender, Self.l2cap([UInt8(length & 0xFF), UInt8(length >> 8)] + bytes, channel: channel))
  }

  public mutating func pairing(_ sender: Sender, _ pdu: SMPPDU) { acl(sender, Self.l2cap(pdu.bytes, channel: 6)) }

  /// The captured central switches encryption on.
  public mutating func encrypt(status: UInt8 = 0) {
    command(0x2019, [0x40, 0] + [UInt8](repeating: 0, count: 26))
    event(0x08, [status, 0x40, 0, status == 0 ? 1 : 0])
  }

  /// The features of both ends of ``pair()``: passkey entry of legacy pairing, with bonding.
  public static let request = PairingFeatures(
    io: .keyboardDisplay, authentication: [.bonding, .mitm, .secureConnections], initiatorKeys: [.encryption, .identity],
    responderKeys: [.encryption, .identity])
  public static let response = PairingFeatures(
    io: .displayOnly, authentication: [.bonding, .mitm], initiatorKeys: [.identity], responderKeys: [.encryption, .identity])

  /// A pairing of the captured central with its encryption, which the peripheral asks for.
  public mutating func pair() {
    pairing(.controller, .securityRequest([.bonding, .mitm]))
    pairing(.host, .pairingRequest(Self.request))
    pairing(.controller, .pairingResponse(Self.response))
    pairing(.host, .pairingConfirm([UInt8](repeating: 1, count: 16)))
    pairing(.controller, .pairingRandom([UInt8](repeating: 2, count: 16)))
    encrypt()
  }

  /// The peripheral distributes its identity.
  public mutating func identity(_ address: BluetoothAddress, key: [UInt8]) {
    pairing(.controller, .identityInformation(key.reversed()))
    pairing(.controller, .identityAddressInformation(address))
  }

  /// The captured host opens channels 0x40 and 0x41 for Enhanced ATT, which the peer has as 0x50 and 0x51.
  public mutating func openEnhanced(mtu: UInt16 = 100, peerMTU: UInt16 = 80) {
    let sources = [0x40, 0x41].map(L2CAPChannel.init(rawValue:)), destinations = [0x50, 0x51].map(L2CAPChannel.init(rawValue:))
    signal(.host, .enhancedConnectionRequest(psm: 0x27, L2CAPChannelParameters(mtu: mtu, mps: 64, credits: 4), sources: sources))
    signal(
      .controller,
      .enhancedConnectionResponse(L2CAPChannelParameters(mtu: peerMTU, mps: 64, credits: 4), result: 0, destinations: destinations))
  }
}
