/// The first octet of an LL Control PDU; codes without a name survive.
///
/// Source: Core 5.4, Vol 6, Part B, 2.4.2.
public struct LLControlOpcode: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let connectionUpdateIndication = LLControlOpcode(rawValue: 0x00)
  public static let channelMapIndication = LLControlOpcode(rawValue: 0x01)
  public static let terminateIndication = LLControlOpcode(rawValue: 0x02)
  public static let encryptionRequest = LLControlOpcode(rawValue: 0x03)
  public static let encryptionResponse = LLControlOpcode(rawValue: 0x04)
  public static let startEncryptionRequest = LLControlOpcode(rawValue: 0x05)
  public static let startEncryptionResponse = LLControlOpcode(rawValue: 0x06)
  public static let unknownResponse = LLControlOpcode(rawValue: 0x07)
  public static let featureRequest = LLControlOpcode(rawValue: 0x08)
  public static let featureResponse = LLControlOpcode(rawValue: 0x09)
  public static let pauseEncryptionRequest = LLControlOpcode(rawValue: 0x0A)
  public static let pauseEncryptionResponse = LLControlOpcode(rawValue: 0x0B)
  public static let versionIndication = LLControlOpcode(rawValue: 0x0C)
  public static let rejectIndication = LLControlOpcode(rawValue: 0x0D)
  public static let peripheralFeatureRequest = LLControlOpcode(rawValue: 0x0E)
  public static let connectionParameterRequest = LLControlOpcode(rawValue: 0x0F)
  public static let connectionParameterResponse = LLControlOpcode(rawValue: 0x10)
  public static let rejectExtendedIndication = LLControlOpcode(rawValue: 0x11)
  public static let pingRequest = LLControlOpcode(rawValue: 0x12)
  public static let pingResponse = LLControlOpcode(rawValue: 0x13)
  public static let lengthRequest = LLControlOpcode(rawValue: 0x14)
  public static let lengthResponse = LLControlOpcode(rawValue: 0x15)
  public static let phyRequest = LLControlOpcode(rawValue: 0x16)
  public static let phyResponse = LLControlOpcode(rawValue: 0x17)
  public static let phyUpdateIndication = LLControlOpcode(rawValue: 0x18)
}
