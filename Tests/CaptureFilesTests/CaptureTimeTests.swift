import CaptureFiles
import Foundation
import TestSupport
import Testing

struct CaptureTimeTests {
  /// Stamps as they stand in a file: microseconds since the year 0.
  static let stamps: [(Int64, String, String)] = [
    (0x00DC_DDB3_0F2F_8000, "0.000000000", "1970-01-01T00:00:00.000000Z"),
    // The other constant that readers use, for 2000-01-01.
    (0x00E0_3AB4_4A67_6000, "946684800.000000000", "2000-01-01T00:00:00.000000Z"),
    (0x00DC_DDB3_0F2F_8000 + 951_782_400_000_001, "951782400.000001000", "2000-02-29T00:00:00.000001Z"),
    (0x00DC_DDB3_0F2F_8000 + 1_709_251_199_999_999, "1709251199.999999000", "2024-02-29T23:59:59.999999Z"),
    (0x00DC_DDB3_0F2F_8000 - 1, "-0.000001000", "1969-12-31T23:59:59.999999Z"),
    (0x00DC_DDB3_0F2F_8000 - 332_641_779_038, "-332641.779038000", "1969-12-28T03:35:58.220962Z"),
    (0x00DC_DDB3_0F2F_8000 - 2_203_891_200_000_000, "-2203891200.000000000", "1900-03-01T00:00:00.000000Z"),
    (0x00DC_DDB3_0F2F_8000 - 62_167_219_200_000_000, "-62167219200.000000000", "0000-01-01T00:00:00.000000Z"),
    // The format's zero lies twelve days before its year 0, outside what a calendar date is printed for.
    (0, "-62168256000.000000000", "-62168256000.000000000"), (-1, "-62168256000.000001000", "-62168256000.000001000"),
  ]

  @Test(arguments: stamps.indices)
  func stampsMeanTheSameInEveryTimeZone(index: Int) throws {
    let (stamp, seconds, text) = Self.stamps[index]
    setenv("TZ", index.isMultiple(of: 2) ? "Asia/Kathmandu" : "America/St_Johns", 1)
    tzset()
    var builder = CaptureBuilder()
    builder.command(0x0C03)
    var writer = ByteWriter()
    writer.uint64BigEndian(UInt64(bitPattern: stamp))
    var bytes = builder.bytes
    bytes.replaceSubrange(32..<40, with: writer.bytes)
    let start = try #require(try CaptureReaderTests.read(bytes).records.first?.time)
    #expect(start.description == seconds)
    #expect(start.iso8601 == text)
  }

  @Test(arguments: [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max])
  func noStampTraps(stamp: Int64) throws {
    var builder = CaptureBuilder()
    builder.command(0x0C03)
    var writer = ByteWriter()
    writer.uint64BigEndian(UInt64(bitPattern: stamp))
    var bytes = builder.bytes
    bytes.replaceSubrange(32..<40, with: writer.bytes)
    let time = try #require(try CaptureReaderTests.read(bytes).records.first?.time)
    _ = (time.description, time.iso8601, time.microseconds)
    _ = time.nanoseconds(since: CaptureTime(seconds: .max, nanoseconds: 0))
    _ = time.nanoseconds(since: CaptureTime(seconds: .min, nanoseconds: 999_999_999))
  }

  @Test func limitsOfTheArithmetic() {
    let (first, last) = (CaptureTime(seconds: .min, nanoseconds: 0), CaptureTime(seconds: .max, nanoseconds: 999_999_999))
    #expect(last.nanoseconds(since: first) == .max)
    #expect(first.nanoseconds(since: last) == .min)
    #expect(first.iso8601 == first.description)
    #expect(last.iso8601 == last.description)
    #expect(first.microseconds == .min)
    #expect(last.microseconds == .max)
    #expect(first < last)
    #expect(CaptureTime(seconds: 1, nanoseconds: 5).nanoseconds(since: CaptureTime(seconds: 0, nanoseconds: 999_999_999)) == 6)
    for microseconds in [-1_000_001, -1_000_000, -1, 0, 1, 999_999, 1_000_000] as [Int64] {
      #expect(CaptureTime(microseconds: microseconds).microseconds == microseconds)
    }
  }
}

struct CaptureTimeTextTests {
  @Test func isoTextIsReadBack() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<2000 {
      let time = CaptureTime(microseconds: Int64.random(in: -62_167_219_200_000_000..<253_402_300_800_000_000, using: &random))
      #expect(CaptureTime(iso8601: time.iso8601) == time)
    }
    #expect(CaptureTime(iso8601: "1970-01-02")?.seconds == 86400)
    #expect(CaptureTime(iso8601: "1970-01-01T01:02")?.seconds == 3720)
    #expect(CaptureTime(iso8601: "1970-01-01T00:00:01.5Z") == CaptureTime(seconds: 1, nanoseconds: 500_000_000))
    for text in [
      "", "1970", "1970-13-01", "1970-01-01T24:00", "1970-01-01T1", "1970-01-01T00:00:00.", "1970-01-01T00:00:00.1234567890", "x-y-z",
      "1970-01-01T00:60",
    ] {
      #expect(CaptureTime(iso8601: text) == nil, "\(text)")
    }
  }
}
