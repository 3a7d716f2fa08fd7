import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// Where the logs of two runs part.
struct AirLogDifferenceTests {
  private func log(_ bytes: ClosedRange<UInt8>, limit: Int = AirLog.defaultLimit, changed: UInt8? = nil) -> AirLog {
    var log = AirLog()
    log.limit = limit
    for byte in bytes {
      let value = byte == changed ? 0xFF : byte
      log.add(.pdu(fromCentral: true, [value], bearer: 0), link: 1, at: .start.advanced(by: .milliseconds(Int(byte))))
    }
    return log
  }

  @Test func equalLogsDoNotPart() {
    #expect(log(1...9).firstDifference(from: log(1...9)) == nil)
    #expect(AirLog().firstDifference(from: AirLog()) == nil)
  }

  @Test func theFirstLineThatDiffersIsTold() throws {
    let (one, other) = (log(1...9), log(1...9, changed: 4))
    let difference = try #require(one.firstDifference(from: other))
    #expect(difference.number == 4 && difference.line == one.lines[3] && difference.other == other.lines[3])
    #expect(difference.description == #"line 4 is "0.004000000 1 > 04" in one and "0.004000000 1 > ff" in the other"#)
  }

  @Test func oneThatEndsBeforeParts() throws {
    let (long, short) = (log(1...9), log(1...7))
    let difference = try #require(long.firstDifference(from: short))
    #expect(difference.number == 8 && difference.other == nil)
    #expect(difference.description == #"line 8 is "0.008000000 1 > 08" in one, and the other ends before it"#)
    let turned = try #require(short.firstDifference(from: long))
    #expect(turned.description == #"one ends before line 8, and the other goes on with "0.008000000 1 > 08""#)
  }

  /// Lines that one of them has dropped are not compared; the numbers count them.
  @Test func droppedLinesArePassedOver() throws {
    let (short, whole) = (log(1...100, limit: 8), log(1...100))
    #expect(short.droppedLines > 80)
    #expect(short.firstDifference(from: whole) == nil && whole.firstDifference(from: short) == nil)
    #expect(short.firstDifference(from: log(1...100, changed: 3)) == nil)
    let difference = try #require(short.firstDifference(from: log(1...100, changed: 98)))
    #expect(difference.number == 98)
    #expect(short.firstDifference(from: log(1...5)) != nil)
  }
}
