/// The first octet of a command of the Security Manager Protocol; codes without a name survive.
///
/// Source: Core 5.4, Vol 3, Part H, 3.3.
public struct SMPOpcode: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let pairingRequest = SMPOpcode(rawValue: 0x01)
  public static let pairingResponse = SMPOpcode(rawValue: 0x02)
  public static let pairingConfirm = SMPOpcode(rawValue: 0x03)
  public static let pairingRandom = SMPOpcode(rawValue: 0x04)
  public static let pairingFailed = SMPOpcode(rawValue: 0x05)
  public static let encryptionInformation = SMPOpcode(rawValue: 0x06)
  public static let centralIdentification = SMPOpcode(rawValue: 0x07)
  public static let identityInformation = SMPOpcode(rawValue: 0x08)
  public static let identityAddressInformation = SMPOpcode(rawValue: 0x09)
  public static let signingInformation = SMPOpcode(rawValue: 0x0A)
  public static let securityRequest = SMPOpcode(rawValue: 0x0B)
  public static let pairingPublicKey = SMPOpcode(rawValue: 0x0C)
  public static let pairingDHKeyCheck = SMPOpcode(rawValue: 0x0D)
  public static let pairingKeypressNotification = SMPOpcode(rawValue: 0x0E)
}
