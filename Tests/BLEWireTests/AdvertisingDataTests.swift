import BLEWire
import TestSupport
import Testing

struct AdvertisingDataTests {
  @Test func structuresNamesAndServices() {
    let bytes = hex("020106 0509 4e616d65 0302 0d18 0516 0f18 6401 020a fc 05ff 4c000215 04ff 4c0010")
    let data = AdvertisingData(parsing: bytes)
    #expect(data.structures.map(\.type) == [0x01, 0x09, 0x02, 0x16, 0x0A, 0xFF, 0xFF])
    #expect(data.bytes == bytes)
    #expect(data.flags == 6)
    #expect(data.localName == "Name")
    #expect(data.serviceUUIDs == [BluetoothUUID(0x180D as UInt16)])
    #expect(data.serviceData.map(\.uuid) == [BluetoothUUID(0x180F as UInt16)])
    #expect(data.serviceData.map(\.data) == [[0x64, 0x01]])
    #expect(data.txPowerLevel == -4)
    #expect(data.manufacturerData == hex("4c000215 4c0010"))
    #expect(data.trailing == [])
  }

  @Test(arguments: [
    ("", 0, ""), ("00", 0, ""), ("0000ff", 0, ""), ("01 01", 1, ""), ("02 01", 0, "0201"), ("ff", 0, "ff"),
    ("020106 05 09 41", 1, "050941"),
    ("020106 00 0000", 1, ""),
  ])
  func oddData(text: String, structures: Int, trailing: String) {
    let data = AdvertisingData(parsing: hex(text))
    #expect(data.structures.count == structures)
    #expect(data.trailing == hex(trailing))
  }

  @Test func namesPreferTheCompleteOneAndAreRepaired() {
    #expect(AdvertisingData(parsing: hex("0208 41 0209 42")).localName == "B")
    #expect(AdvertisingData(parsing: hex("0208 41")).localName == "A")
    #expect(AdvertisingData(parsing: hex("0309 41 ff")).localName == "A\u{FFFD}")
    #expect(AdvertisingData(parsing: hex("0109")).localName == "")
    #expect(AdvertisingData(parsing: []).localName == nil)
  }

  @Test func listsThatAreNoWholeNumberOfUUIDsKeepTheWholeOnes() {
    #expect(AdvertisingData(parsing: hex("0403 0d18 0f")).serviceUUIDs == [BluetoothUUID(0x180D as UInt16)])
    #expect(AdvertisingData(parsing: hex("0207 01")).serviceUUIDs == [])
    #expect(AdvertisingData(parsing: hex("0216 0f")).serviceData.isEmpty)
  }
}
