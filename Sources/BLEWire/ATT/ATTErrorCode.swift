/// The reason octet of an ATT Error Response; application and profile codes survive.
///
/// Source: Core 5.4, Vol 3, Part F, 3.4.1.1; Core Specification Supplement, Part B.
public struct ATTErrorCode: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
  public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
  public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
  public static let invalidPDU = ATTErrorCode(rawValue: 0x04)
  public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
  public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
  public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
  public static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
  public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
  public static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
  public static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
  public static let encryptionKeySizeTooShort = ATTErrorCode(rawValue: 0x0C)
  public static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0D)
  public static let unlikelyError = ATTErrorCode(rawValue: 0x0E)
  public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
  public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
  public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
  public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
  public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
  public static let writeRequestRejected = ATTErrorCode(rawValue: 0xFC)
  public static let cccdImproperlyConfigured = ATTErrorCode(rawValue: 0xFD)
  public static let procedureAlreadyInProgress = ATTErrorCode(rawValue: 0xFE)
  public static let outOfRange = ATTErrorCode(rawValue: 0xFF)

  /// The specification's name; `nil` for a code that belongs to an application or to nobody.
  public var name: String? {
    switch rawValue {
    case 0x01: "Invalid Handle"
    case 0x02: "Read Not Permitted"
    case 0x03: "Write Not Permitted"
    case 0x04: "Invalid PDU"
    case 0x05: "Insufficient Authentication"
    case 0x06: "Request Not Supported"
    case 0x07: "Invalid Offset"
    case 0x08: "Insufficient Authorization"
    case 0x09: "Prepare Queue Full"
    case 0x0A: "Attribute Not Found"
    case 0x0B: "Attribute Not Long"
    case 0x0C: "Encryption Key Size Too Short"
    case 0x0D: "Invalid Attribute Value Length"
    case 0x0E: "Unlikely Error"
    case 0x0F: "Insufficient Encryption"
    case 0x10: "Unsupported Group Type"
    case 0x11: "Insufficient Resources"
    case 0x12: "Database Out Of Sync"
    case 0x13: "Value Not Allowed"
    case 0xFC: "Write Request Rejected"
    case 0xFD: "Client Characteristic Configuration Descriptor Improperly Configured"
    case 0xFE: "Procedure Already in Progress"
    case 0xFF: "Out of Range"
    default: nil
    }
  }
}

extension ATTErrorCode: CustomStringConvertible {
  /// `0x0a Attribute Not Found`, or the number with its range.
  public var description: String {
    if let name { return "\(hexadecimal(rawValue)) \(name)" }
    return (0x80...0x9F).contains(rawValue) ? "\(hexadecimal(rawValue)) application error" : hexadecimal(rawValue)
  }
}
