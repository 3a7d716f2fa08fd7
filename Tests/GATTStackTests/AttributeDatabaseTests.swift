import BLEWire
import GATTStack
import TestSupport
import Testing

struct AttributeDatabaseTests {
  private typealias Entry = AttributeDatabase.Entry
  private static let long = BluetoothUUID(high: 0x100F_0E0D_0C0B_0A09, low: 0x0807_0605_0403_0201)
  private static let longBytes = "0102030405060708090a0b0c0d0e0f10"

  private static func service(_ handle: UInt16, _ value: String, end: UInt16) -> Entry {
    Entry(handle: AttributeHandle(handle), type: AttributeDatabase.primaryService, value: hex(value), groupEnd: AttributeHandle(end))
  }

  private static func entry(_ handle: UInt16, _ type: UInt16?, _ value: String = "", error: ATTErrorCode? = nil) -> Entry {
    Entry(handle: AttributeHandle(handle), type: type.map { BluetoothUUID($0) }, value: hex(value), readError: error)
  }

  /// Two services of 16 bits, one of 128, one of 16 again that reaches to the last handle.
  private static let database = AttributeDatabase([
    service(1, "0018", end: 5), entry(2, 0x2803, "020300002a"), entry(3, 0x2A00, "61"), entry(4, nil, "99"), entry(5, 0x2901, "62"),
    service(6, "0f18", end: 9), entry(7, 0x2803, "120800192a"), entry(8, 0x2A19, "32"), entry(9, 0x2902, "0000"),
    service(16, longBytes, end: 19), entry(17, 0x2803, "0a1200" + longBytes),
    Entry(handle: AttributeHandle(18), type: long, value: hex("01")), entry(19, 0x2902, "0000"),
    service(0xFFF0, "0a18", end: 0xFFFF), entry(0xFFFF, 0x2A00, "7a"),
  ])

  private static func ask(_ request: String, mtu: Int = 23, _ database: AttributeDatabase = database) throws -> String? {
    database.answer(try ATTPDU(parsing: hex(request)), mtu: mtu).map { Hexadecimal.encode($0.bytes) }
  }

  private static func plain(_ text: String) -> String { Hexadecimal.encode(hex(text)) }

  @Test(arguments: [
    // Groups of one width, as many as fit.
    ("10 0100 ffff 0028", 23, "11 06 0100 0500 0018 0600 0900 0f18"),
    ("10 0700 ffff 0028", 23, "11 14 1000 1300 0102030405060708090a0b0c0d0e0f10"),
    ("10 1100 ffff 0028", 23, "11 06 f0ff ffff 0a18"),
    ("10 0100 ffff 0028", 13, "11 06 0100 0500 0018"),
    ("10 0100 0500 0028", 23, "11 06 0100 0500 0018"),
    ("10 0200 0500 0028", 23, "01 10 0200 0a"),
    ("10 0100 ffff 0128", 23, "01 10 0100 0a"),
    ("10 0100 ffff 0328", 23, "01 10 0100 10"),
    ("10 0000 ffff 0028", 23, "01 10 0000 01"),
    ("10 0500 0400 0028", 23, "01 10 0500 01"),
    // Services by value.
    ("06 0100 ffff 0028 0f18", 23, "07 0600 0900"),
    ("06 0700 ffff 0028 0f18", 23, "01 06 0700 0a"),
    ("06 0000 ffff 0028 0f18", 23, "01 06 0000 01"),
    ("06 0100 ffff 0028 0102030405060708090a0b0c0d0e0f10", 23, "07 1000 1300"),
    ("06 0100 ffff 0229 0000", 23, "07 0900 0900 1300 1300"),
    // Types; values of one length only.
    ("08 0100 ffff 0328", 23, "09 07 0200 02 0300 002a 0700 12 0800 192a"),
    ("08 0800 ffff 0328", 23, "09 15 1100 0a 1200 0102030405060708090a0b0c0d0e0f10"),
    ("08 0100 ffff 0328", 15, "09 07 0200 02 0300 002a"),
    ("08 1200 ffff 0328", 23, "01 08 1200 0a"),
    ("08 0100 ffff 002a", 23, "09 03 0300 61 ffff 7a"),
    ("08 ffff ffff 002a", 23, "09 03 ffff 7a"),
    ("08 0000 ffff 0328", 23, "01 08 0000 01"),
    ("08 0100 ffff 0102030405060708090a0b0c0d0e0f10", 23, "09 03 1200 01"),
    // A type of 16 bits in its long form is the same type.
    ("08 0100 0500 fb349b5f 8000 0080 0010 0000 002a0000", 23, "09 03 0300 61"),
    // Handles and their types; the one without a type is passed over, widths are not mixed.
    ("04 0300 0500", 23, "05 01 0300 002a 0500 0129"),
    ("04 0400 0400", 23, "01 04 0400 0a"),
    ("04 1100 1300", 23, "05 01 1100 0328"),
    ("04 1200 1300", 23, "05 02 1200 0102030405060708090a0b0c0d0e0f10"),
    ("04 0100 ffff", 23, "05 01 0100 0028 0200 0328 0300 002a 0500 0129 0600 0028"),
    ("04 ffff ffff", 23, "05 01 ffff 002a"),
    ("04 0000 0100", 23, "01 04 0000 01"),
    ("04 0200 0100", 23, "01 04 0200 01"),
  ])
  func answers(request: String, mtu: Int, answer: String) throws {
    let got = try Self.ask(request.filter { $0 != " " }, mtu: mtu)
    #expect(got == Self.plain(answer))
  }

  @Test func aLargerMTUHoldsMore() throws {
    #expect(
      try Self.ask("04 0100 ffff", mtu: 64)
        == Self.plain(
          "05 01 0100 0028 0200 0328 0300 002a 0500 0129 0600 0028 0700 0328 0800 192a 0900 0229 1000 0028 1100 0328"))
  }

  @Test func readErrorsInReadByType() throws {
    let database = AttributeDatabase([
      Self.entry(1, 0x2A00, "01"), Self.entry(2, 0x2A00, "02", error: .insufficientEncryption), Self.entry(3, 0x2A00, "03"),
    ])
    #expect(try Self.ask("08 0100 ffff 002a", database) == Self.plain("09 03 0100 01"))
    #expect(try Self.ask("08 0200 ffff 002a", database) == Self.plain("01 08 0200 0f"))
    #expect(try Self.ask("08 0300 ffff 002a", database) == Self.plain("09 03 0300 03"))
  }

  @Test func longValuesAreCut() throws {
    let database = AttributeDatabase([
      Entry(handle: AttributeHandle(1), type: BluetoothUUID(0x2A00 as UInt16), value: Array(repeating: 7, count: 300))
    ])
    #expect(try Self.ask("08 0100 ffff 002a", database) == "09150100" + String(repeating: "07", count: 19))
    #expect(try Self.ask("08 0100 ffff 002a", mtu: 517, database) == "09ff0100" + String(repeating: "07", count: 253))
  }

  @Test func ofOneHandleTheLaterStands() {
    let database = AttributeDatabase([Self.entry(2, 0x2A00, "01"), Self.entry(1, 0x2A01, "02"), Self.entry(2, 0x2A00, "03")])
    #expect(database.entries.map(\.handle.rawValue) == [1, 2])
    #expect(database[AttributeHandle(2)]?.value == [3])
    #expect(database[AttributeHandle(9)] == nil)
  }

  @Test func whatIsNoDiscoveryIsNotAnswered() throws {
    #expect(try Self.ask("0a 0300") == nil)
    #expect(try Self.ask("02 1700") == nil)
  }
}
