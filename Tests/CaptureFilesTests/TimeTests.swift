import CaptureFiles
import Foundation
import TestSupport
import Testing

/// Clocks that jump, go back, run over or were never set.
struct TimeTests {
  static let start: Int64 = 1_700_000_000_000_000

  /// Reads commands at so many microseconds after the start.
  static func read(_ times: [Int64], from start: Int64 = start, raw: Bool = false) throws -> (offsets: [Int64], reader: CaptureReader) {
    var writer = BtsnoopWriter()
    for time in times {
      writer.append(hex("030c00"), type: .command, direction: .hostToController, time: CaptureTime(microseconds: start + time))
    }
    let (records, reader) = try RecordCopy.all(of: writer.bytes, options: CaptureOptions(keepsRawTimes: raw))
    return (records.map { $0.time.microseconds - start }, reader)
  }

  static let second: Int64 = 1_000_000
  static let wrap: Int64 = 1 << 32

  @Test(
    arguments: [
      // One record in another order; the clock is where it was after it.
      ([10, 11, 5, 12], [10, 11, 11, 12], [.backwardTime]),
      // The clock was set back for good.
      ([10, 11, 5, 6, 7], [10, 11, 11, 12, 13], [.backwardTime]),
      ([10, 11, 5, 6, 20], [10, 11, 11, 12, 20], [.backwardTime]),
      ([10, 9, 8, 7], [10, 10, 10, 10], [.backwardTime, .backwardTime, .backwardTime]),
      // A day is no delay in a log.
      ([0, 1, 90_000, 90_001], [0, 1, 1, 2], [.clockJump]),
      ([0, 1, 80_000], [0, 1, 80_000], []),
      ([5, 5, 5], [5, 5, 5], []),
    ] as [([Int64], [Int64], [Finding.Code])])
  func stepsAreMended(times: [Int64], mended: [Int64], codes: [Finding.Code]) throws {
    let (offsets, reader) = try Self.read(times.map { $0 * Self.second })
    #expect(offsets == mended.map { $0 * Self.second })
    #expect(reader.findings.findings.map(\.code) == codes)
    #expect(try Self.read(times.map { $0 * Self.second }, raw: true).offsets == times.map { $0 * Self.second })
  }

  @Test(arguments: [wrap, wrap * 1000])
  func aCounterOf32BitsThatRanOverGoesOn(wrap: Int64) throws {
    let times = [wrap - 3, wrap - 1, 4, 9].map { $0 }
    let (offsets, reader) = try Self.read([times[0], times[1], 4, 9])
    #expect(offsets == [wrap - 3, wrap - 1, wrap + 4, wrap + 9])
    #expect(reader.findings.findings.map(\.code) == [.clockWrap])
    // And once more.
    let twice = try Self.read([wrap - 1, 4, wrap - 2, 1]).offsets
    #expect(zip(twice, twice.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test(arguments: [(0, true), (-86400, true), (1_000_000_000, true), (1_400_000_000, false)] as [(Int64, Bool)])
  func clocksThatWereNotSetAreTold(seconds: Int64, isUnset: Bool) throws {
    let (offsets, reader) = try Self.read([0, Self.second], from: seconds * Self.second)
    #expect(offsets == [0, Self.second])
    #expect(reader.findings.findings.map(\.code) == (isUnset ? [.unsetClock] : []))
  }

  /// Notes at a log's head are as old as the log, its packets as young as the ring behind it.
  @Test func notesBeforeTheFirstPacketDoNotSetTheClock() throws {
    var builder = PacketLoggerBuilder(.bigEndian)
    builder.record(Array("Product: a phone".utf8), type: 0xFC, time: CaptureTime(seconds: 1_700_000_000, nanoseconds: 0))
    builder.record(hex("030c00"), type: 0, time: CaptureTime(seconds: 1_701_000_000, nanoseconds: 0))
    let (records, reader) = try RecordCopy.all(of: builder.bytes)
    #expect(records.map(\.time.seconds) == [1_700_000_000, 1_701_000_000])
    #expect(reader.findings.findings == [])
  }

  @Test func randomTimesNeverGoBackAndEachStepBackIsTold() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      var times: [Int64] = []
      for _ in 0..<40 {
        let last = times.last ?? 0
        switch Int.random(in: 0..<6, using: &random) {
        case 0: times.append(last - Int64.random(in: 1...10_000_000_000, using: &random))
        case 1: times.append(Int64.random(in: -(1 << 50)...(1 << 50), using: &random))
        default: times.append(last + Int64.random(in: 0...5_000_000, using: &random))
        }
      }
      let (offsets, reader) = try Self.read(times)
      #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 <= $1 })
      let back = zip(times, times.dropFirst()).filter { $0 > $1 }.count
      #expect(reader.findings.count(of: .backwardTime) + reader.findings.count(of: .clockWrap) == back)
    }
  }

  /// Microseconds since the year 0 in 64 bits reach further than any clock.
  @Test func extremeTimesTrapNowhere() throws {
    var random = SeededGenerator(seed: 12)
    let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for _ in 0..<300 {
      var writer = BtsnoopWriter()
      for _ in 0..<6 {
        writer.append(
          hex("030c00"), type: .command, direction: .hostToController,
          time: CaptureTime(microseconds: extremes[Int.random(in: extremes.indices, using: &random)]))
      }
      let times = try RecordCopy.all(of: writer.bytes).records.map(\.time)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
    }
  }
}
