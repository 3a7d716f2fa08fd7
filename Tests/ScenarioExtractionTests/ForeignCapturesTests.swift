import Foundation
import ReplayEngine
import ScenarioExtraction
import Testing

/// Captures of other people, in the folder that `UNDERSTUDY_FOREIGN_CAPTURES` names; skipped where it is not set.
struct ForeignCapturesTests {
  static let folder = ProcessInfo.processInfo.environment["UNDERSTUDY_FOREIGN_CAPTURES"].map { URL(filePath: $0).appending(path: "real") }

  static var btsnoopFiles: [String] {
    guard let folder, let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return [] }
    return files.filter { file in
      (try? FileHandle(forReadingFrom: folder.appending(path: file)).read(upToCount: 7)) == Data("btsnoop".utf8)
    }.sorted()
  }

  @Test(.enabled(if: folder != nil, "UNDERSTUDY_FOREIGN_CAPTURES is not set"), arguments: btsnoopFiles)
  func replayGivesTheRecordingBack(file: String) throws {
    let recording = try CaptureRecording(path: try #require(Self.folder).appending(path: file).path)
    let extractor = ScenarioExtractor(recording)
    for subject in extractor.subjects {
      let scenario = extractor.scenario(of: subject)
      let start = Date()
      let replay = ScenarioReplay(scenario)
      print(file, subject, scenario.sessions.count, Date().timeIntervalSince(start))
      #expect(replay.differences.prefix(5) == [])
      let comparison = CaptureComparison(replay.pdusBySession, of: scenario, with: recording)
      #expect(comparison.differences.prefix(5) == [])
    }
  }
}
