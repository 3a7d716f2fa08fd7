import SessionReconstruction
import TestSupport
import Testing

struct DiscoveryTests {
  private typealias Declaration = DiscoveredDatabase.Declaration
  private static let long = BluetoothUUID(high: 0x5A0E_0001_7C43_4D1B, low: 0x9E0F_3B1D_6E8A_2C70)
  private static let longWire = "702c8a6e1d3b0f9e1b4d437c01000e5a"

  private static func uuid(_ number: UInt16) -> BluetoothUUID { BluetoothUUID(number) }

  /// What the peripheral's server looks like after the exchanges of a central.
  private func database(_ exchanges: [(String, String)]) throws -> (DiscoveredDatabase, [Finding.Code]) {
    let traffic = try Traffic {
      $0.connect()
      for (request, response) in exchanges {
        $0.att(.host, hex(request))
        $0.att(.controller, hex(response))
      }
    }
    #expect(traffic.capture.links.first?.databases[.central] == nil)
    return (traffic.capture.links.first?.databases[.peripheral] ?? DiscoveredDatabase(), traffic.codes)
  }

  @Test func servicesByGroupType() throws {
    let (database, codes) = try database([
      ("100100ffff0028", "1106 0100 0500 0018 0a00 1100 0d18"), ("101200ffff0028", "1114 1200 1c00 \(Self.longWire)"),
      ("100100ffff0128", "1106 2000 2500 0f18"),
    ])
    #expect(
      database.declarations == [
        AttributeHandle(1): .service(uuid: Self.uuid(0x1800), primary: true, end: AttributeHandle(5)),
        AttributeHandle(10): .service(uuid: Self.uuid(0x180D), primary: true, end: AttributeHandle(17)),
        AttributeHandle(0x12): .service(uuid: Self.long, primary: true, end: AttributeHandle(0x1C)),
        AttributeHandle(0x20): .service(uuid: Self.uuid(0x180F), primary: false, end: AttributeHandle(0x25)),
      ])
    #expect(codes == [])
  }

  @Test func servicesByTypeValue() throws {
    let (database, _) = try database([
      ("060100ffff0028 0d18", "07 0a00 1100 2000 2f00"), ("060100ffff0028 \(Self.longWire)", "07 3000 ffff"),
    ])
    #expect(
      database.declarations == [
        AttributeHandle(10): .service(uuid: Self.uuid(0x180D), primary: true, end: AttributeHandle(17)),
        AttributeHandle(0x20): .service(uuid: Self.uuid(0x180D), primary: true, end: AttributeHandle(0x2F)),
        AttributeHandle(0x30): .service(uuid: Self.long, primary: true, end: AttributeHandle(0xFFFF)),
      ])
  }

  @Test func characteristicsOfBothWidths() throws {
    let (database, _) = try database([
      ("080a0011000328", "0907 0b00 10 0c00 372a 0e00 02 0f00 382a"), ("080f0011000328", "0915 1000 0c 1100 \(Self.longWire)"),
    ])
    #expect(
      database.declarations == [
        AttributeHandle(11): .characteristic(uuid: Self.uuid(0x2A37), properties: 0x10, value: AttributeHandle(12)),
        AttributeHandle(14): .characteristic(uuid: Self.uuid(0x2A38), properties: 0x02, value: AttributeHandle(15)),
        AttributeHandle(16): .characteristic(uuid: Self.long, properties: 0x0C, value: AttributeHandle(17)),
      ])
  }

  @Test func includesOfBothWidths() throws {
    let (database, codes) = try database([
      ("080a0011000228", "0908 0b00 2000 2f00 0f18"), ("080c0011000228", "0906 0c00 3000 3f00"), ("0a3000", "0b \(Self.longWire)"),
      ("0a3000", "0b 00000000000000000000000000000000"),
    ])
    #expect(
      database.declarations == [
        AttributeHandle(11): .include(uuid: Self.uuid(0x180F), start: AttributeHandle(0x20), end: AttributeHandle(0x2F)),
        AttributeHandle(12): .include(uuid: Self.long, start: AttributeHandle(0x30), end: AttributeHandle(0x3F)),
      ])
    #expect(codes == [])
  }

  @Test func descriptorsByFindInformation() throws {
    let (database, codes) = try database([
      ("080a0011000328", "0907 0b00 10 0c00 372a"), ("040a001100", "0501 0b00 0328 0c00 372a 0d00 0229 0e00 0129"),
      ("040f001100", "0502 0f00 \(Self.longWire)"),
    ])
    #expect(
      database.declarations == [
        AttributeHandle(11): .characteristic(uuid: Self.uuid(0x2A37), properties: 0x10, value: AttributeHandle(12)),
        AttributeHandle(13): .typed(Self.uuid(0x2902)), AttributeHandle(14): .typed(Self.uuid(0x2901)),
        AttributeHandle(15): .typed(Self.long),
      ])
    #expect(codes == [])
  }

  @Test func valuesAreNoDescriptorsInWhateverOrderTheyAreTold() throws {
    let (database, codes) = try database([
      ("040a001100", "0501 0a00 0028 0b00 0328 0d00 372a 0e00 0229"), ("080a0011000328", "0907 0b00 10 0d00 372a"),
      ("100100ffff0028", "1106 0a00 1100 0d18"), ("080100ffff 372a", "0904 0d00 0648"),
    ])
    #expect(
      database.declarations == [
        AttributeHandle(10): .service(uuid: Self.uuid(0x180D), primary: true, end: AttributeHandle(17)),
        AttributeHandle(11): .characteristic(uuid: Self.uuid(0x2A37), properties: 0x10, value: AttributeHandle(13)),
        AttributeHandle(14): .typed(Self.uuid(0x2902)),
      ])
    #expect(codes == [])
  }

  @Test func readByTypeTellsTypesOfOtherAttributes() throws {
    let (database, _) = try database([("080100ffff 002a", "0904 0300 4142")])
    #expect(database.declarations == [AttributeHandle(3): .typed(Self.uuid(0x2A00))])
  }

  @Test func aConflictIsFoundAndTheLaterOneStands() throws {
    let (database, codes) = try database([
      ("100100ffff0028", "1106 0100 0500 0018"), ("100100ffff0028", "1106 0100 0500 0018"), ("100100ffff0028", "1106 0100 0600 0018"),
    ])
    #expect(
      database.declarations == [AttributeHandle(1): .service(uuid: Self.uuid(0x1800), primary: true, end: AttributeHandle(6))])
    #expect(database.conflicts == [AttributeHandle(1)])
    #expect(codes == [.databaseConflict])
  }

  @Test func eachServerHasItsOwnDatabase() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.att(.controller, hex("100100ffff0028"))
      $0.att(.host, hex("1106 0100 0500 0018"))
    }
    #expect(traffic.capture.links.first?.databases[.central]?.declarations.count == 1)
    #expect(traffic.capture.links.first?.databases[.peripheral] == nil)
  }

  @Test func responsesWithoutTheirRequestTeachNothing() throws {
    let traffic = try Traffic {
      $0.connect()
      $0.att(.controller, hex("1106 0100 0500 0018"))
    }
    #expect(traffic.capture.links.first?.databases.isEmpty == true)
    #expect(traffic.codes == [.unpairedResponse])
  }
}
