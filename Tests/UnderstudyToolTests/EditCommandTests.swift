import Foundation
import ReplayScenarios
import TestSupport
import Testing

/// `understudy trim`, `diff`, and the choices of `extract`.
struct EditCommandTests {
  static let heart = Repository.root.appending(path: "scenarios/heart-strap.json5").path

  static func trimmed(_ options: [String]) throws -> (result: Tool.Result, scenario: Scenario?, replay: Tool.Result?) {
    var outcome: (Tool.Result, Scenario?, Tool.Result?)?
    try ConvertTests.inFolder { folder in
      let output = folder.appending(path: "out.json5").path
      let result = try Tool.run(["trim", heart, "-o", output] + options)
      let scenario = try? Scenario.read(file: output)
      outcome = (result, scenario, scenario == nil ? nil : try Tool.run(["check", output, "--replay"]))
    }
    return try #require(outcome)
  }

  @Test(
    arguments: [
      (["--session", "2"], 1), (["--link", "1"], 1), (["--from", "1000"], 2), (["--to", "2500"], 2),
      (["--from", "1500", "--to", "3000"], 2),
      (["--entries", "20-40"], 2), (["--attribute", "2A37"], 2), (["--attribute", "0x0014"], 2),
      (["--attribute", "180F", "--session", "1"], 1), ([], 2),
    ] as [([String], Int)])
  func whatIsLeftPlays(options: [String], sessions: Int) throws {
    let whole = try Scenario.read(file: Self.heart)
    let (result, scenario, replay) = try Self.trimmed(options)
    let left = try #require(scenario)
    #expect(result.errors == "")
    #expect(left.sessions.count == sessions)
    #expect((replay?.code, replay?.errors) == (0, ""))
    let counts = [left, whole].map { $0.sessions.reduce(0) { $0 + $1.entries.count } }
    if options.isEmpty { #expect(left == whole) } else { #expect(counts[0] < counts[1]) }
    // Every name that an anchor refers to is there.
    for session in left.sessions {
      let names = Set(session.entries.compactMap(\.id))
      for entry in session.entries {
        switch entry.anchor?.cause {
        case .entry(let name)?, .request(let name)?: #expect(names.contains(name))
        default: break
        }
      }
    }
  }

  @Test func onlyTheAttributeIsLeft() throws {
    let scenario = try #require(try Self.trimmed(["--attribute", "2A37"]).scenario)
    for entry in scenario.sessions.flatMap(\.entries) {
      switch entry.action {
      case .notify(let handle, _), .write(let handle, _): #expect([0x0C, 0x0D].contains(handle.rawValue))
      case .pdu: #expect(entry.attribute.map { [0x0C, 0x0D].contains($0.rawValue) } == true)
      case .exchangeMTU, .link, .disconnect, .vanish: break
      default: Issue.record("\(entry)")
      }
    }
  }

  @Test func nothingLeftIsTold() throws {
    let (result, scenario, _) = try Self.trimmed(["--session", "9"])
    #expect(result.code == 1)
    #expect(scenario?.sessions.isEmpty == true)
    #expect(result.errors.contains("nothing is left; choose less strictly"))
  }

  @Test(
    arguments: [
      (["trim", heart], "trim needs to know where to write"),
      (["trim", heart, "-o", "x", "--entries", "5"], "--entries 5: give the first and the last"),
      (["trim", heart, "-o", "x", "--attribute", "zz"], "--attribute zz: give a handle, as 0x000c, or a UUID"),
      (["trim", heart, "-o", "x", "--from", "5", "--to", "4"], "--from lies after --to"),
      (["trim", heart, "-o", "x", "--session", "0"], "--session 0: they are numbered from 1"),
      (["diff", heart, heart, "--ignore", "x"], "--ignore x: there are stack, unread, timing"),
      (["extract", heart, "-o", "x", "--from", "yesterday"], "--from yesterday: give a date"),
      (["extract", heart, "-o", "x", "--service", "q"], "--service q: give a UUID"),
    ] as [([String], String)])
  func wrongUse(arguments: [String], message: String) throws {
    let result = try Tool.run(arguments)
    #expect(result.code == 2)
    #expect(result.errors.hasPrefix("understudy: \(message)"))
  }

  @Test func aScenarioDiffersFromItselfInNothing() throws {
    for other in [Self.heart, Repository.capture("heart-strap")] {
      let result = try Tool.run(["diff", Self.heart, other])
      #expect((result.code, result.output, result.errors) == (0, "no difference\n", ""))
    }
  }

  @Test func whatDiffersIsTold() throws {
    var scenario = try Scenario.read(file: Self.heart)
    scenario.device.name = "Heart\u{1B}"
    let place = try #require(scenario.database.firstIndex { $0.handle == AttributeHandle(0x13) })
    scenario.database[place].content = [0x60]
    scenario.database.removeAll { $0.handle == AttributeHandle(0x22) }
    for session in scenario.sessions.indices {
      for entry in scenario.sessions[session].entries.indices
      where scenario.sessions[session].entries[entry].action == .read(AttributeHandle(0x14)) {
        scenario.sessions[session].entries[entry].answer = .value([0x60])
        scenario.sessions[session].entries[entry].latency = .milliseconds(900)
      }
    }
    try ConvertTests.inFolder { folder in
      let file = folder.appending(path: "other.json5").path
      try scenario.write(to: file)
      let result = try Tool.run(["diff", Self.heart, file])
      #expect(result.code == 1)
      let lines = result.output.split(separator: "\n").map(String.init)
      #expect(lines.contains("device: name: \"Heart Strap\", then \"Heart\\u001b\""))
      #expect(lines.contains("database: 0x0013 characteristic 2A19, properties 0x12, value 0x0014: value 57, then 60"))
      #expect(lines.contains("database: 0x0022 descriptor 2902 is gone"))
      #expect(lines.contains("answers: read 0x0014: 57, then 60"))
      #expect(lines.contains { $0.hasPrefix("timing: read 0x0014: answered after ") && $0.hasSuffix(", then 900 ms") })
      #expect(lines.count == 5)
      #expect(try Tool.run(["diff", Self.heart, file, "--ignore", "timing"]).output.contains("timing:") == false)
      let json = try Tool.run(["diff", Self.heart, file, "--json"])
      #expect((try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: String]])?.count == 5)
    }
  }

  @Test func stackAndUnreadAreLeftOut() throws {
    var scenario = try Scenario.read(file: Self.heart)
    scenario.device.mtu = 100
    for session in scenario.sessions.indices {
      scenario.sessions[session].entries.removeAll { entry in
        switch entry.action {
        case .pdu, .exchangeMTU, .read: true
        default: false
        }
      }
    }
    for place in scenario.database.indices { scenario.database[place].content = nil }
    try ConvertTests.inFolder { folder in
      let file = folder.appending(path: "other.json5").path
      try scenario.write(to: file)
      #expect(try Tool.run(["diff", Self.heart, file]).code == 1)
      #expect(try Tool.run(["diff", Self.heart, file, "--ignore", "stack,unread"]).output == "no difference\n")
    }
  }

  @Test(
    arguments: [
      (["--service", "180D"], 2), (["--service", "1812"], nil), (["--from", "2026-11-30T05:09:30"], 1),
      (["--to", "2026-11-30T05:09:30Z"], 1),
      (["--from", "2026-11-30T05:09", "--to", "2026-11-30T05:10"], 2), (["--from", "2026-12-01"], nil), (["--name", "strap"], 2),
    ] as [([String], Int?)])
  func extractChooses(options: [String], sessions: Int?) throws {
    try ConvertTests.inFolder { folder in
      let output = folder.appending(path: "out.json5").path
      let result = try Tool.run(["extract", Repository.capture("heart-strap"), "-o", output] + options)
      #expect(result.code == (sessions == nil ? 3 : 0))
      #expect((try? Scenario.read(file: output))?.sessions.count == sessions)
    }
  }

  /// A redacted scenario plays as the original does.
  @Test(arguments: Repository.captureNames)
  func whatIsRedactedPlays(name: String) throws {
    let path = Repository.root.appending(path: "scenarios/\(name).json5").path
    try ConvertTests.inFolder { folder in
      let outputs = ["1", "2"].map { folder.appending(path: "\($0).json5").path }
      for output in outputs { #expect(try Tool.run(["redact", path, "-o", output, "--value", "2A19", "--value", "0x000c"]).code == 0) }
      #expect(try Data(contentsOf: URL(filePath: outputs[0])) == Data(contentsOf: URL(filePath: outputs[1])))
      let before = try Tool.run(["check", path, "--replay"])
      let after = try Tool.run(["check", outputs[0], "--replay"])
      #expect((after.code, after.errors) == (0, ""))
      #expect(after.output.replacing(outputs[0], with: "") == before.output.replacing(path, with: ""))
    }
  }
}
