import Foundation
import ReplayScenarios
import Testing

@Suite struct GoldenTests {
  /// The text of the sample, byte for byte. Run with `UNDERSTUDY_UPDATE_GOLDEN=1` to write it anew.
  @Test func sampleText() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Golden/sample-scenario.json5")
    if ProcessInfo.processInfo.environment["UNDERSTUDY_UPDATE_GOLDEN"] != nil { try sample.write(to: file.path) }
    #expect(String(decoding: sample.document(), as: UTF8.self) == (try String(contentsOf: file, encoding: .utf8)))
  }
}
