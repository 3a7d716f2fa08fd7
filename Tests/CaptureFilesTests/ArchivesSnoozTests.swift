import ByteParsing
import Foundation
import TestSupport
import Testing

@testable import CaptureFiles

struct ArchivesSnoozTests {
  static let last: Int64 = 1_776_700_000_123_456

  /// One packet of every type, 1,500 µs apart, the last at ``last``.
  static func snooz(version: UInt8 = 2, hasForeignTimes: Bool = false) -> SnoozBuilder {
    var builder = SnoozBuilder(version: version, hasForeignTimes: hasForeignTimes)
    let packets: [(UInt8, String, Int?)] = [
      (0x20, "030c00", nil), (0x10, "0e0401030c00", nil), (0x21, "4000 0700 0300 0400 0a0300", 8), (0x11, "4020 0600 0200 0400 0b01", nil),
      (0x12, "00000100", nil), (0x22, "00000100", nil), (0x17, "00000100", nil), (0x2D, "00000100", nil), (0x11, "40200000", nil),
    ]
    for (index, (type, packet, kept)) in packets.enumerated() {
      builder.packet(hex(packet), type: type, time: last - Int64(packets.count - 1 - index) * 1500, kept: kept)
    }
    return builder
  }

  static func btsnoop(_ snooz: [UInt8]) throws -> (bytes: [UInt8], source: SnoozSource) {
    let source = try SnoozSource(MemorySource(bytes: snooz), file: "report.txt")
    return (try ArchivesInflatingTests.drain(source, step: 100), source)
  }

  @Test(arguments: [1, 2] as [UInt8])
  func aSnoozIsReadAsBtsnoop(version: UInt8) throws {
    let bytes = Self.snooz(version: version).bytes
    let isSnooz = SnoozFormat.begins(bytes.byteSpan)
    #expect(isSnooz)
    let (converted, source) = try Self.btsnoop(bytes)
    let (records, reader) = try CaptureReaderTests.read(converted)
    #expect(source.damage == nil)
    #expect(source.keepsTimes)
    #expect(reader.format == .btsnoop(.hciUART))
    #expect(
      records.map(\.kind) == [
        .command, .event, .aclData, .aclData, .synchronousData, .synchronousData, .isochronousData, .isochronousData, .aclData,
      ])
    #expect(records.map { $0.direction == .controllerToHost } == [false, true, false, true, true, false, true, false, true])
    #expect(records.map { Self.last - $0.time.microseconds } == (0..<9).reversed().map { $0 * 1500 })
    #expect(records[2].bytes == hex("4000 0700 0300 0400"))
    // Version 1 does not tell what was there.
    #expect(records[2].originalLength == (version == 2 ? 11 : 8))
  }

  @Test func timesOfPhonesThatWriteThemTheOtherWayRound() throws {
    let (converted, source) = try Self.btsnoop(Self.snooz(hasForeignTimes: true).bytes)
    #expect(!source.keepsTimes)
    #expect(try CaptureReaderTests.read(converted).records.allSatisfy { $0.time.microseconds == Self.last })
    // The header of a real one, which its owner dated to the day.
    let header = hex("02 00e32d9a1db5da98 789c")
    let format = SnoozFormat(header.byteSpan)
    #expect(format.map { CaptureTime(microseconds: $0.lastTime).iso8601 } == "2026-04-20T16:47:39.989656Z")
    #expect(format?.keepsTimes == false)
  }

  @Test func typesThatNobodyKnowsAreKept() throws {
    var builder = SnoozBuilder()
    builder.packet([1, 2], type: 0x33, time: Self.last)
    let (records, reader) = try CaptureReaderTests.read(try Self.btsnoop(builder.bytes).bytes)
    #expect(records.map(\.kind) == [.unknown(0x33)])
    #expect(reader.findings.findings.map(\.code) == [.unknownRecord])
  }

  @Test func whatIsNoSnoozIsRefused() {
    for bytes in [[], [2], [3] + Self.snooz().bytes.dropFirst(), [2] + [UInt8](repeating: 0, count: 20)] as [[UInt8]] {
      let isSnooz = SnoozFormat.begins(bytes.byteSpan)
      #expect(!isSnooz)
      #expect(throws: CaptureError(.unknownFormat, file: "", "")) { try Self.btsnoop(bytes) }
    }
  }

  @Test func cutAtEveryByte() throws {
    let bytes = Self.snooz().bytes
    for end in 9..<bytes.count {
      let (converted, source) = try Self.btsnoop(Array(bytes.prefix(end)))
      #expect(source.damage != nil)
      #expect(try CaptureReaderTests.read(converted).reader.findings.findings.allSatisfy { $0.code == .cutRecord })
    }
  }

  @Test(arguments: [1, 2] as [UInt8])
  func damageNeverTraps(version: UInt8) throws {
    var random = SeededGenerator(seed: 0x5002)
    let original = Self.snooz(version: version).inflated
    for _ in 0..<1000 {
      var inflated = original
      for _ in 0..<3 { inflated[Int.random(in: inflated.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random) }
      let header = Self.snooz(version: version).bytes.prefix(9)
      let (converted, source) = try Self.btsnoop(header + Deflate.compress(inflated, .zlib))
      _ = try CaptureReaderTests.read(converted)
      _ = source.damage
    }
  }

  @Test func aRingBeyondAllMeasureIsCut() throws {
    let zeros = Self.snooz().bytes.prefix(9) + Deflate.compress([UInt8](repeating: 0, count: SnoozSource.byteLimit + 1), .zlib)
    let source = try SnoozSource(MemorySource(bytes: Array(zeros)), file: "report.txt")
    #expect(source.damage == "the summary inflates to more than 67108864 bytes; the rest was left out")
  }

  @Test(arguments: [0, 100, 65_000, 65_500, 65_536, 70_000, 200_000], ["\n", "\r\n"])
  func theTextOfAReport(padding: Int, lineEnd: String) throws {
    let text = Self.snooz().text(padding: padding, lineEnd: lineEnd)
    let head = Array(text.prefix(1000))
    let isText = SnoozText.begins(head.byteSpan)
    #expect(isText)
    let source = try #require(try SnoozText.snooz(in: MemorySource(bytes: text)))
    #expect(try ArchivesInflatingTests.drain(source, step: 5) == Self.snooz().bytes)
    #expect(source.toldDamage == nil)
    let opened = try SnoozText.open(MemorySource(bytes: text), file: "report.txt")
    #expect(try ArchivesInflatingTests.drain(opened) == (try Self.btsnoop(Self.snooz().bytes).bytes))
  }

  @Test func textsWithoutASnooz() throws {
    for text in ["", "== dumpstate: x", "--- BEGIN:BTSNOOP_LOG_SUMMAR", "--- BEGIN:BTSNOOP_LOG_SUMMARY (3 bytes in) ---"] {
      #expect(try SnoozText.snooz(in: MemorySource(bytes: Array(text.utf8))) == nil)
      #expect(throws: CaptureError(.noCapture, file: "", "")) { try SnoozText.open(MemorySource(bytes: Array(text.utf8)), file: "a") }
    }
    let failed = "--- BEGIN:BTSNOOP_LOG_SUMMARY (3 bytes in) ---\nbtsnoop_dump Log compression failed"
    #expect(throws: CaptureError(.unknownFormat, file: "", "")) { try SnoozText.open(MemorySource(bytes: Array(failed.utf8)), file: "a") }
  }

  @Test func base64() throws {
    let cases: [(String, String, String?)] = [
      ("", "", nil), ("Zg==", "f", nil), ("Zm8=", "fo", nil), ("Zm9v", "foo", nil), ("Zm9v\r\n YmFy--- END", "foobar", nil),
      ("Zm8", "fo", nil),
      ("Zm9vY", "foo", "the base64 text ends early at byte 5"), ("Zm9v*YmFy", "foo", "the base64 text is damaged at byte 5"),
    ]
    for (text, plain, damage) in cases {
      let source = Base64Source(MemorySource(bytes: Array(text.utf8)))
      #expect(try ArchivesInflatingTests.drain(source, step: 2) == Array(plain.utf8))
      #expect(source.damage == damage)
    }
    let all = (0..<256).map { UInt8($0) }
    let encoded = Data(all).base64EncodedString()
    #expect(try ArchivesInflatingTests.drain(Base64Source(MemorySource(bytes: Array(encoded.utf8)))) == all)
  }
}
