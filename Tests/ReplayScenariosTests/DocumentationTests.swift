import Foundation
import ReplayScenarios
import TestSupport
import Testing

/// What docs/scenario-format.md shows is what the reader takes.
struct DocumentationTests {
  /// The examples, each with the line on which it begins.
  static func blocks() throws -> [(line: Int, text: String)] {
    let text = try String(contentsOf: Repository.root.appending(path: "docs/scenario-format.md"), encoding: .utf8)
    var blocks: [(line: Int, text: String)] = []
    var open: (line: Int, lines: [Substring])?
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let (start, lines) = open {
        guard line.hasPrefix("```") else {
          open?.lines.append(line)
          continue
        }
        blocks.append((start, lines.joined(separator: "\n")))
        open = nil
      } else if line == "```json5" {
        open = (number + 2, [])
      }
    }
    return blocks
  }

  private static let attributes = """
    { handle: 0x0001, service: "FFF0", end: 0x00ff }, \
    { handle: 0x000b, characteristic: "2A37", value: 0x000c, properties: ["notify"] }, { handle: 0x000d, descriptor: "2902" }, \
    { handle: 0x0010, characteristic: "FFF1", value: 0x0011, properties: ["write"] }, \
    { handle: 0x0013, characteristic: "FFF2", value: 0x0014, properties: ["notify"] }, { handle: 0x0015, descriptor: "2902" }, \
    { handle: 0x0017, characteristic: "FFF3", value: 0x0018, properties: ["read"] }, \
    { handle: 0x0019, characteristic: "FFF4", value: 0x001a, properties: ["write"] }
    """

  /// The example as a whole scenario: what is left out, an ellipsis, is nothing.
  static func document(_ example: String) throws -> String {
    let text = example.replacing("{ … }", with: "{}").replacing("[ … ]", with: "[]").replacing("…, ", with: "").replacing(", …", with: "")
      .replacing("…", with: "")
    let database = text.contains("database:") ? "" : "database: [ \(attributes) ],"
    let start = "format: \"understudy/1\", \(database)"
    if text.hasPrefix("{\n") { return text }
    if text.hasPrefix("{ handle:") { return "{ format: \"understudy/1\", database: [\n\(text)\n] }" }
    if text.hasPrefix("{ at:") { return "{ \(start) sessions: [ { entries: [\n\(text)\n] } ] }" }
    return "{ \(start)\n\(text)\n}"
  }

  @Test func everyExampleIsRead() throws {
    let blocks = try Self.blocks()
    #expect(blocks.count >= 8)
    for (line, text) in blocks {
      do {
        let scenario = try ScenarioDocument(reading: Array(try Self.document(text).utf8), file: "docs").scenario
        // It is no empty example, and reading what is written gives the same.
        #expect(scenario != (try ScenarioDocument(reading: Array("{ format: \"understudy/1\" }".utf8), file: "docs").scenario))
        #expect(try ScenarioDocument(reading: scenario.document(), file: "again").scenario == scenario, "the example of line \(line)")
        let problems = scenario.problems().filter { $0.severity == .error }.map(\.description)
        #expect(problems == [], "the example of line \(line)")
      } catch { Issue.record("the example of line \(line): \(error)") }
    }
  }
}
