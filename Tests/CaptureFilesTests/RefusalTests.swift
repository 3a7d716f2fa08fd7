import CaptureFiles
import Foundation
import TestSupport
import Testing

/// What is no capture, or an empty one, and what to do about it.
struct RefusalTests {
  static func refusal(_ bytes: [UInt8]) -> CaptureError? {
    do {
      var reader = try CaptureReader(bytes: bytes, file: "x")
      try reader.forEachRecord { _ in }
      return reader.emptiness
    } catch { return error as? CaptureError }
  }

  static let pcapHeader = PcapBuilder(linkType: 201).bytes

  @Test(
    arguments: [
      ([], .empty, "is empty: the log was not switched on, or was not flushed yet; Android: "),
      (
        Array("Bluetooth monitor ver 5.66\n= Note".utf8), .unknownFormat,
        "is text and no capture; the printed output of btmon: record with `btmon -w FILE`"
      ),
      (Array("HCI sniffer - Bluetooth packet analyzer".utf8), .unknownFormat, "is text and no capture; the printed output of hcidump"),
      (Array("[{\"_source\": {}}]".utf8), .unknownFormat, "is text and no capture; JSON, perhaps exported from a viewer"),
      (Array("hello, wörld".utf8), .unknownFormat, "is text and no capture; give the capture itself"),
      (
        [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3], .unknownFormat,
        "is no capture that can be read; btsnoop, pcap, pcapng and PacketLogger"
      ),
      (Array(pcapHeader.prefix(20)), .cutHeader, "is cut inside the pcap header: 20 of 24 bytes are there; copy the file again"),
      (pcapHeader, .noRecords, "has a header and no record: nothing was captured before the recording ended; record again"),
      (
        BtsnoopWriter().bytes, .noRecords,
        "has a header and no record: the log was on and nothing was written. On Android, switch Bluetooth off and on"
      ),
      (BtsnoopWriter().bytes + [0, 0, 0], .noRecords, "is cut inside its first record: nothing can be read; copy the file again"),
    ] as [([UInt8], CaptureError.Code, String)])
  func eachHasItsMessage(bytes: [UInt8], code: CaptureError.Code, message: String) throws {
    let error = try #require(Self.refusal(bytes))
    #expect(error.code == code)
    #expect(error.message.hasPrefix(message), "\(error.message)")
  }

  @Test func aUSBCaptureWithoutBluetoothIsRefused() throws {
    var builder = PcapBuilder(linkType: 220)
    for _ in 0..<3 {
      builder.record(
        USBRecord(endpoint: 0x81, kind: .interrupt, isSubmit: false, data: [0, 1, 2, 3]).bytes(.usbmonMapped), time: PcapTests.time)
    }
    let error = try #require(Self.refusal(builder.bytes))
    #expect(error.code == .noBluetooth)
    #expect(error.message.hasPrefix("holds 3 records and none of them is a Bluetooth packet; was the right adapter or bus captured"))
  }

  @Test func aMonitorLogOfNotesAloneIsRefused() throws {
    var builder = PcapBuilder(linkType: 254)
    builder.record(hex("ffff 000c 4c696e7578"), time: PcapTests.time)
    #expect(Self.refusal(builder.bytes)?.code == .noBluetooth)
  }

  /// One file of each link type that is read.
  @Test(arguments: LinkType.allCases)
  func everyLinkTypeOnTheListIsRead(type: LinkType) throws {
    let advertisement = hex("d6be898e 4009 5544332211c0 020106 665544")
    let frame: [UInt8]
    switch type {
    case .hciUART: frame = hex("01 030c00")
    case .hciUARTWithDirection: frame = hex("00000000 01 030c00")
    case .monitor: frame = hex("0000 0002 030c00")
    case .linkLayer: frame = advertisement
    case .linkLayerWithHeader: frame = hex("27 d5 80 00 d6be898e 1300") + advertisement
    case .nordicSniffer: frame = hex("00 1c00 03 0100 02 0a 01 26 2d 0700 04030201") + advertisement
    case .perPacketInformation: frame = hex("00 00 0800 fb000000") + advertisement
    case .usbmon: frame = USBRecord.command(hex("030c00")).bytes(.usbmon)
    case .usbmonMapped: frame = USBRecord.command(hex("030c00")).bytes(.usbmonMapped)
    case .usbPcap: frame = USBRecord.command(hex("030c00")).bytes(.usbPcap)
    }
    var pcap = PcapBuilder(linkType: type.rawValue)
    pcap.record(frame, time: PcapTests.time)
    var pcapng = PcapngBuilder()
    pcapng.section()
    pcapng.interface(linkType: UInt16(type.rawValue))
    pcapng.packet(frame, time: PcapTests.time)
    var user = PcapBuilder(linkType: 150)
    user.record(frame, time: PcapTests.time)
    for (bytes, options) in [
      (pcap.bytes, CaptureOptions()), (pcapng.bytes, CaptureOptions()), (user.bytes, CaptureOptions(userLinkTypes: [150: type])),
    ] {
      let (records, reader) = try RecordCopy.all(of: bytes, options: options)
      let isAir = [.linkLayer, .linkLayerWithHeader, .nordicSniffer, .perPacketInformation].contains(type)
      #expect(records.map(\.kind) == [isAir ? .linkLayer : .command])
      #expect(records.map(\.bytes) == [isAir ? hex("4009 5544332211c0 020106") : hex("030c00")])
      #expect(reader.emptiness == nil)
    }
    #expect(Self.refusal(user.bytes)?.message.hasSuffix("say with --user-dlt, as --user-dlt 150=le-ll") == true)
  }

  /// A capture of every link type, cut at every byte.
  @Test(arguments: LinkType.allCases, [false, true])
  func everyLinkTypeCutAtEveryByte(type: LinkType, isNext: Bool) throws {
    let frames: [[UInt8]] = [[UInt8](repeating: 0x55, count: 70), hex("00000000 01 030c00"), []]
    var (bytes, bounds, header): ([UInt8], [Int], Int)
    if isNext {
      var builder = PcapngBuilder()
      builder.section()
      builder.interface(linkType: UInt16(type.rawValue))
      for frame in frames { builder.packet(frame, time: PcapTests.time) }
      (bytes, bounds, header) = (builder.bytes, builder.bounds + [28], 28)
    } else {
      var builder = PcapBuilder(linkType: type.rawValue)
      for frame in frames { builder.record(frame, time: PcapTests.time) }
      (bytes, bounds, header) = (builder.bytes, builder.bounds, 24)
    }
    for end in header...bytes.count {
      let (records, reader) = try RecordCopy.all(of: Array(bytes.prefix(end)))
      #expect(records.count == max(0, Set(bounds).subtracting([header]).filter { $0 <= end && $0 > bounds[0] }.count), "\(end)")
      #expect(reader.findings.count(of: .cutLastRecord) == (bounds.contains(end) ? 0 : 1), "\(end)")
    }
  }
}
