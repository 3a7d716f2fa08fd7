import ReplayScenarios
import TestSupport
import Testing

/// Texts that nobody meant; each is refused or read, and none stops the program.
@Suite struct HostileTextTests {
  @Test func everyPrefixIsRefused() {
    let text = sample.document()
    // The last byte is the line end after the closing brace.
    for count in 0..<(text.count - 1) {
      let error = #expect(throws: ScenarioError.self) { try Scenario(reading: Array(text[..<count]), file: "cut") }
      #expect(error?.line != nil)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func flippedBytesAreReadOrRefused(seed: UInt64) {
    let text = sample.document()
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      var hostile = text
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        hostile[Int.random(in: 0..<text.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      guard let document = try? ScenarioDocument(reading: hostile, file: "flipped") else { continue }
      _ = document.problems()
      _ = document.scenario.playable
      let again = document.scenario.document()
      #expect((try? Scenario(reading: again)) == document.scenario, "seed \(seed)")
    }
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func shuffledTokensAreReadOrRefused(seed: UInt64) {
    let parts = [
      "{", "}", "[", "]", ":", ",", "'a'", "\"", "\\", "\\u12", "0x", "-", ".", "1e", "Infinity", "NaN", "null", "/*", "//", "*/", "\n",
      "\r\n",
      "format", "'understudy/1'", "database", "sessions", "entries", "at", "é", "\u{2028}",
    ]
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let text = (0..<12).map { _ in parts[Int.random(in: 0..<parts.count, using: &generator)] }.joined(separator: " ")
      _ = try? Scenario(reading: text)
      _ = try? Scenario(reading: "{ format: 'understudy/1', " + text)
    }
  }

  /// Texts that would take minutes where anything grew with the square of their length.
  @Test func longLinesAndDeepNestsEnd() {
    let long = "{ format: 'understudy/1', database: [" + String(repeating: "{ handle: 1, unknown: true },", count: 20_000) + "] }"
    #expect((try? Scenario(reading: long))?.database.count == 20_000)
    #expect(throws: ScenarioError.self) { try Scenario(reading: String(repeating: "[", count: 1_000_000)) }
    #expect(throws: ScenarioError.self) { try Scenario(reading: "{ " + String(repeating: "x", count: 1_000_000) + ": 1 }") }
    #expect(throws: ScenarioError.self) { try Scenario(reading: "{ mtu: 1" + String(repeating: "0", count: 1_000_000) + " }") }
  }

  @Test func nestingIsLimited() throws {
    var tokenizer = JSON5Tokenizer([UInt8](String(repeating: "[", count: 65).utf8))
    for _ in 0..<64 { _ = try tokenizer.next() }
    let error = #expect(throws: JSON5Error.self) { try tokenizer.next() }
    #expect(error?.position == TextPosition(line: 1, column: 65))
  }
}
