import BLEWire
import TestSupport
import Testing

struct ATTPDUTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    /// A PDU of this kind with fewer bytes is cut.
    let minimum: Int
    let pdu: ATTPDU
    init(_ text: String, _ minimum: Int, _ pdu: ATTPDU) { (bytes, self.minimum, self.pdu) = (hex(text), minimum, pdu) }
    var testDescription: String { pdu.opcode.description }
  }

  static let long = BluetoothUUID(high: 0x5A0E_0001_7C43_4D1B, low: 0x9E0F_3B1D_6E8A_2C70)
  static let longWire = "702c8a6e1d3b0f9e1b4d437c01000e5a"

  /// Every PDU of Core 5.4, Vol 3, Part F, 3.4.
  static let cases: [Case] = [
    Case("01 0a 2100 05", 5, .errorResponse(request: .readRequest, handle: 0x21, error: .insufficientAuthentication)),
    Case("02 f700", 3, .exchangeMTURequest(clientMTU: 247)),
    Case("03 1700", 3, .exchangeMTUResponse(serverMTU: 23)),
    Case("04 0100 ffff", 5, .findInformationRequest(start: 1, end: 0xFFFF)),
    Case(
      "05 01 0900 0229 0a00 0129", 6,
      .findInformationResponse([.init(handle: 9, uuid: 0x2902), .init(handle: 10, uuid: 0x2901)])),
    Case("05 02 0900 \(longWire)", 20, .findInformationResponse([.init(handle: 9, uuid: long)])),
    Case("06 0100 ffff 0028 0d18", 7, .findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: hex("0d18"))),
    Case("07 0a00 1100 2000 2f00", 5, .findByTypeValueResponse([.init(found: 10, groupEnd: 17), .init(found: 0x20, groupEnd: 0x2F)])),
    Case("08 0a00 1100 0328", 7, .readByTypeRequest(start: 10, end: 17, type: 0x2803)),
    Case("08 0100 ffff \(longWire)", 7, .readByTypeRequest(start: 1, end: 0xFFFF, type: long)),
    Case(
      "09 07 0b00 10 0c00 372a 0e00 02 0f00 382a", 9,
      .readByTypeResponse([.init(handle: 11, value: hex("100c00372a")), .init(handle: 14, value: hex("020f00382a"))])),
    Case("0a 0c00", 3, .readRequest(handle: 12)),
    Case("0b 0102", 1, .readResponse(value: [1, 2])),
    Case("0c 0c00 1600", 5, .readBlobRequest(handle: 12, offset: 22)),
    Case("0d 03", 1, .readBlobResponse(part: [3])),
    Case("0e 0c00 0f00", 5, .readMultipleRequest([12, 15])),
    Case("0f 0102", 1, .readMultipleResponse(values: [1, 2])),
    Case("10 0100 ffff 0028", 7, .readByGroupTypeRequest(start: 1, end: 0xFFFF, type: 0x2800)),
    Case(
      "11 06 0100 0500 0018 0600 0900 0118", 8,
      .readByGroupTypeResponse([.init(start: 1, end: 5, value: hex("0018")), .init(start: 6, end: 9, value: hex("0118"))])),
    Case("12 0d00 0100", 3, .writeRequest(handle: 13, value: [1, 0])),
    Case("13", 1, .writeResponse),
    Case("16 0c00 0000 aabb", 5, .prepareWriteRequest(handle: 12, offset: 0, part: [0xAA, 0xBB])),
    Case("17 0c00 0000 aabb", 5, .prepareWriteResponse(handle: 12, offset: 0, part: [0xAA, 0xBB])),
    Case("18 01", 2, .executeWriteRequest(flags: 1)),
    Case("19", 1, .executeWriteResponse),
    Case("1b 0c00 0648", 3, .handleValueNotification(handle: 12, value: [6, 0x48])),
    Case("1d 0800 0a001100", 3, .handleValueIndication(handle: 8, value: hex("0a001100"))),
    Case("1e", 1, .handleValueConfirmation),
    Case("20 0c00 0f00 1000", 5, .readMultipleVariableRequest([12, 15, 16])),
    Case(
      "21 0200 0102 0500 0304", 3,
      .readMultipleVariableResponse([.init(length: 2, value: [1, 2]), .init(length: 5, value: [3, 4])])),
    Case(
      "23 0c00 0200 0102 0f00 0000", 7,
      .multipleHandleValueNotification([.init(handle: 12, value: [1, 2]), .init(handle: 15, value: [])])),
    Case("52 0c00 ff", 3, .writeCommand(handle: 12, value: [0xFF])),
    Case(
      "d2 0c00 ff 000102030405060708090a0b", 15,
      .signedWriteCommand(handle: 12, value: [0xFF], signature: hex("000102030405060708090a0b"))),
    Case("7f 0102", 1, .unknown(opcode: ATTOpcode(rawValue: 0x7F), parameters: [1, 2])),
    Case("00", 1, .unknown(opcode: ATTOpcode(rawValue: 0), parameters: [])),
  ]

  @Test(arguments: cases)
  func bytesToValueAndBack(_ test: Case) throws {
    #expect(try ATTPDU(parsing: test.bytes) == test.pdu)
    #expect(test.pdu.bytes == test.bytes)
    #expect(test.pdu.encodedByteCount == test.bytes.count)
    #expect(test.pdu.opcode.rawValue == test.bytes[0])
  }

  @Test(arguments: cases)
  func aPrefixThrowsOrIsAShorterPDU(_ test: Case) {
    for count in 0..<test.bytes.count {
      let prefix = Array(test.bytes.prefix(count))
      guard let pdu = try? ATTPDU(parsing: prefix) else { continue }
      #expect(count >= test.minimum, "\(Hexadecimal.encode(prefix))")
      #expect(pdu.bytes == prefix)
    }
  }

  @Test func everyNamedOpcodeIsInTheTable() {
    let named = (0...255).map { ATTOpcode(rawValue: UInt8($0)) }.filter { $0.name != nil }
    #expect(Set(named) == Set(Self.cases.map(\.pdu.opcode).filter { $0.name != nil }))
    #expect(named.count == 31)
  }

  @Test(
    arguments: [
      ("02f70000", ParseError.Code.malformed), ("1300", .malformed), ("1e01", .malformed), ("1901", .malformed), ("180100", .malformed),
      ("0a0c0000", .malformed), ("0501", .truncated), ("0500 0900 0229", .malformed), ("0503 0900 0229", .malformed),
      ("0501 0900 0229 0a", .malformed), ("0502 0900 0229", .truncated), ("070a0011", .truncated), ("070a001100 20", .malformed),
      ("09", .truncated), ("0900 0b00", .malformed), ("0901 0b00", .malformed), ("0907 0b00", .truncated),
      ("0907 0b00 100c00372a 00", .malformed), ("1100 0100", .malformed), ("1103 010005", .malformed), ("1106 0100 0500 00", .truncated),
      ("080100ffff 032800", .truncated), ("080100ffff 00000000000000000000000000000000ff", .malformed), ("0e0c00", .truncated),
      ("0e0c000f00 10", .malformed), ("21", .truncated), ("21 01", .truncated), ("21 0100 aa 00", .truncated), ("23", .truncated),
      ("23 0c00 0200 01", .truncated),
      ("d2 0c00 0001", .truncated), ("", .truncated),
    ] as [(String, ParseError.Code)])
  func malformedAndCutPDUsAreToldApart(text: String, code: ParseError.Code) {
    let error = #expect(throws: ParseError.self) { try ATTPDU(parsing: hex(text)) }
    #expect(error?.code == code, "\(text)")
  }

  @Test func randomValuesComeBack() throws {
    let seed: UInt64 = 0x0A77
    var random = SeededGenerator(seed: seed)
    for round in 0..<20_000 {
      let pdu = Self.randomPDU(&random)
      let bytes = pdu.bytes
      #expect(bytes.count == pdu.encodedByteCount, "seed \(seed), round \(round): \(pdu)")
      #expect(try ATTPDU(parsing: bytes) == pdu, "seed \(seed), round \(round): \(pdu)")
    }
  }

  @Test func randomBytesNeverTrap() {
    let seed: UInt64 = 0xB17E
    var random = SeededGenerator(seed: seed)
    let opcodes = Self.cases.map { $0.bytes[0] }
    for round in 0..<50_000 {
      var bytes = random.bytes(Int.random(in: 0...40, using: &random))
      if !bytes.isEmpty, Bool.random(using: &random) { bytes[0] = opcodes[Int.random(in: 0..<opcodes.count, using: &random)] }
      guard let pdu = try? ATTPDU(parsing: bytes) else { continue }
      #expect(pdu.bytes == bytes, "seed \(seed), round \(round): \(Hexadecimal.encode(bytes))")
    }
  }

  private static func randomPDU(_ random: inout SeededGenerator) -> ATTPDU {
    func number(_ random: inout SeededGenerator) -> UInt16 { UInt16.random(in: .min ... .max, using: &random) }
    func handle(_ random: inout SeededGenerator) -> AttributeHandle { AttributeHandle(number(&random)) }
    func type(_ random: inout SeededGenerator) -> BluetoothUUID {
      Bool.random(using: &random) ? BluetoothUUID(number(&random)) : BluetoothUUID(high: random.next(), low: random.next())
    }
    func value(_ random: inout SeededGenerator) -> [UInt8] { random.bytes(Int.random(in: 0...30, using: &random)) }
    func several<Element>(_ random: inout SeededGenerator, _ make: (inout SeededGenerator) -> Element) -> [Element] {
      (0..<Int.random(in: 1...6, using: &random)).map { _ in make(&random) }
    }
    let (size, wide) = (Int.random(in: 0...20, using: &random), Bool.random(using: &random))
    switch Int.random(in: 0..<32, using: &random) {
    case 0:
      return .errorResponse(
        request: ATTOpcode(rawValue: UInt8.random(in: .min ... .max, using: &random)), handle: handle(&random),
        error: ATTErrorCode(rawValue: UInt8.random(in: .min ... .max, using: &random)))
    case 1: return .exchangeMTURequest(clientMTU: number(&random))
    case 2: return .exchangeMTUResponse(serverMTU: number(&random))
    case 3: return .findInformationRequest(start: handle(&random), end: handle(&random))
    case 4:
      return .findInformationResponse(
        several(&random) {
          .init(handle: handle(&$0), uuid: wide ? BluetoothUUID(high: $0.next(), low: $0.next()) : BluetoothUUID(number(&$0)))
        })
    case 5:
      return .findByTypeValueRequest(
        start: handle(&random), end: handle(&random), type: BluetoothUUID(number(&random)), value: value(&random))
    case 6: return .findByTypeValueResponse(several(&random) { .init(found: handle(&$0), groupEnd: handle(&$0)) })
    case 7: return .readByTypeRequest(start: handle(&random), end: handle(&random), type: type(&random))
    case 8: return .readByTypeResponse(several(&random) { .init(handle: handle(&$0), value: $0.bytes(size)) })
    case 9: return .readRequest(handle: handle(&random))
    case 10: return .readResponse(value: value(&random))
    case 11: return .readBlobRequest(handle: handle(&random), offset: number(&random))
    case 12: return .readBlobResponse(part: value(&random))
    case 13: return .readMultipleRequest([handle(&random)] + several(&random) { handle(&$0) })
    case 14: return .readMultipleResponse(values: value(&random))
    case 15: return .readByGroupTypeRequest(start: handle(&random), end: handle(&random), type: type(&random))
    case 16: return .readByGroupTypeResponse(several(&random) { .init(start: handle(&$0), end: handle(&$0), value: $0.bytes(size)) })
    case 17: return .writeRequest(handle: handle(&random), value: value(&random))
    case 18: return .writeResponse
    case 19: return .prepareWriteRequest(handle: handle(&random), offset: number(&random), part: value(&random))
    case 20: return .prepareWriteResponse(handle: handle(&random), offset: number(&random), part: value(&random))
    case 21: return .executeWriteRequest(flags: UInt8.random(in: .min ... .max, using: &random))
    case 22: return .executeWriteResponse
    case 23: return .handleValueNotification(handle: handle(&random), value: value(&random))
    case 24: return .handleValueIndication(handle: handle(&random), value: value(&random))
    case 25: return .handleValueConfirmation
    case 26: return .readMultipleVariableRequest([handle(&random)] + several(&random) { handle(&$0) })
    case 27:
      return .readMultipleVariableResponse(
        several(&random) {
          let value = value(&$0)
          return .init(length: UInt16(value.count), value: value)
        })
    case 28: return .multipleHandleValueNotification(several(&random) { .init(handle: handle(&$0), value: value(&$0)) })
    case 29: return .writeCommand(handle: handle(&random), value: value(&random))
    case 30: return .signedWriteCommand(handle: handle(&random), value: value(&random), signature: random.bytes(12))
    default: return .unknown(opcode: ATTOpcode(rawValue: 0x3F), parameters: value(&random))
    }
  }
}

extension AttributeHandle: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt16) { self.init(value) }
}

extension BluetoothUUID: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt16) { self.init(value) }
}
