import Foundation
import ReplayEngine
import ScenarioExtraction
import Testing

struct OwnCapturesTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "captures")

  @Test(arguments: ["heart-strap", "thermo-logger", "motion-stream", "serial-bridge"])
  func replayGivesTheRecordingBack(name: String) throws {
    let recording = try CaptureRecording(path: Self.folder.appending(path: name + ".btsnoop").path)
    let extractor = ScenarioExtractor(recording)
    let subjects = extractor.subjects
    #expect(subjects.count == 1)
    for subject in subjects {
      let scenario = extractor.scenario(of: subject)
      let replay = ScenarioReplay(scenario)
      #expect(replay.differences == [])
      let comparison = CaptureComparison(replay.pdusBySession, of: scenario, with: recording)
      #expect(comparison.differences == [])
      #expect(comparison.pdus > 70)
    }
  }
}
