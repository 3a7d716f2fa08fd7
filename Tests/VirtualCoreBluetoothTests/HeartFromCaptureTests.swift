import CoreBluetooth
import Foundation
import HeartApp
import ReplayTesting
import ScenarioExtraction
import XCTest

/// The example app against what is extracted from the capture in the same run.
final class HeartFromCaptureTests: ReplayTestCase {
  static func scenario(_ name: String) throws -> Scenario {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "captures/\(name).btsnoop")
    let extractor = ScenarioExtractor(try CaptureRecording(path: file.path))
    return extractor.scenario(of: try XCTUnwrap(extractor.subjects.first))
  }

  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try Self.scenario("heart-strap")], seed: 7) }

  func testRuns() throws {
    let app = HeartCentral()
    try air.run(until: app.isIdle)
    assertVerdict(air)
  }
}
