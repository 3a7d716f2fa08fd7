/// A controller's status or reason octet; codes without a name survive.
///
/// Source: Core 5.4, Vol 1, Part F, 1.3.
public struct HCIErrorCode: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let success = HCIErrorCode(rawValue: 0x00)
  public static let unknownConnectionIdentifier = HCIErrorCode(rawValue: 0x02)
  public static let authenticationFailure = HCIErrorCode(rawValue: 0x05)
  public static let pinOrKeyMissing = HCIErrorCode(rawValue: 0x06)
  public static let memoryCapacityExceeded = HCIErrorCode(rawValue: 0x07)
  public static let connectionTimeout = HCIErrorCode(rawValue: 0x08)
  public static let connectionLimitExceeded = HCIErrorCode(rawValue: 0x09)
  public static let commandDisallowed = HCIErrorCode(rawValue: 0x0C)
  public static let remoteUserTerminatedConnection = HCIErrorCode(rawValue: 0x13)
  public static let remoteDeviceLowResources = HCIErrorCode(rawValue: 0x14)
  public static let remoteDevicePowerOff = HCIErrorCode(rawValue: 0x15)
  public static let connectionTerminatedByLocalHost = HCIErrorCode(rawValue: 0x16)
  public static let unsupportedRemoteFeature = HCIErrorCode(rawValue: 0x1A)
  public static let lmpResponseTimeout = HCIErrorCode(rawValue: 0x22)
  public static let instantPassed = HCIErrorCode(rawValue: 0x28)
  public static let pairingWithUnitKeyNotSupported = HCIErrorCode(rawValue: 0x29)
  public static let unacceptableConnectionParameters = HCIErrorCode(rawValue: 0x3B)
  public static let terminatedDueToMICFailure = HCIErrorCode(rawValue: 0x3D)
  public static let connectionFailedToBeEstablished = HCIErrorCode(rawValue: 0x3E)

  /// The specification's name, or `nil` for a code it does not have.
  public var name: String? { Self.names[rawValue] }

  static let names: [UInt8: String] = [
    0x00: "Success", 0x01: "Unknown HCI Command", 0x02: "Unknown Connection Identifier", 0x03: "Hardware Failure",
    0x04: "Page Timeout", 0x05: "Authentication Failure", 0x06: "PIN or Key Missing", 0x07: "Memory Capacity Exceeded",
    0x08: "Connection Timeout", 0x09: "Connection Limit Exceeded", 0x0A: "Synchronous Connection Limit Exceeded",
    0x0B: "Connection Already Exists", 0x0C: "Command Disallowed", 0x0D: "Rejected due to Limited Resources",
    0x0E: "Rejected due to Security Reasons", 0x0F: "Rejected due to Unacceptable BD_ADDR", 0x10: "Connection Accept Timeout",
    0x11: "Unsupported Feature or Parameter Value", 0x12: "Invalid HCI Command Parameters", 0x13: "Remote User Terminated Connection",
    0x14: "Remote Device Terminated due to Low Resources", 0x15: "Remote Device Terminated due to Power Off",
    0x16: "Connection Terminated by Local Host", 0x17: "Repeated Attempts", 0x18: "Pairing not Allowed", 0x19: "Unknown LMP PDU",
    0x1A: "Unsupported Remote Feature", 0x1E: "Invalid LL Parameters", 0x1F: "Unspecified Error", 0x20: "Unsupported LL Parameter Value",
    0x21: "Role Change not Allowed", 0x22: "LL Response Timeout", 0x23: "LL Procedure Collision", 0x25: "Encryption Mode not Acceptable",
    0x28: "Instant Passed", 0x29: "Pairing with Unit Key not Supported", 0x2A: "Different Transaction Collision",
    0x2F: "Insufficient Security", 0x30: "Parameter out of Mandatory Range", 0x3A: "Controller Busy",
    0x3B: "Unacceptable Connection Parameters", 0x3C: "Advertising Timeout", 0x3D: "Terminated due to MIC Failure",
    0x3E: "Connection Failed to be Established", 0x42: "Unknown Advertising Identifier", 0x43: "Limit Reached",
    0x44: "Operation Cancelled by Host", 0x45: "Packet Too Long",
  ]
}

extension HCIErrorCode: CustomStringConvertible {
  /// `0x13 Remote User Terminated Connection`.
  public var description: String {
    if let name { "\(hexadecimal(rawValue)) \(name)" } else { hexadecimal(rawValue) }
  }
}
