import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

struct OwnCapturesTests {
  @Test(arguments: Repository.captureNames)
  func replayGivesTheRecordingBack(name: String) throws {
    let recording = try CaptureRecording(path: Repository.capture(name))
    let extractor = ScenarioExtractor(recording)
    #expect(extractor.subjects.count == 1)
    for subject in extractor.subjects {
      let scenario = extractor.scenario(of: subject)
      let replay = ScenarioReplay(scenario)
      #expect(replay.differences == [])
      let comparison = CaptureComparison(replay.trafficBySession, of: scenario, with: recording)
      #expect(comparison.differences == [])
      #expect(comparison.pdus == recording.reconstruction.links.reduce(0) { $0 + $1.attPDUs })
      #expect(replay.verdict.passed)
      #expect(replay.verdict.notes == [])
    }
  }

  @Test(arguments: Repository.captureNames)
  func changingAByteOfAnyEntryIsFound(name: String) throws {
    let recording = try CaptureRecording(path: Repository.capture(name))
    let extractor = ScenarioExtractor(recording)
    let scenario = extractor.scenario(of: try #require(extractor.subjects.first))
    try Mutation.everyEntry(of: scenario, recording, seed: 11, limit: 400)
  }

  @Test(arguments: Repository.captureNames)
  func sameSeedSameLog(name: String) throws {
    let extractor = ScenarioExtractor(try CaptureRecording(path: Repository.capture(name)))
    let scenario = extractor.scenario(of: try #require(extractor.subjects.first))
    #expect(ScenarioReplay(scenario, seed: 5).log.text == ScenarioReplay(scenario, seed: 5).log.text)
  }

  @Test func aLinkIsLostAndFoundAgain() throws {
    let extractor = ScenarioExtractor(try CaptureRecording(path: Repository.capture("serial-bridge")))
    let scenario = extractor.scenario(of: try #require(extractor.subjects.first))
    #expect(scenario.sessions.count == 2)
    #expect(scenario.sessions.first?.entries.last?.action == .vanish)
    #expect(scenario.sessions.last?.entries.last?.action == .disconnect(.connectionTerminatedByLocalHost))
    // The first value after a CCCD write came before its response: it belongs to the request.
    let early = scenario.sessions[0].entries.filter { entry in
      if case .request? = entry.anchor?.cause { true } else { false }
    }
    #expect(!early.isEmpty)
    #expect(
      scenario.sessions[0].entries.contains {
        $0.origin == .peripheral && $0.action == .exchangeMTU(128) || $0.origin == .peripheral && $0.attribute == nil
      })
  }

  @Test func longReadsAndWritesAreOneEntryEach() throws {
    let extractor = ScenarioExtractor(try CaptureRecording(path: Repository.capture("thermo-logger")))
    let scenario = extractor.scenario(of: try #require(extractor.subjects.first))
    let entries = scenario.sessions[0].entries
    let reads = entries.filter { if case .read = $0.action { !$0.parts.isEmpty } else { false } }
    let writes = entries.filter { if case .write = $0.action { !$0.parts.isEmpty } else { false } }
    #expect(reads.count == 2)
    #expect(writes.count == 1)
    for read in reads {
      guard case .value(let value)? = read.answer else { Issue.record("a long read has a value"); continue }
      #expect(value.count == 230)
      #expect(read.parts.compactMap(\.count).reduce(0, +) == 230)
    }
    #expect(entries.contains { $0.answer == .error(.readNotPermitted) })
    #expect(entries.contains { $0.answer == .error(ATTErrorCode(rawValue: 0x80)) })
  }
}
