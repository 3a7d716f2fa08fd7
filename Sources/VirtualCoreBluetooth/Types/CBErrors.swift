public import Foundation

/// The domain of ``CBError``.
public let CBErrorDomain = "CBErrorDomain"
/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// An error of a manager or of a connection.
public struct CBError: CustomNSError, Hashable, @unchecked Sendable {
  /// Apple's codes, with their raw values.
  public enum Code: Int, Sendable, Hashable {
    case unknown = 0
    case invalidParameters, invalidHandle, notConnected, outOfSpace, operationCancelled, connectionTimeout, peripheralDisconnected
    case uuidNotAllowed, alreadyAdvertising, connectionFailed, connectionLimitReached, unknownDevice, operationNotSupported
    case peerRemovedPairingInformation, encryptionTimedOut, tooManyLEPairedDevices, leGattExceededBackgroundNotificationLimit
    case leGattNearBackgroundNotificationLimit

    /// Apple's misspelling.
    public static var unkownDevice: Code { .unknownDevice }
  }

  public let code: Code
  public let errorUserInfo: [String: Any]
  public static var errorDomain: String { CBErrorDomain }
  public var errorCode: Int { code.rawValue }

  /// An error with Apple's text.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    errorUserInfo = userInfo.merging([NSLocalizedDescriptionKey: Self.text(code)]) { given, _ in given }
  }

  public static func == (left: CBError, right: CBError) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  private static func text(_ code: Code) -> String {
    switch code {
    case .connectionTimeout: "The connection has timed out unexpectedly."
    case .peripheralDisconnected: "The specified device has disconnected from us."
    case .peerRemovedPairingInformation: "Peer removed pairing information"
    case .encryptionTimedOut: "Failed to encrypt the connection, the connection has timed out unexpectedly."
    case .connectionFailed: "The connection has failed unexpectedly."
    case .connectionLimitReached: "The system has reached the maximum number of connections."
    case .notConnected: "The specified device is not connected."
    case .operationCancelled: "The operation was cancelled."
    default: "Unknown error."
    }
  }

  public static var unknown: Code { .unknown }
  public static var invalidParameters: Code { .invalidParameters }
  public static var invalidHandle: Code { .invalidHandle }
  public static var notConnected: Code { .notConnected }
  public static var outOfSpace: Code { .outOfSpace }
  public static var operationCancelled: Code { .operationCancelled }
  public static var connectionTimeout: Code { .connectionTimeout }
  public static var peripheralDisconnected: Code { .peripheralDisconnected }
  public static var uuidNotAllowed: Code { .uuidNotAllowed }
  public static var alreadyAdvertising: Code { .alreadyAdvertising }
  public static var connectionFailed: Code { .connectionFailed }
  public static var connectionLimitReached: Code { .connectionLimitReached }
  public static var unkownDevice: Code { .unknownDevice }
  public static var unknownDevice: Code { .unknownDevice }
  public static var operationNotSupported: Code { .operationNotSupported }
  public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
  public static var encryptionTimedOut: Code { .encryptionTimedOut }
  public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
  public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
  public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
}

/// An error that the peripheral answered.
public struct CBATTError: CustomNSError, Hashable, @unchecked Sendable {
  /// The codes of the attribute protocol.
  public enum Code: Int, Sendable, Hashable {
    case success = 0
    case invalidHandle, readNotPermitted, writeNotPermitted, invalidPdu, insufficientAuthentication, requestNotSupported, invalidOffset
    case insufficientAuthorization, prepareQueueFull, attributeNotFound, attributeNotLong, insufficientEncryptionKeySize
    case invalidAttributeValueLength, unlikelyError, insufficientEncryption, unsupportedGroupType, insufficientResources
  }

  public let code: Code
  public let errorUserInfo: [String: Any]
  public static var errorDomain: String { CBATTErrorDomain }
  public var errorCode: Int { code.rawValue }

  /// An error with Apple's text.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    errorUserInfo = userInfo.merging([NSLocalizedDescriptionKey: Self.text(code)]) { given, _ in given }
  }

  public static func == (left: CBATTError, right: CBATTError) -> Bool { left.code == right.code }
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  private static func text(_ code: Code) -> String {
    switch code {
    case .writeNotPermitted: "Writing is not permitted."
    case .readNotPermitted: "Reading is not permitted."
    case .insufficientAuthentication: "Authentication is insufficient."
    case .requestNotSupported: "The request is not supported."
    case .attributeNotFound: "The attribute could not be found."
    case .insufficientEncryption: "Encryption is insufficient."
    case .invalidHandle: "The handle is invalid."
    case .invalidOffset: "The offset is invalid."
    case .invalidAttributeValueLength: "The value's length is invalid."
    default: "Unknown ATT error."
    }
  }

  public static var success: Code { .success }
  public static var invalidHandle: Code { .invalidHandle }
  public static var readNotPermitted: Code { .readNotPermitted }
  public static var writeNotPermitted: Code { .writeNotPermitted }
  public static var invalidPdu: Code { .invalidPdu }
  public static var insufficientAuthentication: Code { .insufficientAuthentication }
  public static var requestNotSupported: Code { .requestNotSupported }
  public static var invalidOffset: Code { .invalidOffset }
  public static var insufficientAuthorization: Code { .insufficientAuthorization }
  public static var prepareQueueFull: Code { .prepareQueueFull }
  public static var attributeNotFound: Code { .attributeNotFound }
  public static var attributeNotLong: Code { .attributeNotLong }
  public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
  public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
  public static var unlikelyError: Code { .unlikelyError }
  public static var insufficientEncryption: Code { .insufficientEncryption }
  public static var unsupportedGroupType: Code { .unsupportedGroupType }
  public static var insufficientResources: Code { .insufficientResources }
}

/// Lets `catch CBError.connectionTimeout` and `case CBError.connectionTimeout:` match.
public func ~= (code: CBError.Code, error: any Error) -> Bool { (error as? CBError)?.code == code }
/// Lets `catch CBATTError.invalidHandle` and `case CBATTError.invalidHandle:` match.
public func ~= (code: CBATTError.Code, error: any Error) -> Bool { (error as? CBATTError)?.code == code }
