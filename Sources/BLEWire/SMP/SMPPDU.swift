package import ByteParsing

/// One command of the Security Manager Protocol by value; ``SMPPDUView`` has the layouts.
public enum SMPPDU: Sendable, Hashable {
  case pairingRequest(PairingFeatures)
  case pairingResponse(PairingFeatures)
  case pairingConfirm([UInt8])
  case pairingRandom([UInt8])
  case pairingFailed(PairingFailure)
  case encryptionInformation([UInt8])
  case centralIdentification(diversifier: UInt16, random: [UInt8])
  case identityInformation([UInt8])
  case identityAddressInformation(BluetoothAddress)
  case signingInformation([UInt8])
  case securityRequest(AuthenticationRequirements)
  case pairingPublicKey(x: [UInt8], y: [UInt8])
  case pairingDHKeyCheck([UInt8])
  case pairingKeypressNotification(UInt8)
  case unknown(SMPOpcode, data: [UInt8])

  /// Copies a command.
  public init(_ view: borrowing SMPPDUView) {
    switch view {
    case .pairingRequest(let features): self = .pairingRequest(features)
    case .pairingResponse(let features): self = .pairingResponse(features)
    case .pairingConfirm(let value): self = .pairingConfirm(value.array)
    case .pairingRandom(let value): self = .pairingRandom(value.array)
    case .pairingFailed(let reason): self = .pairingFailed(reason)
    case .encryptionInformation(let key): self = .encryptionInformation(key.array)
    case .centralIdentification(let diversifier, let random):
      self = .centralIdentification(diversifier: diversifier, random: random.array)
    case .identityInformation(let key): self = .identityInformation(key.array)
    case .identityAddressInformation(let address): self = .identityAddressInformation(address)
    case .signingInformation(let key): self = .signingInformation(key.array)
    case .securityRequest(let authentication): self = .securityRequest(authentication)
    case .pairingPublicKey(let x, let y): self = .pairingPublicKey(x: x.array, y: y.array)
    case .pairingDHKeyCheck(let check): self = .pairingDHKeyCheck(check.array)
    case .pairingKeypressNotification(let type): self = .pairingKeypressNotification(type)
    case .unknown(let opcode, let data): self = .unknown(opcode, data: data.array)
    }
  }

  /// Parses a whole command.
  public init(parsing bytes: [UInt8]) throws(ParseError) { self.init(try SMPPDUView(parsing: bytes.byteSpan)) }

  /// The command's first octet.
  public var opcode: SMPOpcode {
    switch self {
    case .pairingRequest: .pairingRequest
    case .pairingResponse: .pairingResponse
    case .pairingConfirm: .pairingConfirm
    case .pairingRandom: .pairingRandom
    case .pairingFailed: .pairingFailed
    case .encryptionInformation: .encryptionInformation
    case .centralIdentification: .centralIdentification
    case .identityInformation: .identityInformation
    case .identityAddressInformation: .identityAddressInformation
    case .signingInformation: .signingInformation
    case .securityRequest: .securityRequest
    case .pairingPublicKey: .pairingPublicKey
    case .pairingDHKeyCheck: .pairingDHKeyCheck
    case .pairingKeypressNotification: .pairingKeypressNotification
    case .unknown(let opcode, _): opcode
    }
  }

  /// The number of bytes that ``bytes`` has.
  public var encodedByteCount: Int {
    switch self {
    case .pairingRequest, .pairingResponse: 7
    case .pairingConfirm(let value), .pairingRandom(let value), .encryptionInformation(let value), .identityInformation(let value),
      .signingInformation(let value), .pairingDHKeyCheck(let value), .unknown(_, let value):
      1 + value.count
    case .pairingFailed, .securityRequest, .pairingKeypressNotification: 2
    case .centralIdentification(_, let random): 3 + random.count
    case .identityAddressInformation: 8
    case .pairingPublicKey(let x, let y): 1 + x.count + y.count
    }
  }

  /// The command as it goes on the air.
  public var bytes: [UInt8] {
    var writer = ByteWriter(capacity: encodedByteCount)
    write(to: &writer)
    return writer.bytes
  }

  /// Appends the command's bytes.
  package func write(to writer: inout ByteWriter) {
    writer.uint8(opcode.rawValue)
    switch self {
    case .pairingRequest(let features), .pairingResponse(let features):
      for octet in [
        features.io.rawValue, features.hasOutOfBandData ? 1 : 0, features.authentication.rawValue, features.maximumKeySize,
        features.initiatorKeys.rawValue, features.responderKeys.rawValue,
      ] { writer.uint8(octet) }
    case .pairingConfirm(let value), .pairingRandom(let value), .encryptionInformation(let value), .identityInformation(let value),
      .signingInformation(let value), .pairingDHKeyCheck(let value), .unknown(_, let value):
      writer.append(value)
    case .pairingFailed(let reason): writer.uint8(reason.rawValue)
    case .centralIdentification(let diversifier, let random):
      writer.uint16(diversifier)
      writer.append(random)
    case .identityAddressInformation(let address):
      writer.uint8(address.kind.rawValue)
      writer.uint48(address.value)
    case .securityRequest(let authentication): writer.uint8(authentication.rawValue)
    case .pairingPublicKey(let x, let y):
      writer.append(x)
      writer.append(y)
    case .pairingKeypressNotification(let type): writer.uint8(type)
    }
  }
}
