import CaptureFiles
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// What ends streams and links, as captures show it.
struct CancelledEntriesTests {
  private func scenario(_ builder: CaptureBuilder) throws -> Scenario {
    let recording = try CaptureRecording(bytes: builder.bytes, file: "synthetic.btsnoop")
    let extractor = ScenarioExtractor(recording)
    let scenario = extractor.scenario(of: try #require(extractor.subjects.first))
    let replay = ScenarioReplay(try Scenario(reading: scenario.document(), file: "synthetic"))
    #expect(replay.differences == [])
    #expect(CaptureComparison(replay.trafficBySession, of: scenario, with: recording).differences == [])
    return scenario
  }

  private func wait(_ milliseconds: Int64, _ builder: inout CaptureBuilder) {
    builder.time = CaptureTime(microseconds: builder.time.microseconds + milliseconds * 1000 - 1000)
  }

  /// A stream that a write began and the next one ended, or that went on behind it.
  @Test(arguments: [true, false])
  func aStreamThatTheNextWriteEnded(endsThere: Bool) throws {
    var builder = CaptureBuilder()
    builder.connect()
    builder.att(.host, hex("12 0300 01"))
    builder.att(.controller, hex("13"))
    for index in UInt8(0)..<24 {
      if index == 12 {
        wait(50, &builder)
        builder.att(.host, hex("12 0300 00"))
        builder.att(.controller, hex("13"))
        if endsThere { break }
      }
      wait(100, &builder)
      builder.att(.controller, hex("1b 0500") + [index])
    }
    wait(1000, &builder)
    builder.att(.host, hex("0a 0700"))
    builder.att(.controller, hex("0b 01"))
    let told = try scenario(builder).sessions[0].entries.filter { $0.origin == .peripheral }
    #expect(told.count == (endsThere ? 12 : 24))
    #expect(told.allSatisfy { $0.anchor?.cancel == (endsThere ? [.unsubscribe, .write] : .unsubscribe) })
  }

  /// A device that hangs up some time after the last traffic does so in each of its links; one link alone tells nothing.
  @Test(arguments: [([8000, 8020, 7990], true), ([8000], false), ([8000, 3000], false), ([20, 20], false)])
  func aDeviceThatHangsUpInSilence(silences: [Int64], isIdle: Bool) throws {
    var builder = CaptureBuilder()
    for (index, silence) in silences.enumerated() {
      builder.connect()
      for _ in 0...index {
        builder.att(.host, hex("0a 0300"))
        builder.att(.controller, hex("0b 01"))
        wait(900, &builder)
      }
      wait(silence - 900, &builder)
      builder.disconnect(reason: 0x13)
    }
    let ends = try scenario(builder).sessions.compactMap(\.entries.last)
    #expect(ends.count == silences.count)
    #expect(ends.allSatisfy { ($0.anchor?.cause == .idle) == isIdle })
    if isIdle {
      for (end, silence) in zip(ends, silences) { #expect(end.anchor?.delay == .milliseconds(silence - 1)) }
    }
  }

  /// A device that was silent for longer once, and stayed, does not hang up for silence.
  @Test func aLongerPauseTellsThatSilenceEndsNothing() throws {
    var builder = CaptureBuilder()
    for pause in [Int64(0), 0, 12_000] {
      builder.connect()
      builder.att(.host, hex("0a 0300"))
      builder.att(.controller, hex("0b 01"))
      wait(pause + 1, &builder)
      builder.att(.host, hex("0a 0300"))
      builder.att(.controller, hex("0b 01"))
      wait(8000, &builder)
      builder.disconnect(reason: 0x13)
    }
    #expect(try scenario(builder).sessions.allSatisfy { $0.entries.last?.anchor?.cause != .idle })
  }

  /// The peripheral is silent for the supervision timeout before the central takes the link for lost.
  @Test func aLostLinkWasSilentFirst() throws {
    var builder = CaptureBuilder()
    builder.connect()
    builder.att(.host, hex("12 0300 01"))
    builder.att(.controller, hex("13"))
    wait(900, &builder)
    builder.disconnect(reason: 0x08)
    let end = try #require(try scenario(builder).sessions[0].entries.last)
    #expect(end.action == .vanish)
    #expect(end.latency == .milliseconds(420))
    #expect(end.anchor?.cause == .entry("e1"))
    #expect(end.at + .milliseconds(420) == .milliseconds(902))
  }
}
