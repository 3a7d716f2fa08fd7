import CaptureFiles
import Foundation
import TestSupport
import Testing

/// A record by value.
struct RecordCopy: Equatable {
  var kind: CaptureRecord.Kind
  var direction: CaptureRecord.Direction
  var adapter: UInt16
  var bytes: [UInt8]
  var originalLength: Int
  var time: CaptureTime

  static func all(of bytes: [UInt8], options: CaptureOptions = CaptureOptions()) throws -> (records: [RecordCopy], reader: CaptureReader) {
    var reader = try CaptureReader(bytes: bytes, file: "test", options: options)
    var records: [RecordCopy] = []
    try reader.forEachRecord { record in
      #expect(record.number == records.count + 1)
      records.append(
        RecordCopy(
          kind: record.kind, direction: record.direction, adapter: record.adapter, bytes: record.bytes.array,
          originalLength: record.originalLength, time: record.time))
    }
    #expect(reader.recordCount == records.count)
    return (records, reader)
  }
}

struct PcapTests {
  static let time = CaptureTime(seconds: 1_700_000_000, nanoseconds: 123_456_000)
  /// One packet of each kind behind what its link type puts before it, both ways.
  static let frames: [UInt32: [[UInt8]]] = [
    187: [hex("01 030c00"), hex("04 0e0401030c00"), hex("02 4000 0700 0300 0400 0a0300"), hex("02 4020 0600 0200 0400 0b01")],
    201: [
      hex("00000000 01 030c00"), hex("00000001 04 0e0401030c00"), hex("00000000 02 4000 0700 0300 0400 0a0300"),
      hex("00000001 02 4020 0600 0200 0400 0b01"),
    ],
    254: [
      hex("0000 0002 030c00"), hex("0000 0003 0e0401030c00"), hex("0000 0004 4000 0700 0300 0400 0a0300"),
      hex("0000 0005 4020 0600 0200 0400 0b01"),
    ],
  ]
  static let packets: [RecordCopy] = [
    (.command, .hostToController, hex("030c00")), (.event, .controllerToHost, hex("0e0401030c00")),
    (.aclData, .hostToController, hex("4000 0700 0300 0400 0a0300")), (.aclData, .controllerToHost, hex("4020 0600 0200 0400 0b01")),
  ].map { RecordCopy(kind: $0, direction: $1, adapter: 0, bytes: $2, originalLength: $2.count, time: time) }

  static func file(_ linkType: UInt32, bigEndian: Bool = false, nanoseconds: Bool = false) -> PcapBuilder {
    var builder = PcapBuilder(linkType: linkType, isBigEndian: bigEndian, hasNanoseconds: nanoseconds)
    for frame in frames[linkType] ?? [] { builder.record(frame, time: time) }
    return builder
  }

  @Test(arguments: [187, 201, 254] as [UInt32], [(false, false), (false, true), (true, false), (true, true)])
  func everyVariantSaysTheSame(linkType: UInt32, variant: (bigEndian: Bool, nanoseconds: Bool)) throws {
    let (records, reader) = try RecordCopy.all(
      of: Self.file(linkType, bigEndian: variant.bigEndian, nanoseconds: variant.nanoseconds).bytes)
    #expect(records == Self.packets)
    #expect(reader.format.linkType == Int(linkType))
    #expect(reader.findings.findings == [])
    #expect(reader.byteOffset == Self.file(linkType).bytes.count)
  }

  /// The seconds have 32 bits without a sign.
  @Test(arguments: [false, true]) func timesGoOnBehind2038(bigEndian: Bool) throws {
    let times = [CaptureTime(seconds: 2_147_483_647, nanoseconds: 0), CaptureTime(seconds: 2_147_483_648, nanoseconds: 1000)]
    var builder = PcapBuilder(linkType: 187, isBigEndian: bigEndian)
    for time in times { builder.record(hex("01 030c00"), time: time) }
    let (records, reader) = try RecordCopy.all(of: builder.bytes)
    #expect(records.map(\.time) == times)
    #expect(reader.findings.findings == [])
  }

  @Test func nanosecondsAreKept() throws {
    var builder = PcapBuilder(linkType: 201, hasNanoseconds: true)
    let time = CaptureTime(seconds: 1_700_000_000, nanoseconds: 999_999_999)
    builder.record(hex("00000001 04 0e0401030c00"), time: time)
    #expect(try RecordCopy.all(of: builder.bytes).records.map(\.time) == [time])
  }

  @Test(arguments: [187, 201, 254] as [UInt32], [false, true])
  func cutAtEveryByte(linkType: UInt32, bigEndian: Bool) throws {
    let builder = Self.file(linkType, bigEndian: bigEndian)
    for end in 0...builder.bytes.count {
      let bytes = Array(builder.bytes.prefix(end))
      guard end >= 24 else {
        let error = #expect(throws: CaptureError.self) { try RecordCopy.all(of: bytes) }
        #expect(error?.code == (end == 0 ? .empty : end < 4 ? .unknownFormat : .cutHeader), "\(end)")
        continue
      }
      let (records, reader) = try RecordCopy.all(of: bytes)
      #expect(records == Array(Self.packets.prefix(builder.bounds.filter { $0 <= end }.count - 1)), "\(end)")
      #expect(reader.findings.findings.map(\.code) == (builder.bounds.contains(end) ? [] : [.cutLastRecord]), "\(end)")
    }
  }

  @Test func aCutPacketIsMarked() throws {
    var builder = PcapBuilder(linkType: 201)
    builder.record(hex("00000000 02 4000 1b00 1700"), time: Self.time, originalLength: 36)
    let (records, reader) = try RecordCopy.all(of: builder.bytes)
    #expect(records.map(\.originalLength) == [31])
    #expect(records.map(\.bytes) == [hex("4000 1b00 1700")])
    #expect(reader.findings.findings.map(\.code) == [.cutRecord])
  }

  @Test func frameWithoutItsHeaderIsKeptAndNoted() throws {
    for (linkType, frame) in [(201, hex("000000")), (254, hex("0000")), (187, []), (201, hex("00000000"))] as [(UInt32, [UInt8])] {
      var builder = PcapBuilder(linkType: linkType)
      builder.record(frame, time: Self.time)
      builder.record(Self.frames[linkType]?[0] ?? [], time: Self.time)
      let (records, reader) = try RecordCopy.all(of: builder.bytes)
      #expect(records.map(\.kind) == [.unknown(0), .command])
      #expect(reader.findings.findings.map(\.code) == [.emptyRecord])
    }
  }

  @Test func otherLinkTypesAreNamedWithTheirNumberAndWhatIsRead() {
    for number in [1, 195, 105, 113, 9999] as [UInt32] {
      var builder = PcapBuilder(linkType: number)
      builder.record([1, 2, 3], time: Self.time)
      let error = #expect(throws: CaptureError.self) { try CaptureReader(bytes: builder.bytes, file: "a.pcap") }
      #expect(error?.code == .unsupportedLinkType)
      #expect(
        error?.description.hasPrefix("a.pcap@20: has link type \(number), which is not read; these are: 187 (BLUETOOTH_HCI_H4), ") == true)
      for type in LinkType.allCases { #expect(error?.message.contains("\(type.rawValue) (\(type.name))") == true) }
    }
  }

  /// Adapters 0 and 1 both use handle 0x0040.
  @Test func controllersOfTheMonitorAreToldApart() throws {
    var builder = PcapBuilder(linkType: 254)
    builder.record(hex("0000 0004 4000 0700 0300 0400 0a0300"), time: Self.time)
    builder.record(hex("0001 0004 4000 0700 0300 0400 0a0300"), time: Self.time)
    builder.record(hex("0000 0000 0100 aabbccddeeff 6863693000000000"), time: Self.time)
    builder.record(hex("ffff 000c 4c696e7578"), time: Self.time)
    builder.record(hex("0000 0063 00"), time: Self.time)
    let records = try RecordCopy.all(of: builder.bytes).records
    #expect(records.map(\.adapter) == [0, 1, 0, 0xFFFF, 0])
    #expect(records.map(\.kind) == [.aclData, .aclData, .adapter, .note, .unknown(0x63)])
  }

  @Test func aRecordThatClaimsTooMuchEndsTheReading() throws {
    var bytes = Self.file(201).bytes
    let second = Self.file(201).bounds[1]
    bytes[second + 10] = 0xFF
    let (records, reader) = try RecordCopy.all(of: bytes)
    #expect(records.count == 1)
    #expect(reader.findings.findings.map(\.code) == [.corruptRecord])
    #expect(reader.findings.findings.first?.message.contains("at byte \(second) ") == true)
    bytes = Self.file(201).bytes
    bytes[24 + 10] = 0xFF
    let error = #expect(throws: CaptureError.self) { try RecordCopy.all(of: bytes) }
    #expect(error?.code == .damaged)
    #expect(error?.byteOffset == 24)
  }

  @Test func randomChangesCrashNothing() {
    var random = SeededGenerator(seed: 5)
    for linkType in Self.frames.keys.sorted() {
      for bigEndian in [false, true] {
        let good = Self.file(linkType, bigEndian: bigEndian).bytes
        for _ in 0..<500 {
          var bytes = good
          for _ in 0..<Int.random(in: 1...4, using: &random) {
            bytes[Int.random(in: bytes.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
          }
          _ = try? RecordCopy.all(of: bytes)
        }
      }
    }
  }
}

/// Directions where the container has none.
struct DirectionGuessTests {
  static func directions(_ frames: [[UInt8]]) throws -> [CaptureRecord.Direction] {
    var builder = PcapBuilder(linkType: 187)
    for frame in frames { builder.record(frame, time: PcapTests.time) }
    return try RecordCopy.all(of: builder.bytes).records.map(\.direction)
  }

  @Test func boundaryFlagsTell() throws {
    let long = [UInt8](repeating: 0, count: 20)
    #expect(
      try Self.directions([
        hex("02 4000 0700 0300 0400 0a0300"), hex("02 4020 0600 0200 0400 0b01"),
        // A notification of 27 bytes in two parts, and a write of 27 bytes between them, in two parts, too.
        hex("02 4020 1800 1b00 0400 1b0300") + long.prefix(17), hex("02 4000 1000 1b00 0400 520300") + long.prefix(9),
        hex("02 4010 0700") + long.prefix(7),
        hex("02 4010 0f00") + long.prefix(15),
      ]) == [.hostToController, .controllerToHost, .controllerToHost, .hostToController, .controllerToHost, .hostToController])
  }

  /// A host that marks its packets as a controller does.
  @Test func opcodesTellWhereFlagsDoNot() throws {
    let connected = hex("04 3e13 01 00 4000 00 00 665544332211 1800 0000 2a00 00")
    let asPeripheral = hex("04 3e13 01 00 4000 01 00 665544332211 1800 0000 2a00 00")
    let data = [hex("02 4020 0700 0300 0400 0a0300"), hex("02 4020 0600 0200 0400 0b01"), hex("02 4020 0800 0400 0400 1b030001")]
    #expect(try Self.directions(data) == [.hostToController, .controllerToHost, .controllerToHost])
    #expect(try Self.directions([connected] + data) == [.controllerToHost, .hostToController, .controllerToHost, .controllerToHost])
    #expect(try Self.directions([asPeripheral] + data) == [.controllerToHost, .controllerToHost, .hostToController, .hostToController])
  }
}
