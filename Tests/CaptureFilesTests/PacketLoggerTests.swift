import CaptureFiles
import Foundation
import TestSupport
import Testing

struct PacketLoggerTests {
  struct Copy: Equatable {
    var kind: CaptureRecord.Kind
    var direction: CaptureRecord.Direction
    var bytes: [UInt8]
    var time: CaptureTime
  }

  static func read(_ bytes: [UInt8]) throws -> ([Copy], CaptureReader) {
    var reader = try CaptureReader(bytes: bytes, file: "log.pklg")
    var copies: [Copy] = []
    try reader.forEachRecord { copies.append(Copy(kind: $0.kind, direction: $0.direction, bytes: $0.bytes.array, time: $0.time)) }
    return (copies, reader)
  }

  static func five(_ layout: PacketLoggerBuilder.Layout) -> PacketLoggerBuilder {
    var builder = PacketLoggerBuilder(layout)
    let time = CaptureTime(seconds: 1_784_912_406, nanoseconds: 257_000_000)
    builder.record(Array("Product: a phone".utf8), type: 0xFC, time: time)
    builder.record(hex("030c00"), type: 0, time: CaptureTime(seconds: time.seconds, nanoseconds: 258_000_000))
    builder.record(hex("0e0401030c00"), type: 1, time: CaptureTime(seconds: time.seconds + 1, nanoseconds: 0))
    builder.record(hex("4000 0700 0300 0400 0a0300"), type: 2, time: CaptureTime(seconds: time.seconds + 2, nanoseconds: 999_999_000))
    builder.record(hex("4020 0600 0200 0400 0b01"), type: 3, time: CaptureTime(seconds: time.seconds + 3, nanoseconds: 1000))
    return builder
  }

  @Test(arguments: PacketLoggerBuilder.Layout.allCases)
  func allLayoutsSayTheSame(layout: PacketLoggerBuilder.Layout) throws {
    let builder = Self.five(layout)
    let (records, reader) = try Self.read(builder.bytes)
    #expect(reader.format == .packetLogger(bigEndian: layout == .bigEndian))
    #expect(records.map(\.kind) == [.note, .command, .event, .aclData, .aclData])
    #expect(records.map(\.direction).suffix(4) == [.hostToController, .controllerToHost, .hostToController, .controllerToHost])
    #expect(records[4].bytes == hex("4020 0600 0200 0400 0b01"))
    #expect(records == (try Self.read(Self.five(.bigEndian).bytes)).0)
    #expect(reader.findings.findings == [])
  }

  /// The low byte of a little-endian length may have its top bit set.
  @Test(arguments: PacketLoggerBuilder.Layout.allCases)
  func longFirstRecords(layout: PacketLoggerBuilder.Layout) throws {
    for count in [119, 120, 200, 246, 247, 300, 1000, 60_000] {
      var builder = PacketLoggerBuilder(layout)
      let time = CaptureTime(seconds: 1_700_000_000, nanoseconds: 0)
      builder.record([UInt8](repeating: 0x41, count: count), type: 0xFC, time: time)
      builder.record(hex("030c00"), type: 0, time: time)
      let (records, reader) = try Self.read(builder.bytes)
      #expect(records.map(\.bytes.count) == [count, 3])
      #expect(reader.format == .packetLogger(bigEndian: layout == .bigEndian))
    }
  }

  @Test(arguments: PacketLoggerBuilder.Layout.allCases)
  func cutAtEveryByte(layout: PacketLoggerBuilder.Layout) throws {
    let builder = Self.five(layout)
    for end in 0...builder.bytes.count {
      let bytes = Array(builder.bytes.prefix(end))
      guard end >= 13 else {
        #expect(throws: CaptureError.self) { try Self.read(bytes) }
        continue
      }
      let (records, reader) = try Self.read(bytes)
      #expect(records.count == builder.bounds.dropFirst().filter { $0 <= end }.count)
      #expect(reader.findings.findings.map(\.code) == (builder.bounds.contains(end) ? [] : [.cutLastRecord]), "\(end)")
    }
  }

  @Test func aLengthBelowTheHeaderEndsTheReading() throws {
    var bytes = Self.five(.bigEndian).bytes
    let second = Self.five(.bigEndian).bounds[2]
    bytes.replaceSubrange(second..<(second + 4), with: [0, 0, 0, 8])
    let (records, reader) = try Self.read(bytes)
    #expect(records.count == 2)
    #expect(reader.findings.findings.map(\.code) == [.corruptRecord])
  }

  @Test func randomBytesCrashNothing() {
    var random = SeededGenerator(seed: 77)
    for layout in PacketLoggerBuilder.Layout.allCases {
      let good = Self.five(layout).bytes
      for _ in 0..<2000 {
        var bytes = good
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        }
        _ = try? Self.read(bytes)
      }
    }
  }

  /// Records in the captures of other people.
  @Test(
    .enabled(if: ForeignCaptures.folder != nil, "UNDERSTUDY_FOREIGN_CAPTURES is not set"),
    arguments: [
      ("Thewbi__hci_bluetooth__copied.pklg", 386, false), ("Thewbi__hci_bluetooth__hci_dump.pklg", 682, true),
      ("bluekitchen__btstack__test-sbc-pklg-test2.pklg", 24826, true), ("havvk__even-g2-smart-classroom__bt2.pklg", 350, false),
    ])
  func foreignLogs(file: String, records: Int, bigEndian: Bool) throws {
    var reader = try CaptureReader(path: ForeignCaptures.path(file))
    try reader.forEachRecord { _ in }
    #expect(reader.recordCount == records)
    #expect(reader.format == .packetLogger(bigEndian: bigEndian))
    #expect(reader.findings.count(of: .cutLastRecord) == 0)
    #expect(reader.findings.count(of: .backwardTime) == 0)
  }
}
