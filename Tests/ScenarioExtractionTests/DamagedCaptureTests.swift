import Foundation
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// Damaged captures go the whole way – read, reconstructed, extracted, written, read, replayed – without a trap or an endless run.
struct DamagedCaptureTests {
  @Test(arguments: Repository.captureNames)
  func damageCrashesNothing(name: String) throws {
    let good = try [UInt8](Data(contentsOf: URL(filePath: Repository.capture(name))))
    var random = SeededGenerator(seed: 21)
    // The long capture takes as long as the others together.
    for run in 0..<(good.count > 50_000 ? 60 : 300) {
      var bytes = good
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: 16..<bytes.count, using: &random)
        if run.isMultiple(of: 3) {
          bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &random)))
        } else {
          bytes[place] ^= UInt8.random(in: 1...255, using: &random)
        }
      }
      let extractor = ScenarioExtractor(try CaptureRecording(bytes: bytes, file: "damaged"))
      for subject in extractor.subjects {
        let scenario = extractor.scenario(of: subject)
        let read = try Scenario(reading: scenario.document(), file: "damaged")
        #expect(read == scenario, "\(name), run \(run)")
        _ = ScenarioReplay(read)
      }
    }
  }
}
