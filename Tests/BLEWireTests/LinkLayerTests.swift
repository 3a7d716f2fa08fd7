import BLEWire
import TestSupport
import Testing

struct LinkLayerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let pdu: AdvertisingPDU
    init(_ text: String, _ pdu: AdvertisingPDU) { (bytes, self.pdu) = (hex(text), pdu) }
    var testDescription: String { "type \(pdu.type.rawValue), \(bytes.count) bytes" }
  }

  static let peer = BluetoothAddress(0xC011_2233_4455, kind: .random)
  static let phone = BluetoothAddress(0x4122_3344_5566, kind: .random)
  static let board = BluetoothAddress(0x0011_2233_4466, kind: .publicDevice)
  static let link = LLData(
    accessAddress: AccessAddress(rawValue: 0x5065_65A1), crcInit: 0x12_3456, winSize: 2, winOffset: 9, interval: 36, latency: 1,
    timeout: 42, channelMap: 0x1F_FFFF_FF00, hop: 11, sleepClockAccuracy: 5)

  /// Every PDU of Core 5.4, Vol 6, Part B, 2.3.
  static let cases: [Case] = [
    Case("40 09 5544332211c0 020106", .init(.undirected, .advertisement(advertiser: peer, data: [2, 1, 6]))),
    Case("60 06 5544332211c0", .init(.undirected, chSel: true, .advertisement(advertiser: peer, data: []))),
    Case("41 0c 5544332211c0 664433221100", .init(.directed, .directed(advertiser: peer, target: board))),
    Case("c1 0c 5544332211c0 665544332241", .init(.directed, .directed(advertiser: peer, target: phone))),
    Case("02 07 664433221100 ff", .init(.nonConnectable, .advertisement(advertiser: board, data: [0xFF]))),
    Case("43 0c 665544332241 664433221100", .init(.scanRequest, .scanRequest(scanner: phone, advertiser: board))),
    Case("04 06 664433221100", .init(.scanResponse, .advertisement(advertiser: board, data: []))),
    Case(
      "e5 22 665544332241 5544332211c0 a1656550 563412 02 0900 2400 0100 2a00 00ffffff1f ab",
      .init(.connectIndication, chSel: true, .connect(initiator: phone, advertiser: peer, link))),
    Case("46 08 5544332211c0 0109", .init(.scannable, .advertisement(advertiser: peer, data: [1, 9]))),
    Case(
      "07 07 46 18 5533 cc2b21",
      .init(
        .extended,
        .extended(
          .init(mode: .connectable, dataInfo: .init(dataID: 0x355, setID: 3), auxPointer: AuxPointer(rawValue: 0x21_2BCC)), data: []))),
    Case("47 0b 07 01 5544332211c0 020106", .init(.extended, .extended(.init(advertiser: peer), data: [2, 1, 6]))),
    Case(
      "47 17 93 4d 5544332211c0 03 0130 f6 0102030405060708 aabbcc",
      .init(
        .extended,
        .extended(
          .init(
            mode: .scannable, advertiser: peer, toneInfo: 3, dataInfo: .init(dataID: 1, setID: 3), txPower: -10,
            controllerData: hex("0102030405060708")), data: hex("aabbcc")))),
    Case(
      "07 14 13 20 0102 6400 ffffffff3f a1656550 563412 0700",
      .init(
        .extended,
        .extended(
          .init(
            syncInfo: SyncInfo(
              offset: 0x0201, interval: 100, channelMap: 0x3F_FFFF_FFFF, accessAddress: link.accessAddress, crcInit: 0x12_3456,
              eventCounter: 7)), data: []))),
    Case("07 01 00", .init(.extended, .extended(.init(), data: []))),
    Case("07 03 80 0102", .init(.extended, .extended(.init(mode: .scannable), data: [1, 2]))),
    Case(
      "c8 0e 0d 03 5544332211c0 665544332241",
      .init(.auxiliaryConnectResponse, .extended(.init(advertiser: peer, target: phone), data: []))),
    Case("0f 02 0102", .init(AdvertisingPDUType(rawValue: 15), .unknown([1, 2]))),
  ]

  @Test(arguments: cases)
  func bytesToValueAndBack(_ test: Case) throws {
    #expect(try AdvertisingPDU(parsing: test.bytes) == test.pdu)
    #expect(test.pdu.bytes == test.bytes)
    #expect(test.pdu.encodedByteCount == test.bytes.count)
  }

  @Test(arguments: cases)
  func everyPrefixIsCutAndAnExcessIsMalformed(_ test: Case) {
    for count in 0..<test.bytes.count {
      #expect(throws: Self.error(.truncated)) { try AdvertisingPDU(parsing: Array(test.bytes.prefix(count))) }
    }
    #expect(throws: Self.error(.malformed)) { try AdvertisingPDU(parsing: test.bytes + [0]) }
  }

  static func error(_ code: ParseError.Code) -> ParseError {
    ParseError(code, layer: .advertisingPDU, offset: 0, needed: 0, available: 0, reason: "")
  }

  @Test(arguments: [
    ("43 0b 665544332241 6644332211", ParseError.Code.truncated), ("43 0d 665544332241 664433221100 00", .malformed),
    ("45 21 665544332241 5544332211c0 a1656550 563412 02 0900 2400 0100 2a00 00ffffff1f", .truncated),
    ("07 08 03 01 5544332211c0", .malformed), ("07 03 3f 01 55", .truncated), ("07 00", .truncated),
  ])
  func lengthsThatCannotBe(text: String, code: ParseError.Code) {
    #expect(throws: Self.error(code)) { try AdvertisingPDU(parsing: hex(text)) }
  }

  @Test func aViewNamesAdvertiserAndData() throws {
    for test in Self.cases {
      let view = try AdvertisingPDUView(parsing: test.bytes.byteSpan)
      let (advertiser, data) = (view.advertiser, view.data.array)
      switch test.pdu.payload {
      case .advertisement(let expected, let bytes): #expect(advertiser == expected && data == bytes)
      case .directed(let expected, _), .scanRequest(_, let expected), .connect(_, let expected, _):
        #expect(advertiser == expected && data.isEmpty)
      case .extended(let header, let bytes): #expect(advertiser == header.advertiser && data == bytes)
      case .unknown: #expect(advertiser == nil && data.isEmpty)
      }
    }
  }

  @Test func auxPointerIsTakenApart() {
    let pointer = AuxPointer(rawValue: 0x21_2BCC)
    #expect(pointer.channel == 12)
    #expect(pointer.microseconds == 0x12B * 300)
    #expect(pointer.phy == 1)
    #expect(AuxPointer(rawValue: 0x00_0140).microseconds == 30)
  }

  @Test(arguments: [
    ("01 00", DataPDUHeader(llid: .continuing, length: 0), 0, nil),
    ("0e 03 aabbcc", DataPDUHeader(llid: .start, nesn: true, sn: true, length: 3), 3, nil),
    ("13 02 02 13", DataPDUHeader(llid: .control, md: true, length: 2), 2, LLControlOpcode.terminateIndication),
    ("03 00", DataPDUHeader(llid: .control, length: 0), 0, nil),
    ("0b 0c 02", DataPDUHeader(llid: .control, sn: true, length: 12), 1, .terminateIndication),
    ("22 01 85 ff", DataPDUHeader(llid: .start, toneInfo: 0x85, length: 1), 1, nil),
    ("00 00", DataPDUHeader(llid: .reserved, length: 0), 0, nil),
  ])
  func dataPDUs(text: String, header: DataPDUHeader, kept: Int, opcode: LLControlOpcode?) throws {
    let bytes = hex(text)
    let view = try DataPDUView(parsing: bytes.byteSpan)
    let (found, payload, control, isCut) = (view.header, view.payload.array, view.controlOpcode, view.isTruncated)
    #expect(found == header)
    #expect(payload == Array(bytes.suffix(kept)))
    #expect(control == opcode)
    #expect(isCut == (kept < Int(header.length)))
    var writer = ByteWriter()
    header.write(to: &writer)
    #expect(writer.bytes == Array(bytes.prefix(header.encodedByteCount)))
    for count in 0..<header.encodedByteCount {
      #expect(throws: Self.error(.truncated)) {
        let prefix = Array(bytes.prefix(count))
        _ = try DataPDUView(parsing: prefix.byteSpan)
      }
    }
  }

  /// The first checksum was worked out bit by bit, most significant first, as the specification draws the register.
  @Test func checksums() {
    let pdu = hex("0209aabbccddeeff020106")
    let checksum = LinkLayerCRC.of(pdu.byteSpan, initial: LinkLayerCRC.advertisingInitial)
    #expect(checksum == 0x4EC72D)
    let ofNothing = LinkLayerCRC.of(RawSpan(), initial: 0x00_0001)
    #expect(ofNothing == 0x80_0000)
  }

  @Test func accessAddresses() {
    #expect(AccessAddress.advertising.description == "0x8e89bed6")
    #expect(AccessAddress(rawValue: 0x0000_00A1).description == "0x000000a1")
  }

  @Test func randomPDUsNeverTrapAndStandTheRoundTrip() throws {
    var random = SeededGenerator(seed: 0x11AD)
    for _ in 0..<50_000 {
      var bytes = random.bytes(Int.random(in: 0...50, using: &random))
      if bytes.count > 2, Bool.random(using: &random) { bytes[1] = UInt8(bytes.count - 2) }
      _ = try? DataPDUView(parsing: bytes.byteSpan)
      guard let pdu = try? AdvertisingPDU(parsing: bytes) else { continue }
      #expect(try AdvertisingPDU(parsing: pdu.bytes) == pdu)
    }
  }
}
