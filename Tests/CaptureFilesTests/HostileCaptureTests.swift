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
}
