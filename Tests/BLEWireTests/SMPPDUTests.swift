import BLEWire
import TestSupport
import Testing

struct SMPPDUTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let pdu: SMPPDU
    init(_ text: String, _ pdu: SMPPDU) { (bytes, self.pdu) = (hex(text), pdu) }
    var testDescription: String { String(describing: pdu) }
  }

  private static let value = Array(0x10...0x1F as ClosedRange<UInt8>)
  private static let valueText = "101112131415161718191a1b1c1d1e1f"

  /// Every command of Core 5.4, Vol 3, Part H, 3.5 and 3.6.
  static let cases: [Case] = [
    Case(
      "01 04 00 2d 10 0f 0f",
      .pairingRequest(
        PairingFeatures(
          io: .keyboardDisplay, authentication: [.bonding, .mitm, .secureConnections, .ct2],
          initiatorKeys: KeyDistribution(rawValue: 0x0F), responderKeys: [.encryption, .identity, .signing, .linkKey]))),
    Case(
      "02 03 01 01 07 00 03",
      .pairingResponse(
        PairingFeatures(
          io: .noInputNoOutput, hasOutOfBandData: true, authentication: .bonding, maximumKeySize: 7,
          responderKeys: [.encryption, .identity]))
    ),
    Case("03 \(valueText)", .pairingConfirm(value)),
    Case("04 \(valueText)", .pairingRandom(value)),
    Case("05 04", .pairingFailed(PairingFailure(rawValue: 4))),
    Case("06 \(valueText)", .encryptionInformation(value)),
    Case("07 3412 0102030405060708", .centralIdentification(diversifier: 0x1234, random: hex("0102030405060708"))),
    Case("08 \(valueText)", .identityInformation(value)),
    Case("09 01 5544332211c0", .identityAddressInformation(BluetoothAddress(0xC011_2233_4455, kind: .random))),
    Case("0a \(valueText)", .signingInformation(value)),
    Case("0b 0d", .securityRequest([.bonding, .mitm, .secureConnections])),
    Case("0c \(valueText)\(valueText) \(valueText)\(valueText)", .pairingPublicKey(x: value + value, y: value + value)),
    Case("0d \(valueText)", .pairingDHKeyCheck(value)),
    Case("0e 02", .pairingKeypressNotification(2)),
    Case("0f", .unknown(SMPOpcode(rawValue: 0x0F), data: [])),
  ]

  @Test(arguments: cases)
  func bytesToValueAndBack(_ test: Case) throws {
    #expect(try SMPPDU(parsing: test.bytes) == test.pdu)
    #expect(test.pdu.bytes == test.bytes)
    #expect(test.pdu.encodedByteCount == test.bytes.count)
    #expect(test.pdu.opcode.rawValue == test.bytes[0])
  }

  @Test(arguments: cases)
  func everyPrefixIsCutAndALongerOneMalformed(_ test: Case) {
    for count in 0..<test.bytes.count {
      #expect(throws: ParseError.truncated(.smp, at: 0, needed: 0, available: 0)) { try SMPPDU(parsing: Array(test.bytes.prefix(count))) }
    }
    guard test.bytes[0] < 0x0F else { return }
    #expect(throws: ParseError.malformed(.smp, at: 0, "")) { try SMPPDU(parsing: test.bytes + [0]) }
  }

  // MARK: - The method

  private static func features(_ io: UInt8, _ authentication: AuthenticationRequirements, oob: Bool = false) -> PairingFeatures {
    PairingFeatures(io: IOCapability(rawValue: io), hasOutOfBandData: oob, authentication: authentication)
  }

  /// Table 2.8 of Part H, row by row: the responder's capability, and the methods for an initiator of each; the letters stand for
  /// Just Works, Passkey Entry, Numeric Comparison.
  private static let legacy = ["JJPJP", "JJPJP", "PPPJP", "JJJJJ", "PPPJP"]
  private static let secure = ["JJPJP", "JNPJN", "PPPJP", "JJJJJ", "PNPJN"]

  @Test(arguments: [false, true])
  func theMethodFollowsTheTable(isSecure: Bool) {
    let wanted: AuthenticationRequirements = isSecure ? [.mitm, .secureConnections] : [.mitm]
    for (responder, row) in (isSecure ? Self.secure : Self.legacy).enumerated() {
      for (initiator, letter) in row.enumerated() {
        let method = PairingMethod(
          initiator: Self.features(UInt8(initiator), wanted), responder: Self.features(UInt8(responder), wanted))
        let expected: PairingMethod = letter == "J" ? .justWorks : letter == "P" ? .passkeyEntry : .numericComparison
        #expect(method == expected, "initiator \(initiator), responder \(responder)")
      }
    }
  }

  /// Tables 2.6 and 2.7: data out of band, and nobody who asks for protection.
  @Test func dataOutOfBandAndNoProtection() {
    for (first, second, isSecure, isUsed) in [
      (true, true, false, true), (true, false, false, false), (false, true, true, true), (true, false, true, true),
    ] {
      let wanted: AuthenticationRequirements = isSecure ? .secureConnections : []
      let method = PairingMethod(initiator: Self.features(4, wanted, oob: first), responder: Self.features(4, wanted, oob: second))
      #expect(method == (isUsed ? .outOfBand : .justWorks))
    }
    // One that asks is enough; one that does not support Secure Connections makes it legacy.
    #expect(PairingMethod(initiator: Self.features(4, []), responder: Self.features(4, .mitm)) == .passkeyEntry)
    #expect(PairingMethod(initiator: Self.features(4, [.mitm, .secureConnections]), responder: Self.features(1, [])) == .passkeyEntry)
    // A capability that the table does not have.
    #expect(PairingMethod(initiator: Self.features(9, .mitm), responder: Self.features(4, .mitm)) == .justWorks)
  }

  @Test func aResponseSettlesThePairing() {
    let features = (Self.features(4, [.bonding, .secureConnections]), Self.features(3, [.bonding, .secureConnections]))
    var pairing = Pairing(central: Pairing.End(features.0))
    #expect(pairing.method == nil && !pairing.isBonding)
    pairing.peripheral = Pairing.End(features.1)
    pairing.settle(initiator: features.0, responder: features.1)
    #expect(pairing.method == .justWorks && pairing.isSecureConnections && pairing.isBonding)
    #expect(PairingFailure(rawValue: 4).description == "0x04 Confirm Value Failed")
    #expect(PairingFailure(rawValue: 0).description == "0x00" && PairingFailure(rawValue: 0xFF).name == nil)
  }
}
