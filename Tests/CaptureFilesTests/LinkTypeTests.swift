import BLEWire
import CaptureFiles
import TestSupport
import Testing

struct LinkTypeTests {
  /// What a packet is read as, in words, because views can't leave the bytes they borrow.
  static func describe(
    _ type: LinkLayerLinkType, _ bytes: [UInt8], userTypes: [UInt32: LinkLayerLinkType] = [:]
  ) throws -> String {
    let packet = try type.parse(bytes.byteSpan, userTypes: userTypes)
    var words = ["\(packet.accessAddress)", "\(packet.physicalChannel)", Hexadecimal.encode(packet.pdu.array)]
    if packet.pdu.byteCount < packet.originalLength { words.append("of \(packet.originalLength)") }
    if let crc = packet.crc { words.append("CRC \(String(crc, radix: 16))") }
    if let isValid = packet.crcIsValid { words.append(isValid ? "valid" : "invalid") }
    if let channel = packet.channel { words.append("channel \(channel)") }
    if let rssi = packet.rssi { words.append("\(rssi) dBm") }
    if let phy = packet.phy { words.append("\(phy)") }
    if let isFromCentral = packet.isCentralToPeripheral { words.append(isFromCentral ? "central" : "peripheral") }
    if packet.isEncryptedBySniffer == true { words.append("encrypted") }
    if packet.isDecrypted { words.append("decrypted") }
    if let auxiliary = packet.auxiliary { words.append("auxiliary \(auxiliary)") }
    if packet.board != 0 { words.append("board \(packet.board)") }
    return words.joined(separator: " ")
  }

  /// ADV_NONCONN_IND with its true checksum, and a piece of L2CAP.
  static let advertisement = "d6be898e 0209aabbccddeeff020106 2dc74e"
  static let data = "a1656550 0e03aabbcc 112233"
  static let readAdvertisement = "0x8e89bed6 advertising 0209aabbccddeeff020106 CRC 4ec72d"
  static let readData = "0x506565a1 data 0e03aabbcc CRC 332211"

  @Test(arguments: [
    (advertisement, "\(readAdvertisement) valid"), (data, readData),
    ("d6be898e 0209aabbccddeeff020107 2dc74e", "0x8e89bed6 advertising 0209aabbccddeeff020107 CRC 4ec72d invalid"),
    ("d6be898e 0209aabbccddeeff020106 2dc7", "0x8e89bed6 advertising 0209aabbccddeeff020106"),
    ("d6be898e 0209aabbcc", "0x8e89bed6 advertising 0209aabbcc of 11"), ("a1656550 2a01 85 ff", "0x506565a1 data 2a0185ff"),
    ("a1656550 0100", "0x506565a1 data 0100"),
  ])
  func bareLinkLayer(text: String, expected: String) throws { #expect(try Self.describe(.bare, hex(text)) == expected) }

  @Test(arguments: [
    ("27 d5 80 00 d6be898e 130c \(advertisement)", "\(readAdvertisement) valid channel 39 -43 dBm le1M"),
    ("00 d5 80 00 d6be898e 0104 \(advertisement)", "\(readAdvertisement) invalid channel 37 le1M"),
    ("0c d5 80 00 d6be898e 0100 \(advertisement)", "\(readAdvertisement) valid channel 38 le1M"),
    ("0d d5 80 00 d6be898e 4300 \(advertisement)", "\(readAdvertisement) valid -43 dBm le1M"),
    ("0d d5 80 00 d6be898e 8130 \(advertisement)", "\(readAdvertisement) valid channel 11 le1M auxiliary scanResponse"),
    ("01 d5 80 00 00000000 014d \(data)", "\(readData) valid channel 0 le2M central"),
    ("26 d5 80 00 00000000 8145 \(data)", "\(readData) invalid channel 36 le2M peripheral"),
    ("28 d5 80 00 00000000 0100 \(data)", "\(readData) le1M"),
    ("01 d5 80 00 00000000 0181 a1656550 01 0e03aabbcc 112233", "\(readData) channel 0 coded central"),
    ("01 d5 80 00 00000000 0931 \(data)", "\(readData) channel 0 le1M central decrypted"),
    ("01 d5 80 00 00000000 0901 \(data)", "\(readData) channel 0 le1M central decrypted"),
    ("01 d5 80 00 00000000 0111 \(data)", "\(readData) channel 0 le1M central encrypted"),
    ("01 d5 80 00 00000000 0911 \(data)", "\(readData) channel 0 le1M central encrypted"),
    ("01 d5 80 02 a2656550 3101 \(data)", "0x506565a2 data 0e03aabbcc CRC 332211 channel 0 le1M central"),
    ("01 d5 80 00 00000000 0102 \(data)", "0x506565a1 isochronous 0e03aabbcc CRC 332211 channel 0 le1M central"),
    (
      "01 d5 80 00 00000000 8100 a1656550 0600112233445566", "0x506565a1 advertising 0600 CRC 332211 channel 0 le1M auxiliary advertisement"
    ),
  ])
  func radioHeader(text: String, expected: String) throws { #expect(try Self.describe(.withRadioHeader, hex(text)) == expected) }

  @Test(arguments: [
    ("beef 06 0100 0000 1b 01 26 2d 0700 04030201 \(advertisement)", "\(readAdvertisement) valid channel 38 -45 dBm le1M"),
    ("beef 06 0100 0000 15 03 05 2d 0700 04030201 \(data)", "\(readData) valid channel 5 -45 dBm le1M central"),
    ("09 06 1c 01 0100 06 0a 01 26 2d 0700 04030201 \(advertisement)", "\(readAdvertisement) valid channel 38 -45 dBm le1M board 9"),
    ("09 07 16 01 0100 06 ff 0a 00 05 2d 0700 04030201 \(data)", "\(readData) invalid channel 5 -45 dBm le1M peripheral board 9"),
    ("00 1c00 02 0100 06 0a 01 26 2d 0700 04030201 \(advertisement)", "\(readAdvertisement) valid channel 38 -45 dBm le1M"),
    ("4b 1c00 02 0000 00 0a 03 00 00 0000 00000000 \(advertisement)", "\(readAdvertisement) valid channel 0 0 dBm le1M board 75"),
    ("00 1600 02 0100 06 0a 0f 05 2d 0700 04030201 \(data)", "\(readData) valid channel 5 -45 dBm le1M central decrypted"),
    ("00 1600 02 0100 06 0a 05 05 2d 0700 04030201 \(data)", "\(readData) valid channel 5 -45 dBm le1M peripheral encrypted"),
    ("00 1c00 03 0100 02 0a 01 26 2d 0700 04030201 \(advertisement)", "\(readAdvertisement) valid channel 38 -45 dBm le1M"),
    (
      "00 1c00 03 0100 02 0a 17 04 2d 0700 04030201 \(advertisement)",
      "\(readAdvertisement) valid channel 4 -45 dBm le2M auxiliary scanResponse"
    ),
    ("00 1700 03 0100 06 0a 23 05 2d 0700 04030201 a1656550 01 0e03aabbcc 112233", "\(readData) valid channel 5 -45 dBm coded central"),
    ("00 1800 03 0100 06 0c 13 05 2d 0700 04030201 0000 \(data)", "\(readData) valid channel 5 -45 dBm le2M central"),
    (
      "00 1600 03 0100 02 0a 01 05 2d 0700 04030201 a1656550 0603aabbcc 112233",
      "0x506565a1 advertising 0603aabbcc CRC 332211 valid channel 5 -45 dBm le1M auxiliary advertisement"
    ),
    ("00 1600 03 0100 06 0a 71 ff 2d 0700 04030201 \(data)", "\(readData) valid -45 dBm peripheral"),
  ])
  func nordicSniffer(text: String, expected: String) throws { #expect(try Self.describe(.nordicSniffer, hex(text)) == expected) }

  /// Board 0xBE with 239 bytes of payload begins like version 0.
  @Test func aBoardIsNotTakenForTheMarkOfVersion0() throws {
    let payload = [UInt8](repeating: 0x55, count: 0xEF - 10 - 4 - 2 - 3)
    let bytes = hex("be ef00 03 0100 06 0a 01 05 2d 0700 04030201 a1656550 02") + [UInt8(payload.count)] + payload + [1, 2, 3]
    #expect(try Self.describe(.nordicSniffer, bytes).hasSuffix("CRC 30201 valid channel 5 -45 dBm le1M peripheral board 190"))
  }

  @Test(arguments: [
    ("00 00 0800 fb000000 \(data)", readData), ("00 00 0800 00010000 0100000000000000 0101 \(data)", "\(readData) channel 0 le1M central"),
    ("00 00 1800 93000000 36750c00 00 6209 00 6b36e300 e8dcee3c \(advertisement)", "\(readAdvertisement) valid channel 37"),
    ("00 01 2000 93000000 02000100 ff000000 36750c00 00 7609 00 6b36e300 e8dcee3c \(data)", "\(readData) channel 9"),
    ("00 00 1d00 93000000 02000100 ff 36750c00 00 b009 00 6b36e300 e8dcee3c \(data)", "\(readData) channel 39"),
    ("00 00 1800 fb000000 36750c00 00 6309 00 6b36e300 e8dcee3c \(data)", readData),
    ("00 00 0c00 fb000000 0200ff00 \(data)", readData),
  ])
  func perPacketInformation(text: String, expected: String) throws {
    #expect(try Self.describe(.perPacketInformation, hex(text)) == expected)
  }

  @Test func aUsersLinkTypeIsWhatTheUserTells() throws {
    let bytes = hex("00 00 0800 94000000 \(Self.data)")
    #expect(throws: LinkTypeError.unsupportedInnerType(148)) { try Self.describe(.perPacketInformation, bytes) }
    #expect(try Self.describe(.perPacketInformation, bytes, userTypes: [148: .bare]) == Self.readData)
    #expect(throws: LinkTypeError.unsupportedInnerType(148)) {
      try Self.describe(.perPacketInformation, bytes, userTypes: [148: .perPacketInformation])
    }
  }

  @Test(arguments: [
    (LinkLayerLinkType.bare, "d6be898e02", LinkTypeError.tooShort(needed: 6, available: 5)),
    (.withRadioHeader, "27 d5 80 00 d6be898e 120c \(advertisement)", .notDewhitened),
    (.withRadioHeader, "27 d5 80 00 d6be898e 130c d6be898e 02", .tooShort(needed: 16, available: 15)),
    (.nordicSniffer, "00 1c00 04 0100 06 0a 01 26 2d 0700 04030201 \(advertisement)", .unsupportedVersion(4)),
    (.nordicSniffer, "00 0100 02 0100 0d 00", .notAPacket(13)), (.nordicSniffer, "09 05 1c 01 0100 06 0a", .badHeaderLength(5)),
    (.nordicSniffer, "00 1c00 03 0100 02 09 01 26 2d 0700 04030201 \(advertisement)", .badHeaderLength(9)),
    (.nordicSniffer, "00 0400 03 0100 02 0a 01 26 2d 0700 04030201", .tooShort(needed: 17, available: 11)),
    (.nordicSniffer, "09 ff 1c 01 0100 06 0a", .tooShort(needed: 256, available: 8)),
    (.perPacketInformation, "01 00 0800 fb000000 \(data)", .unsupportedVersion(1)),
    (.perPacketInformation, "00 00 0700 fb000000 \(data)", .badHeaderLength(7)),
    (.perPacketInformation, "00 00 ff00 fb000000", .tooShort(needed: 255, available: 8)),
    (.perPacketInformation, "00 00 0800 69000000 \(data)", .unsupportedInnerType(105)),
  ])
  func refusals(type: LinkLayerLinkType, text: String, error: LinkTypeError) {
    #expect(throws: error) { try Self.describe(type, hex(text)) }
    #expect(!error.description.isEmpty)
  }

  @Test func radioChannels() throws {
    let channels = try (0..<40).map { number -> Int? in
      let bytes = hex("\(number < 16 ? "0" : "")\(String(number, radix: 16)) 00 00 00 00000000 0100 \(Self.data)")
      return try LinkLayerLinkType.withRadioHeader.parse(bytes.byteSpan).channel
    }
    #expect(channels == [37] + Array(0...10) + [38] + Array(11...36) + [39])
  }

  @Test func mutationsNeverTrap() {
    var random = SeededGenerator(seed: 0x2A57)
    let samples: [(LinkLayerLinkType, [UInt8])] = [
      (.bare, hex(Self.data)), (.withRadioHeader, hex("27 d5 80 00 d6be898e 130c \(Self.advertisement)")),
      (.nordicSniffer, hex("beef 06 0100 0000 15 03 05 2d 0700 04030201 \(Self.data)")),
      (.nordicSniffer, hex("09 06 16 01 0100 06 0a 00 05 2d 0700 04030201 \(Self.data)")),
      (.nordicSniffer, hex("00 1600 03 0100 06 0a 0f 05 2d 0700 04030201 \(Self.data)")),
      (.perPacketInformation, hex("00 01 2000 93000000 02000100 ff000000 36750c00 00 7609 00 6b36e300 e8dcee3c \(Self.data)")),
    ]
    for _ in 0..<40_000 {
      let (type, sample) = samples[Int.random(in: 0..<samples.count, using: &random)]
      let bytes = random.mutate(sample)
      _ = try? Self.describe(type, bytes)
    }
  }
}

extension SeededGenerator {
  /// A copy with some bytes changed, and sometimes cut.
  mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
    var copy = bytes
    for _ in 0..<Int.random(in: 0...3, using: &self) where !copy.isEmpty {
      copy[Int.random(in: 0..<copy.count, using: &self)] = UInt8.random(in: .min ... .max, using: &self)
    }
    return Bool.random(using: &self) ? copy : Array(copy.prefix(Int.random(in: 0...copy.count, using: &self)))
  }
}
