import CaptureFiles
import Foundation
import TestSupport
import Testing

struct PcapngTests {
  static let time = PcapTests.time

  static func file(bigEndian: Bool, resolution: UInt8 = 6, offset: Int64 = 0) -> PcapngBuilder {
    var builder = PcapngBuilder()
    builder.section(isBigEndian: bigEndian)
    builder.interface(linkType: 201, resolution: resolution, offset: offset)
    for frame in PcapTests.frames[201] ?? [] { builder.packet(frame, time: time) }
    return builder
  }

  @Test(arguments: [false, true], [6, 7, 9, 10, 0x80 | 20, 0x80 | 30] as [UInt8])
  func resolutionsAndOrdersSayTheSame(bigEndian: Bool, resolution: UInt8) throws {
    for offset in [0, 1_600_000_000, -86400] as [Int64] {
      let (records, reader) = try RecordCopy.all(of: Self.file(bigEndian: bigEndian, resolution: resolution, offset: offset).bytes)
      // Powers of two do not hit microseconds.
      let tolerance: Int64 = resolution & 0x80 == 0 ? 0 : 1_000_000_000 >> Int64(resolution & 0x7F) + 1
      for (record, expected) in zip(records, PcapTests.packets) {
        #expect(abs(record.time.nanoseconds(since: expected.time)) <= tolerance)
        #expect((record.kind, record.direction, record.bytes) == (expected.kind, expected.direction, expected.bytes))
      }
      #expect(records.count == 4)
      #expect(reader.format == .pcapng([201]))
      #expect(reader.findings.findings == [])
    }
  }

  @Test func secondsAndCoarserAreRead() throws {
    var builder = PcapngBuilder()
    builder.section()
    for resolution in [0, 3, 0x80, 0x81] as [UInt8] { builder.interface(linkType: 201, resolution: resolution) }
    for interface in 0..<4 {
      builder.packet(hex("00000000 01 030c00"), time: CaptureTime(seconds: 1_700_000_000, nanoseconds: 500_000_000), interface: interface)
    }
    let records = try RecordCopy.all(of: builder.bytes, options: CaptureOptions(keepsRawTimes: true)).records
    #expect(records.map(\.time.nanoseconds) == [0, 500_000_000, 0, 500_000_000])
    #expect(records.map(\.time.seconds) == [Int64](repeating: 1_700_000_000, count: 4))
  }

  /// Interfaces differ in link type, resolution and snap length; they interleave.
  @Test func interfacesThatDifferAreReadTogether() throws {
    var builder = PcapngBuilder()
    builder.section(options: [(1, Array("in the lab".utf8))])
    builder.interface(linkType: 201, options: [(2, Array("hci0".utf8))])
    builder.interface(linkType: 1)
    builder.interface(linkType: 187, snapLength: 64, resolution: 9)
    builder.packet(hex("00000000 01 030c00"), time: Self.time, interface: 0)
    builder.packet(hex("ffffffffffff"), time: Self.time, interface: 1)
    builder.packet(
      hex("02 4000 0700 0300 0400 0a0300"), time: Self.time, interface: 2,
      options: [builder.direction(.controllerToHost), (1, Array("here it hangs".utf8)), (4, builder.number(2, 8))])
    builder.packet(hex("04 0e0401030c00"), time: Self.time, interface: 2)
    let (records, reader) = try RecordCopy.all(of: builder.bytes)
    #expect(records.map(\.kind) == [.command, .unknown(1), .aclData, .event])
    // The flags are believed before a guess.
    #expect(records.map(\.direction) == [.hostToController, .hostToController, .controllerToHost, .controllerToHost])
    #expect(records.map(\.adapter) == [0, 1, 1, 1])
    #expect(reader.format == .pcapng([201, 1, 187]))
    #expect(
      reader.findings.findings.map(\.message) == [
        "comment: in the lab", "record 2 has the unknown type 1", "comment: here it hangs", "2 packets lost before record 3",
      ])
  }

  @Test func sectionsFollowOneAnother() throws {
    var builder = PcapngBuilder()
    for bigEndian in [false, true, false] {
      builder.section(isBigEndian: bigEndian)
      builder.interface(linkType: 254)
      for frame in PcapTests.frames[254] ?? [] { builder.packet(frame, time: Self.time) }
    }
    let (records, reader) = try RecordCopy.all(of: builder.bytes)
    #expect(records == PcapTests.packets + PcapTests.packets + PcapTests.packets)
    #expect(reader.findings.findings == [])
  }

  @Test func otherBlocksArePassedOver() throws {
    var builder = PcapngBuilder()
    builder.section()
    builder.interface(linkType: 201)
    builder.block(4, [UInt8](repeating: 0, count: 400_000))
    builder.block(0x0000_000A, hex("54534c4b 04000000 61626364"))
    builder.packet(hex("00000000 01 030c00"), time: Self.time)
    builder.block(0x0000_0BAD, hex("00007ed9 01020304"))
    builder.block(5, builder.number(0, 4) + [UInt8](repeating: 0, count: 8), options: [(5, builder.number(7, 8))])
    // The obsolete Packet Block: interface, drops, time, kept, original.
    builder.block(2, hex("0000 0300") + builder.number(0, 8) + builder.number(8, 4) + builder.number(8, 4) + hex("00000000 01 030c00"))
    let (records, reader) = try RecordCopy.all(of: builder.bytes, options: CaptureOptions(keepsRawTimes: true))
    #expect(records.map(\.bytes) == [hex("030c00"), hex("030c00")])
    #expect(
      reader.findings.findings.map(\.message).prefix(2) == [
        "interface 0 lost 7 packets while it was captured", "3 packets lost before record 2",
      ])
  }

  @Test func simplePacketsHaveNoTime() throws {
    var builder = PcapngBuilder()
    builder.section()
    builder.interface(linkType: 201, snapLength: 8)
    builder.packet(hex("00000000 01 030c00"), time: Self.time)
    builder.simplePacket(hex("00000001 04 0e04"), originalLength: 11)
    let (records, reader) = try RecordCopy.all(of: builder.bytes)
    #expect(records.map(\.time) == [Self.time, Self.time])
    #expect(records.map(\.bytes) == [hex("030c00"), hex("0e04 00")])
    #expect(records.map(\.originalLength) == [3, 6])
    #expect(reader.findings.findings.map(\.code) == [.missingTime, .cutRecord])
  }

  @Test(arguments: [false, true])
  func cutAtEveryByte(bigEndian: Bool) throws {
    let builder = Self.file(bigEndian: bigEndian)
    let header = 28
    for end in 0...builder.bytes.count {
      let bytes = Array(builder.bytes.prefix(end))
      guard end >= header else {
        let error = #expect(throws: CaptureError.self) { try RecordCopy.all(of: bytes) }
        #expect(error?.code == (end == 0 ? .empty : end < 4 ? .unknownFormat : .cutHeader), "\(end)")
        continue
      }
      let (records, reader) = try RecordCopy.all(of: bytes)
      #expect(records == Array(PcapTests.packets.prefix(max(0, builder.bounds.filter { $0 <= end }.count - 1))), "\(end)")
      let isWhole = builder.bounds.contains(end) || end == header
      #expect(reader.findings.findings.map(\.code) == (isWhole ? [] : [.cutLastRecord]), "\(end)")
    }
  }

  @Test func onlyOtherLinkTypesAreRefused() {
    var builder = PcapngBuilder()
    builder.section()
    builder.interface(linkType: 1)
    builder.interface(linkType: 105)
    let error = #expect(throws: CaptureError.self) { try CaptureReader(bytes: builder.bytes, file: "a.pcapng") }
    #expect(error?.code == .unsupportedLinkType)
    #expect(error?.message.hasPrefix("has link types 1, 105, which is not read; these are: 187 ") == true)
  }

  @Test func damageEndsTheReading() throws {
    let good = Self.file(bigEndian: false)
    let second = good.bounds[1]
    // The first length, the last length, the interface, the kept length.
    for (offset, value) in [(4, 0x03), (5, 0xFF), (8, 9), (20, 0xFF)] as [(Int, UInt8)] {
      var bytes = good.bytes
      bytes[second + offset] = value
      let (records, reader) = try RecordCopy.all(of: bytes)
      #expect(records.count == 1)
      #expect(reader.findings.findings.map(\.code) == (offset == 5 ? [.cutLastRecord] : [.corruptRecord]), "\(offset)")
    }
    var bytes = good.bytes
    bytes[8] = 0
    #expect(throws: CaptureError(.damaged, file: "", "")) { try RecordCopy.all(of: bytes) }
  }

  @Test func randomChangesCrashNothing() {
    var random = SeededGenerator(seed: 6)
    for bigEndian in [false, true] {
      let good = Self.file(bigEndian: bigEndian).bytes
      for _ in 0..<3000 {
        var bytes = good
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        }
        _ = try? RecordCopy.all(of: bytes)
      }
    }
  }

  /// Comments may be long and many; Wireshark takes blocks of 16 MiB.
  @Test func aSectionOfLongCommentsIsRead() throws {
    var builder = PcapngBuilder()
    builder.section(options: (0..<40).map { _ in (1, [UInt8](repeating: 0x78, count: 65_000)) })
    builder.interface(linkType: 187)
    builder.packet(hex("01 030c00"), time: CaptureTime(seconds: 1_700_000_000, nanoseconds: 0))
    let (records, reader) = try RecordCopy.all(of: builder.bytes)
    #expect(records.count == 1)
    #expect(reader.findings.count(of: .comment) == 40)
  }

  @Test func commentsOfStatisticsAreTold() throws {
    var builder = PcapngBuilder()
    builder.section()
    builder.interface(linkType: 187)
    builder.packet(hex("01 030c00"), time: CaptureTime(seconds: 1_700_000_000, nanoseconds: 0))
    builder.block(5, [UInt8](repeating: 0, count: 12), options: [(1, Array("stopped by hand".utf8))])
    let reader = try RecordCopy.all(of: builder.bytes).reader
    #expect(reader.findings.findings.map(\.message) == ["comment: stopped by hand"])
  }

  /// As many interfaces as controllers can be told apart, and more of them, crash nothing.
  @Test func manyInterfaces() throws {
    var builder = PcapngBuilder()
    builder.section()
    for _ in 0..<70_000 { builder.interface(linkType: 201) }
    for interface in [0, 65_535, 69_999] {
      builder.packet(hex("00000000 01 030c00"), time: CaptureTime(seconds: 1_700_000_000, nanoseconds: 0), interface: interface)
    }
    #expect(try RecordCopy.all(of: builder.bytes).records.count == 3)
  }
}
