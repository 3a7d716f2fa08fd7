import BLEWire
import Foundation
import GATTStack

/// What an app is told for what happened on the link.
enum ErrorMapping {
  /// The error of a disconnection; `nil` for one that the app asked for.
  static func disconnection(_ reason: HCIErrorCode, _ conventions: VirtualPhone.Conventions) -> (any Error)? {
    switch reason {
    case .connectionTerminatedByLocalHost: nil
    case .connectionTimeout: CBError(.connectionTimeout)
    case .remoteUserTerminatedConnection, .remoteDeviceLowResources, .remoteDevicePowerOff: CBError(.peripheralDisconnected)
    case .connectionFailedToBeEstablished: CBError(.connectionFailed)
    case .connectionLimitExceeded: CBError(.connectionLimitReached)
    case .terminatedDueToMICFailure: CBError(.encryptionTimedOut)
    case .pinOrKeyMissing: lostPairing(conventions)
    default: CBError(.unknown)
    }
  }

  /// The error of a connection that did not come about; one without a reason of its own is a failed connection.
  static func failedConnection(_ reason: HCIErrorCode, _ conventions: VirtualPhone.Conventions) -> any Error {
    switch reason {
    case .connectionTimeout, .connectionLimitExceeded, .terminatedDueToMICFailure, .pinOrKeyMissing:
      disconnection(reason, conventions) ?? CBError(.connectionFailed)
    default: CBError(.connectionFailed)
    }
  }

  private static func lostPairing(_ conventions: VirtualPhone.Conventions) -> any Error {
    let code = CBError.Code.peerRemovedPairingInformation
    switch conventions.lostPairingDomain {
    case .manager: return CBError(code)
    case .attribute:
      return NSError(
        domain: CBATTErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: CBError(code).localizedDescription])
    }
  }

  /// The error of a procedure; `nil` where the link is gone, for which no call comes.
  static func procedure(_ failure: GATTClient.Failure) -> (any Error)? {
    switch failure {
    case .att(let code): att(code)
    case .invalidAnswer, .echoMismatch: CBError(.unknown)
    case .disconnected, .timeout: nil
    }
  }

  /// What a phone tells of channels has codes that Apple's enumeration lacks.
  static func channel(_ code: Int, _ text: String) -> NSError {
    NSError(domain: CBErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: text])
  }

  /// The error of a channel that was refused.
  static func refusedChannel(_ refusal: ChannelRefusal) -> NSError {
    channel(582, "The channel was refused with the result \(refusal.result).")
  }

  /// Codes that Apple's enumeration lacks come as `NSError` with the same domain and the raw code.
  static func att(_ code: ATTErrorCode) -> any Error {
    if let known = CBATTError.Code(rawValue: Int(code.rawValue)) { return CBATTError(known) }
    return NSError(domain: CBATTErrorDomain, code: Int(code.rawValue), userInfo: [NSLocalizedDescriptionKey: "Unknown ATT error."])
  }
}
