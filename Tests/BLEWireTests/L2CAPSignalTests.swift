import BLEWire
import ByteParsing
import TestSupport
import Testing

struct L2CAPSignalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let command: L2CAPSignal.Command
    init(_ text: String, _ command: L2CAPSignal.Command) { (bytes, self.command) = (hex(text), command) }
    var testDescription: String { String(describing: command) }
  }

  private static let parameters = L2CAPChannelParameters(mtu: 512, mps: 64, credits: 10)

  /// The commands of LE, and those of BR/EDR that open and close channels (Core 5.4, Vol 3, Part A, 4).
  static let cases: [Case] = [
    Case("01 07 0600 0200 40004100", .commandReject(reason: 2, data: hex("40004100"))),
    Case("02 07 0400 1f00 4000", .connectionRequest(psm: 0x1F, source: 0x40)),
    Case("03 07 0800 4100 4000 0100 0200", .connectionResponse(destination: 0x41, source: 0x40, result: 1, status: 2)),
    Case("04 07 0800 4100 0000 0102 0002", .configurationRequest(destination: 0x41, flags: 0, options: hex("01020002"))),
    Case("05 07 0600 4000 0100 0300", .configurationResponse(source: 0x40, flags: 1, result: 3, options: [])),
    Case("06 07 0400 4100 4000", .disconnectionRequest(destination: 0x41, source: 0x40)),
    Case("07 07 0400 4100 4000", .disconnectionResponse(destination: 0x41, source: 0x40)),
    Case(
      "12 07 0800 0c00 1800 0400 f401",
      .parameterUpdateRequest(ConnectionParameterRange(intervalMinimum: 12, intervalMaximum: 24, latency: 4, timeout: 500))),
    Case("13 07 0200 0100", .parameterUpdateResponse(result: 1)),
    Case("14 07 0a00 8000 4000 0002 4000 0a00", .creditConnectionRequest(psm: 0x80, source: 0x40, parameters)),
    Case("15 07 0a00 4100 0002 4000 0a00 0200", .creditConnectionResponse(destination: 0x41, parameters, result: 2)),
    Case("16 07 0400 4100 0500", .flowControlCredit(source: 0x41, credits: 5)),
    Case("17 07 0c00 2700 0002 4000 0a00 4000 4100", .enhancedConnectionRequest(psm: 0x27, parameters, sources: [0x40, 0x41])),
    Case("18 07 0c00 0002 4000 0a00 0400 5000 0000", .enhancedConnectionResponse(parameters, result: 4, destinations: [0x50, 0])),
    Case("18 07 0800 0002 4000 0a00 0200", .enhancedConnectionResponse(parameters, result: 2, destinations: [])),
    Case("19 07 0600 0002 4000 5000", .reconfigureRequest(mtu: 512, mps: 64, destinations: [0x50])),
    Case("1a 07 0200 0300", .reconfigureResponse(result: 3)),
    Case("0a 07 0200 0200", .unknown(L2CAPSignalCode(rawValue: 0x0A), data: hex("0200"))),
    Case("08 07 0000", .unknown(L2CAPSignalCode(rawValue: 0x08), data: [])),
  ]

  @Test(arguments: cases)
  func bytesToValueAndBack(_ test: Case) throws {
    let signal = L2CAPSignal(identifier: 7, test.command)
    #expect(try L2CAPSignal(parsing: test.bytes) == signal)
    #expect(signal.bytes == test.bytes)
    #expect(signal.encodedByteCount == test.bytes.count)
    #expect(signal.code.rawValue == test.bytes[0])
  }

  @Test(arguments: cases)
  func everyPrefixIsCut(_ test: Case) {
    for count in 0..<test.bytes.count {
      #expect(throws: ParseError.truncated(.l2cap, at: 0, needed: 0, available: 0)) {
        try L2CAPSignal(parsing: Array(test.bytes.prefix(count)))
      }
    }
  }

  /// A length that does not go with the code is no command, whichever way it is wrong.
  @Test(arguments: ["12 07 0700 0c00 1800 0400 f4", "13 07 0100 01", "17 07 0800 2700 0002 4000 0a00"])
  func shortDataIsCut(_ text: String) {
    #expect(throws: ParseError.truncated(.l2cap, at: 0, needed: 0, available: 0)) { try L2CAPSignal(parsing: hex(text)) }
  }

  @Test(
    arguments: [
      "13 07 0300 010000", "17 07 0b00 2700 0002 4000 0a00 4000 41", "17 07 1400 2700 0002 4000 0a00 4000 4100 4200 4300 4400 4500",
      "13 07 0200 0100 00",
    ])
  func longDataIsMalformed(_ text: String) {
    #expect(throws: ParseError.malformed(.l2cap, at: 0, "")) { try L2CAPSignal(parsing: hex(text)) }
  }

  @Test func framesOfSeveralCommandsAreReadOneByOne() throws {
    let bytes = hex("13 01 0200 0000 07 02 0400 4100 4000")
    var reader = ByteReader(bytes.byteSpan, layer: .l2cap)
    let first = L2CAPSignal(try L2CAPSignalView(parsing: &reader))
    let second = L2CAPSignal(try L2CAPSignalView(parsing: &reader))
    #expect(first == L2CAPSignal(identifier: 1, .parameterUpdateResponse(result: 0)))
    #expect(second == L2CAPSignal(identifier: 2, .disconnectionResponse(destination: 0x41, source: 0x40)))
    #expect(reader.remaining == 0)
  }
}

extension L2CAPChannel: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt16) { self.init(rawValue: value) }
}
