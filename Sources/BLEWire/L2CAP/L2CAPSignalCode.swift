/// The first octet of a signalling command; codes without a name survive.
///
/// Source: Core 5.4, Vol 3, Part A, 4.
public struct L2CAPSignalCode: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let commandReject = L2CAPSignalCode(rawValue: 0x01)
  public static let connectionRequest = L2CAPSignalCode(rawValue: 0x02)
  public static let connectionResponse = L2CAPSignalCode(rawValue: 0x03)
  public static let configurationRequest = L2CAPSignalCode(rawValue: 0x04)
  public static let configurationResponse = L2CAPSignalCode(rawValue: 0x05)
  public static let disconnectionRequest = L2CAPSignalCode(rawValue: 0x06)
  public static let disconnectionResponse = L2CAPSignalCode(rawValue: 0x07)
  public static let parameterUpdateRequest = L2CAPSignalCode(rawValue: 0x12)
  public static let parameterUpdateResponse = L2CAPSignalCode(rawValue: 0x13)
  public static let creditConnectionRequest = L2CAPSignalCode(rawValue: 0x14)
  public static let creditConnectionResponse = L2CAPSignalCode(rawValue: 0x15)
  public static let flowControlCredit = L2CAPSignalCode(rawValue: 0x16)
  public static let enhancedConnectionRequest = L2CAPSignalCode(rawValue: 0x17)
  public static let enhancedConnectionResponse = L2CAPSignalCode(rawValue: 0x18)
  public static let reconfigureRequest = L2CAPSignalCode(rawValue: 0x19)
  public static let reconfigureResponse = L2CAPSignalCode(rawValue: 0x1A)
}
