import GATTStack
import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// Handles on the link while attributes are moved.
struct HandleShiftTests {
  private static let shift = HandleShift(from: 0x0010, by: 0x0100)

  private static let database = AttributeDatabase([
    .init(handle: AttributeHandle(0x0001), type: AttributeDatabase.primaryService, groupEnd: AttributeHandle(0x0009)),
    .init(handle: AttributeHandle(0x0010), type: AttributeDatabase.characteristic),
    .init(handle: AttributeHandle(0x0012), type: AttributeDatabase.include),
    .init(handle: AttributeHandle(0x0014), type: BluetoothUUID(0x2A00 as UInt16)),
  ])

  @Test(arguments: [
    // Error Response, with the opcode of the request before the handle.
    ("01 0a 1000 01", "01 0a 1001 01"), ("01 0a 0f00 01", "01 0a 0f00 01"),
    // Find Information, with UUIDs of 16 and of 128 bits.
    ("05 01 0f00 0029 1000 0229", "05 01 0f00 0029 1001 0229"),
    ("05 02 1100 000102030405060708090a0b0c0d0e0f", "05 02 1101 000102030405060708090a0b0c0d0e0f"),
    // Find By Type Value; the end of all handles stays.
    ("07 0100 0900 1000 ffff", "07 0100 0900 1001 ffff"),
    // Read By Type: a characteristic, an include, a value that holds no handle.
    ("09 07 1000 02 1100 002a", "09 07 1001 02 1101 002a"), ("09 08 1200 2000 2300 0f18", "09 08 1201 2001 2301 0f18"),
    ("09 06 1400 1000 1100", "09 06 1401 1000 1100"),
    ("11 06 1000 1f00 0f18 2000 ffff 0a18", "11 06 1001 1f01 0f18 2001 ffff 0a18"),
    ("17 1000 0000 aa", "17 1001 0000 aa"), ("1b 1000 aa", "1b 1001 aa"), ("1d 0f00 aa", "1d 0f00 aa"),
    ("23 0f00 0100 aa 1000 0100 bb", "23 0f00 0100 aa 1001 0100 bb"),
    // No handles, or the peripheral's own request to the central.
    ("0b 1000", "0b 1000"), ("0a 1000", "0a 1000"), ("13", "13"), ("03 1700", "03 1700"),
    // Cut short.
    ("1b 10", "1b 10"), ("11 06 1000 1f", "11 06 1001 1f"), ("", ""), ("09 00 1000", "09 00 1001"), ("23 1000 ffff", "23 1001 ffff"),
  ])
  func whatThePeripheralSends(recorded: String, sent: String) {
    #expect(Hexadecimal.encode(Self.shift.moved(hex(recorded), in: Self.database)) == Hexadecimal.encode(hex(sent)))
  }

  @Test(arguments: [
    ("0a 1001", "0a 1000"), ("0a 0f00", "0a 0f00"), ("0c 1201 1600", "0c 1200 1600"), ("12 1001 aa", "12 1000 aa"),
    ("52 1001 aa", "52 1000 aa"), ("16 1001 0000 aa", "16 1000 0000 aa"), ("0e 0f00 1001", "0e 0f00 1000"),
    ("20 1001 1101", "20 1000 1100"),
    ("10 0100 ffff 0028", "10 0100 ffff 0028"), ("04 1001 2001", "04 1000 2000"), ("08 0f00 2000 0328", "08 0f00 0f00 0328"),
    ("06 2000 ffff 0028 0f18", "06 1000 ffff 0028 0f18"),
    // No range, no handle, another opcode.
    ("10 0000 ffff 0028", "10 0000 ffff 0028"), ("10 2000 1000 0028", "10 2000 1000 0028"), ("0a 10", "0a 10"), ("1e", "1e"),
    ("02 1700", "02 1700"),
  ])
  func whatTheCentralAsks(sent: String, recorded: String) throws {
    #expect(Hexadecimal.encode(try Self.shift.unmoved(hex(sent)).get()) == Hexadecimal.encode(hex(recorded)))
  }

  @Test(arguments: [
    ("0a 1000", "010a100001"), ("0c 0f01 1600", "010c0f0101"), ("12 2000 aa", "0112200001"), ("16 1000 0000 aa", "0116100001"),
    ("0e 0f00 1000", "010e100001"), ("04 2000 2100", "010420000a"), ("52 1000 aa", nil), ("d2 1000 aa", nil),
  ])
  func betweenThePlacesIsNothing(sent: String, answer: String?) {
    switch Self.shift.unmoved(hex(sent)) {
    case .success(let bytes): Issue.record("\(bytes)")
    case .failure(let stale): #expect(stale.pdu.map { Hexadecimal.encode($0.bytes) } == answer)
    }
  }

  @Test func nothingTraps() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      let shift = HandleShift(from: .random(in: 0 ... .max, using: &random), by: .random(in: 0 ... .max, using: &random))
      let bytes = random.bytes(Int.random(in: 0...24, using: &random))
      #expect(shift.moved(bytes, in: Self.database).count == bytes.count)
      if case .success(let recorded) = shift.unmoved(bytes) { #expect(recorded.count == bytes.count) }
    }
  }

  // MARK: - Service Changed

  /// A service 1801 with Service Changed at 0x0003, its CCCD at 0x0004, and a value at 0x0013.
  private static func scenario(_ entries: [TimelineEntry]) -> Scenario {
    let attribute = { (handle: UInt16, kind: Attribute.Kind, content: [UInt8]?) in
      Attribute(handle: AttributeHandle(handle), kind: kind, content: content)
    }
    return Scenario(
      device: Device(name: "Moved"),
      database: [
        attribute(1, .service(uuid: BluetoothUUID(0x1801 as UInt16), primary: true, end: AttributeHandle(4)), nil),
        attribute(2, .characteristic(uuid: BluetoothUUID(0x2A05 as UInt16), properties: 0x20, value: AttributeHandle(3)), nil),
        attribute(4, .descriptor(uuid: BluetoothUUID(0x2902 as UInt16)), nil),
        attribute(0x11, .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(0x13)), nil),
        attribute(0x12, .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 2, value: AttributeHandle(0x13)), [0x55]),
      ], sessions: [Session(entries: entries)])
  }

  private static let indication = "1d03001000ffff"

  @Test func itIsIndicatedAtOnceWhereItIsSubscribed() throws {
    let central = TestCentral(
      Self.scenario([]), faults: [try Fault("moveHandles:0x0010+64:serviceChanged@after:read:FFE1")])
    central.connect()
    central.send("12 0400 0200")
    #expect(central.send("0a 1300") == ["0b55", Self.indication])
    #expect(central.send("1e") == [])
    #expect(central.send("0a 1300") == ["010a130001"])
    #expect(central.send("0a 5300") == ["0b55"])
    #expect(central.send("10 0100 ffff 0028") == ["110601000400011851005300e0ff"])
    #expect(central.send("08 5100 5300 0328") == ["0907520002530" + "0e1ff"])
  }

  @Test func itIsIndicatedOnceItIsSubscribed() throws {
    let central = TestCentral(Self.scenario([]), faults: [try Fault("moveHandles:0x0010+64:serviceChanged@phase:connecting")])
    central.connect()
    #expect(central.send("0a 1300") == ["010a130001"])
    #expect(central.send("12 0400 0200") == ["13", Self.indication])
    #expect(central.send("1e") == [])
    // Once.
    #expect(central.send("12 0400 0200") == ["13"])
    // The next link has them there from its beginning, and does not tell again.
    central.leave()
    central.connect()
    #expect(central.send("0a 5300") == ["0b55"])
  }

  @Test func withoutTheWordNothingIsTold() throws {
    let central = TestCentral(Self.scenario([]), faults: [try Fault("moveHandles:0x0010+64@after:read:FFE1")])
    central.connect()
    central.send("12 0400 0200")
    #expect(central.send("0a 1300") == ["0b55"])
    #expect(central.send("0a 1300") == ["010a130001"])
  }
}
