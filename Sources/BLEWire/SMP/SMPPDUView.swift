public import ByteParsing

/// One command of the Security Manager Protocol over borrowed bytes: `code(1) data(…)`, each of a fixed length.
///
/// Keys and values are in the order of the air, the least significant octet first. Source: Core 5.4, Vol 3, Part H, 3.5 and 3.6.
public enum SMPPDUView: ~Escapable {
  /// `0x01 io(1) oob(1) authentication(1) maximumKeySize(1) initiatorKeys(1) responderKeys(1)`
  case pairingRequest(PairingFeatures)
  /// `0x02`, and the same
  case pairingResponse(PairingFeatures)
  /// `0x03 value(16)`
  case pairingConfirm(RawSpan)
  /// `0x04 value(16)`
  case pairingRandom(RawSpan)
  /// `0x05 reason(1)`
  case pairingFailed(PairingFailure)
  /// `0x06 longTermKey(16)`
  case encryptionInformation(RawSpan)
  /// `0x07 diversifier(2) random(8)`
  case centralIdentification(diversifier: UInt16, random: RawSpan)
  /// `0x08 identityResolvingKey(16)`
  case identityInformation(RawSpan)
  /// `0x09 addressType(1) address(6)`
  case identityAddressInformation(BluetoothAddress)
  /// `0x0A signatureKey(16)`
  case signingInformation(RawSpan)
  /// `0x0B authentication(1)`
  case securityRequest(AuthenticationRequirements)
  /// `0x0C x(32) y(32)`
  case pairingPublicKey(x: RawSpan, y: RawSpan)
  /// `0x0D check(16)`
  case pairingDHKeyCheck(RawSpan)
  /// `0x0E type(1)`
  case pairingKeypressNotification(UInt8)
  /// A code that the specification does not have.
  case unknown(SMPOpcode, data: RawSpan)

  /// Checks a whole command.
  @_lifetime(copy bytes)
  public init(parsing bytes: RawSpan) throws(ParseError) {
    var reader = ByteReader(bytes, layer: .smp)
    let opcode = SMPOpcode(rawValue: try reader.uint8())
    switch opcode {
    case .pairingRequest: self = .pairingRequest(try PairingFeatures(parsing: &reader))
    case .pairingResponse: self = .pairingResponse(try PairingFeatures(parsing: &reader))
    case .pairingConfirm: self = .pairingConfirm(try reader.slice(16))
    case .pairingRandom: self = .pairingRandom(try reader.slice(16))
    case .pairingFailed: self = .pairingFailed(PairingFailure(rawValue: try reader.uint8()))
    case .encryptionInformation: self = .encryptionInformation(try reader.slice(16))
    case .centralIdentification: self = .centralIdentification(diversifier: try reader.uint16(), random: try reader.slice(8))
    case .identityInformation: self = .identityInformation(try reader.slice(16))
    case .identityAddressInformation:
      let kind = BluetoothAddress.Kind(rawValue: try reader.uint8())
      self = .identityAddressInformation(BluetoothAddress(try reader.uint48(), kind: kind))
    case .signingInformation: self = .signingInformation(try reader.slice(16))
    case .securityRequest: self = .securityRequest(AuthenticationRequirements(rawValue: try reader.uint8()))
    case .pairingPublicKey: self = .pairingPublicKey(x: try reader.slice(32), y: try reader.slice(32))
    case .pairingDHKeyCheck: self = .pairingDHKeyCheck(try reader.slice(16))
    case .pairingKeypressNotification: self = .pairingKeypressNotification(try reader.uint8())
    default: self = .unknown(opcode, data: reader.rest())
    }
    try reader.expectEnd("the command is longer than its layout")
  }
}

extension PairingFeatures {
  init(parsing reader: inout ByteReader) throws(ParseError) {
    self.init(
      io: IOCapability(rawValue: try reader.uint8()), hasOutOfBandData: try reader.uint8() == 1,
      authentication: AuthenticationRequirements(rawValue: try reader.uint8()), maximumKeySize: try reader.uint8(),
      initiatorKeys: KeyDistribution(rawValue: try reader.uint8()), responderKeys: KeyDistribution(rawValue: try reader.uint8()))
  }
}
