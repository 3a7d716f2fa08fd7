import Foundation
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// The scenarios that ship are what extraction makes of the captures that ship, byte for byte.
///
/// `UNDERSTUDY_UPDATE_GOLDEN=1 swift test --filter Golden` writes them anew; the difference belongs into the commit.
struct GoldenScenarioTests {
  private static let isUpdate = ProcessInfo.processInfo.environment["UNDERSTUDY_UPDATE_GOLDEN"] != nil

  /// Where a capture's scenario stands: the second is a resource of the tests that show how users take one along.
  private static func places(_ name: String) -> [URL] {
    ["scenarios", "Tests/ReplayTestingTests"].map { Repository.root.appending(path: "\($0)/\(name).json5") }
      .filter { $0.path.contains("/scenarios/") || FileManager.default.fileExists(atPath: $0.path) }
  }

  @Test(arguments: Repository.captureNames)
  func scenarioOfACapture(name: String) throws {
    let extractor = ScenarioExtractor(try CaptureRecording(path: Repository.capture(name)))
    let scenario = extractor.scenario(of: try #require(extractor.subjects.first))
    for place in Self.places(name) {
      if Self.isUpdate { try scenario.write(to: place.path) }
      #expect(try String(contentsOf: place, encoding: .utf8) == String(decoding: scenario.document(), as: UTF8.self), "\(place.path)")
    }
  }

  @Test func everyCaptureIsThere() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: "captures").path)
      .filter { $0.hasSuffix(".btsnoop") }.map { String($0.dropLast(8)) }
    #expect(names.sorted() == Repository.captureNames)
    #expect(Self.places("heart-strap").count == 2)
  }
}
