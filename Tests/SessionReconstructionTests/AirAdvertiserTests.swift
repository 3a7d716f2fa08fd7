import BLEWire
import CaptureFiles
import TestSupport
import Testing

@testable import SessionReconstruction

struct AirAdvertiserTests {
  static let peer = BluetoothAddress(0xC011_2233_4455, kind: .random)
  static let phone = BluetoothAddress(0x4122_3344_5566, kind: .random)

  /// One record of the nRF Sniffer, version 3.
  static func record(_ pdu: AdvertisingPDU, channel: UInt8 = 37, flags: UInt8 = 1, kept: Int? = nil) -> [UInt8] {
    let packet = hex("d6be898e") + pdu.bytes.prefix(kept ?? pdu.encodedByteCount) + [0, 0, 0]
    return [0, UInt8(packet.count + 10), 0, 3, 0, 0, 2, 10, flags, channel, 60, 0, 0, 0, 0, 0, 0] + packet
  }

  struct Table {
    var table = AdvertiserTable()
    var seconds: Int64 = 0

    mutating func add(_ bytes: [UInt8]) throws -> Bool {
      seconds += 1
      return table.add(
        try LinkLayerLinkType.nordicSniffer.parse(bytes.byteSpan), time: CaptureTime(seconds: seconds, nanoseconds: 0))
    }
  }

  @Test func advertisementsAndScanResponses() throws {
    var air = Table()
    #expect(try air.add(Self.record(.init(.undirected, .advertisement(advertiser: Self.peer, data: hex("020106"))))))
    #expect(try air.add(Self.record(.init(.scanResponse, .advertisement(advertiser: Self.peer, data: hex("0209 41"))))))
    let advertiser = try #require(air.table.advertisers[Self.peer])
    #expect(advertiser.data == hex("020106"))
    #expect(advertiser.scanResponse == hex("0209 41"))
    #expect(advertiser.name == "A")
    #expect(advertiser.isConnectable)
    #expect(advertiser.rssi == -60)
    #expect(advertiser.reports == 2)
    #expect((advertiser.first.seconds, advertiser.last.seconds) == (1, 2))
    #expect(try air.add(Self.record(.init(.nonConnectable, .advertisement(advertiser: Self.peer, data: [])))))
    #expect(air.table.advertisers[Self.peer]?.isConnectable == false)
    #expect(try air.add(Self.record(.init(.directed, .directed(advertiser: Self.peer, target: Self.phone)))))
    #expect(air.table.advertisers[Self.peer]?.isConnectable == true)
    #expect(try air.add(Self.record(.init(.scannable, .advertisement(advertiser: Self.phone, data: [])))))
    #expect(air.table.advertisers.count == 2)
  }

  @Test func whatIsWrongCutOrNoAdvertisementIsPassedOver() throws {
    var air = Table()
    let advertisement = AdvertisingPDU(.undirected, .advertisement(advertiser: Self.peer, data: hex("020106")))
    let link = LLData(accessAddress: AccessAddress(rawValue: 1), crcInit: 0, interval: 6, timeout: 100)
    #expect(try !air.add(Self.record(advertisement, flags: 0)))
    #expect(try !air.add(Array(Self.record(advertisement).dropLast(4))))
    #expect(try !air.add(Self.record(.init(.undirected, .unknown([1, 2])))))
    #expect(try !air.add(Self.record(.init(.scanRequest, .scanRequest(scanner: Self.phone, advertiser: Self.peer)))))
    #expect(try !air.add(Self.record(.init(.connectIndication, .connect(initiator: Self.phone, advertiser: Self.peer, link)))))
    #expect(try !air.add(Self.record(.init(.auxiliaryConnectResponse, .extended(.init(advertiser: Self.peer), data: [])))))
    #expect(air.table.advertisers.isEmpty)
  }

  @Test func extendedAdvertising() throws {
    var air = Table()
    let pointer = AuxPointer(rawValue: 0x012345)
    // The announcement, its auxiliary PDU, one that is continued by a PDU without an address, and a scan response.
    #expect(try !air.add(Self.record(.init(.extended, .extended(.init(mode: .connectable, auxPointer: pointer), data: [])))))
    #expect(
      try !air.add(
        Self.record(.init(.extended, .extended(.init(mode: .connectable, advertiser: Self.peer, auxPointer: pointer), data: [])))))
    #expect(
      try air.add(Self.record(.init(.extended, .extended(.init(mode: .connectable, advertiser: Self.peer), data: [2, 1, 6])), channel: 4)))
    #expect(air.table.advertisers[Self.peer]?.data == [2, 1, 6])
    #expect(air.table.advertisers[Self.peer]?.isConnectable == true)
    #expect(
      try air.add(
        Self.record(.init(.extended, .extended(.init(advertiser: Self.phone, auxPointer: pointer), data: [3, 3])), channel: 4)))
    #expect(try !air.add(Self.record(.init(.extended, .extended(.init(), data: [4])), channel: 4, flags: 3)))
    #expect(air.table.advertisers[Self.phone]?.data == [3, 3])
    #expect(try air.add(Self.record(.init(.extended, .extended(.init(advertiser: Self.peer), data: [5])), channel: 4, flags: 7)))
    #expect(air.table.advertisers[Self.peer]?.scanResponse == [5])
    #expect(air.table.advertisers[Self.peer]?.data == [2, 1, 6])
  }

  @Test func aChecksumThatNobodyToldIsWorkedOut() throws {
    var table = AdvertiserTable()
    let good = hex("d6be898e 0209aabbccddeeff020106 2dc74e")
    var bad = good
    bad[12] ^= 1
    for (bytes, isTaken) in [(bad, false), (good, true)] {
      let time = CaptureTime(seconds: 0, nanoseconds: 0)
      let taken = table.add(try LinkLayerLinkType.bare.parse(bytes.byteSpan), time: time)
      #expect(taken == isTaken)
    }
    #expect(table.advertisers.values.map(\.rssi) == [127])
  }
}
