import CaptureFiles
import TestSupport
import Testing

/// Captures that no program writes; fuzzing found what each of them broke.
struct HostileCaptureTests {
  private static let reset = hex("00000000 01 030c00")
  private static let time = CaptureTime(seconds: 1_700_000_000, nanoseconds: 0)

  private static func times(_ stamps: [(seconds: Int64, isNote: Bool)]) throws -> [Int64] {
    var builder = PacketLoggerBuilder(.bigEndian)
    for (seconds, isNote) in stamps {
      builder.record(hex("030c00"), type: isNote ? 0xFC : 0, time: CaptureTime(seconds: seconds, nanoseconds: 0))
    }
    return try PacketLoggerTests.read(builder.bytes).0.map(\.time.seconds)
  }

  /// Notes may have any time before the packets begin; those of records never go back for it.
  @Test func notesBeforeThePacketsKeepTimesInOrder() throws {
    let day: Int64 = 86400
    #expect(
      try Self.times([(20 * day, true), (day, true), (5 * day, true), (5 * day + 1, false)]) == [
        20 * day, 20 * day, 20 * day, 20 * day + 1,
      ])
  }

  /// What mended the times of notes is nothing that the packets' clock has to do with.
  @Test func packetsLongAfterNotesHaveTheirOwnTimes() throws {
    let day: Int64 = 86400
    #expect(try Self.times([(500, true), (100, true), (9 * day, false), (9 * day + 1, false)]) == [500, 500, 9 * day, 9 * day + 1])
  }

  /// What a text in a report begins with is not looked for in bytes that are no text.
  @Test func aNoteOfAPacketLoggerFileMakesItNoReport() throws {
    for note in ["Bluetooth Status: on", "== dumpstate: none", "--- BEGIN:BTSNOOP_LOG_SUMMARY"] {
      var builder = PacketLoggerBuilder(.bigEndian)
      builder.record(Array(note.utf8), type: 0xFC, time: Self.time)
      builder.record(hex("030c00"), type: 0, time: Self.time)
      #expect(try PacketLoggerTests.read(builder.bytes).0.map(\.kind) == [.note, .command])
    }
  }

  private static func adapters(_ names: [String?]) throws -> [UInt16] {
    var builder = PcapngBuilder()
    builder.section()
    for name in names {
      if let name {
        builder.interface(linkType: 201, options: [(2, Array(name.utf8))])
      } else {
        builder.interface(linkType: 201)
      }
    }
    for index in names.indices { builder.packet(reset, time: time, interface: index) }
    return try RecordCopy.all(of: builder.bytes).records.map(\.adapter)
  }

  /// A controller keeps the number that the capturing machine gave it, whichever is heard first.
  @Test func controllersKeepTheirNumbers() throws {
    #expect(try Self.adapters(["bluetooth1", "bluetooth0"]) == [1, 0])
    #expect(try Self.adapters(["bluetooth65280", "hci2", nil, "uart", "bluetooth65536"]) == [65280, 2, 0, 1, 3])
    // Two machines' captures in one file.
    #expect(try Self.adapters(["bluetooth0", "bluetooth0", "bluetooth1"]) == [0, 1, 2])
  }

  /// Seconds that microseconds cannot count.
  @Test(arguments: [Int64.max, 10_000_000_000_000, -10_000_000_000_000, .min])
  func timesThatBtsnoopCannotHoldAreTold(seconds: Int64) throws {
    var builder = PcapngBuilder()
    builder.section()
    builder.interface(linkType: 201, options: [(14, builder.number(UInt64(bitPattern: seconds), 8))])
    builder.packet(Self.reset, time: CaptureTime(seconds: 1, nanoseconds: 0))
    for (format, expected) in [(CaptureOutputFormat.btsnoop, CaptureLoss.time), (.pklg, .time)] {
      var reader = try CaptureReader(bytes: builder.bytes, file: "far")
      var writer = format.writer(for: reader.format)
      var losses: [CaptureLoss?] = []
      try reader.forEachRecord { losses.append(writer.append($0)) }
      #expect(losses == [expected])
    }
  }

  /// What was written can be read, however long packets and notes are; what is left out is told.
  @Test(arguments: CaptureOutputFormat.allCases)
  func longRecordsAreReadAgainOrTold(format: CaptureOutputFormat) throws {
    var builder = PcapngBuilder()
    builder.section()
    builder.interface(linkType: 201)
    builder.packet(Self.reset, time: Self.time)
    builder.packet(hex("00000000 02") + [UInt8](repeating: 0, count: 1_100_000), time: Self.time)
    builder.packet(hex("00000000 02") + [UInt8](repeating: 0, count: 120_000), time: Self.time)
    #expect(try Self.converted(builder.bytes, format) == (lost: 1, read: 2))

    var notes = PacketLoggerBuilder(.bigEndian)
    for _ in 0..<40 { notes.record([UInt8](repeating: 0x20, count: 60_000), type: 0xFC, time: Self.time) }
    notes.record(hex("030c00"), type: 0, time: Self.time)
    let (lost, read) = try Self.converted(notes.bytes, format)
    #expect(read == 1)
    #expect((lost > 0) == (format != .pklg))
  }

  /// Converts a capture; tells how many records were told as lost, and how many packets are read again.
  private static func converted(_ bytes: [UInt8], _ format: CaptureOutputFormat) throws -> (lost: Int, read: Int) {
    var reader = try CaptureReader(bytes: bytes, file: "long")
    var writer = format.writer(for: reader.format)
    var (lost, read) = (0, 0)
    try reader.forEachRecord { if writer.append($0) == .record { lost += 1 } }
    var again = try CaptureReader(bytes: writer.takeBytes(), file: "converted")
    try again.forEachRecord { if $0.kind.isPacket { read += 1 } }
    #expect(again.findings.findings.filter { $0.severity == .problem } == [])
    return (lost, read)
  }
}
