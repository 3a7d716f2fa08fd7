/// The first octet of an HCI event; codes without a name survive.
///
/// Source: Core 5.4, Vol 4, Part E, 7.7.
public struct HCIEventCode: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let connectionComplete = HCIEventCode(rawValue: 0x03)
  public static let disconnectionComplete = HCIEventCode(rawValue: 0x05)
  public static let encryptionChange = HCIEventCode(rawValue: 0x08)
  public static let commandComplete = HCIEventCode(rawValue: 0x0E)
  public static let commandStatus = HCIEventCode(rawValue: 0x0F)
  public static let numberOfCompletedPackets = HCIEventCode(rawValue: 0x13)
  public static let encryptionKeyRefreshComplete = HCIEventCode(rawValue: 0x30)
  public static let leMeta = HCIEventCode(rawValue: 0x3E)
  public static let encryptionChangeV2 = HCIEventCode(rawValue: 0x59)
  public static let vendor = HCIEventCode(rawValue: 0xFF)
}

/// The subevent octet of an LE Meta event; codes without a name survive.
///
/// Source: Core 5.4, Vol 4, Part E, 7.7.65.
public struct LESubevent: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let connectionComplete = LESubevent(rawValue: 0x01)
  public static let advertisingReport = LESubevent(rawValue: 0x02)
  public static let connectionUpdateComplete = LESubevent(rawValue: 0x03)
  public static let longTermKeyRequest = LESubevent(rawValue: 0x05)
  public static let remoteConnectionParameterRequest = LESubevent(rawValue: 0x06)
  public static let dataLengthChange = LESubevent(rawValue: 0x07)
  public static let enhancedConnectionComplete = LESubevent(rawValue: 0x0A)
  public static let phyUpdateComplete = LESubevent(rawValue: 0x0C)
  public static let extendedAdvertisingReport = LESubevent(rawValue: 0x0D)
  public static let enhancedConnectionCompleteV2 = LESubevent(rawValue: 0x29)
}
