import Foundation
import ReplayEngine
import ReplayReports
import ReplayScenarios
import TestSupport
import Testing

@testable import understudy

/// Sweeps with the recorded central, their shards, and what is left of a scenario that fails.
struct SweepCommandTests {
  /// The documents without the times that runs took.
  private static func timeless(_ file: URL) throws -> String {
    try String(contentsOf: file, encoding: .utf8)
      .replacing(#/"seconds": [0-9.e-]+/#, with: "").replacing(#/ time="[^"]*"/#, with: "")
  }

  @Test func shardsGiveTheReportsOfOneRun() throws {
    try ConvertTests.inFolder { folder in
      // Two points fail: a command behind the last entry has no PDU that could be dropped.
      let sweep = [
        "sweep", EditCommandTests.heart, "--fault", "disconnect:0x08", "--fault", "drop", "--fail-on", "not-reached", "--seed", "4",
      ]
      let whole = try Tool.run(
        sweep + ["--report", folder.appending(path: "whole.json").path, "--report", folder.appending(path: "whole.xml").path])
      #expect(whole.code == 1 && whole.errors == "")
      #expect(
        whole.output.hasPrefix("Heart Strap: 58 points: 56 passed, 2 failed\n  point 49, drop@after:entry:1.42 (2A37 (0x000c)): failed\n"))
      var results: [String] = []
      for index in 1...4 {
        results.append(folder.appending(path: "shard-\(index).json").path)
        let part = try Tool.run(sweep + ["--shard", "\(index)/4", "--report", results[index - 1]])
        #expect(part.output.contains("58 points, of which shard \(index)/4 has 1"))
      }
      let joined = try Tool.run(
        ["report"] + results.reversed()
          + ["--report", folder.appending(path: "joined.json").path, "--report", folder.appending(path: "joined.xml").path])
      #expect(joined.code == 1 && joined.errors == "" && joined.output == whole.output)
      for ending in ["json", "xml"] {
        let (one, many) = (
          try Self.timeless(folder.appending(path: "whole.\(ending)")), try Self.timeless(folder.appending(path: "joined.\(ending)"))
        )
        #expect(one == many && one.contains("drop@after:entry:1.42"))
      }
      let some = try Tool.run(["report", results[0], results[2]])
      #expect(some.code == 1)
      #expect(
        some.errors == "understudy: 29 of 58 points have no result: 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, …; name the reports of all shards\n"
      )
      let twice = try Tool.run(["report", results[0], results[0]])
      #expect(twice.code == 3 && twice.errors.contains("name each shard once"))
    }
  }

  /// What a result names itself moves no cursor, and made-up numbers are refused before anything is counted by them.
  @Test func hostileResultsAreRefused() throws {
    try ConvertTests.inFolder { folder in
      func write(_ name: String, _ count: String, _ file: String) throws -> String {
        let url = folder.appending(path: file)
        try #"{"format":"understudy-sweep/1","name":"\#(name)","seed":"0","count":\#(count),"points":[]}"#
          .write(to: url, atomically: true, encoding: .utf8)
        return url.path
      }
      let (one, other) = (try write("one", "3", "one.json"), try write(#"\u001b[2J\nother"#, "3", "other.json"))
      let mixed = try Tool.run(["report", one, other])
      #expect(mixed.code == 3 && mixed.errors.contains(#"result 2 is of another sweep: \u{1b}[2J\u{a}other, seed 0"#))
      let endless = try Tool.run(["report", try write("one", "\(Int.max)", "endless.json")])
      #expect(endless.code == 3 && endless.errors.contains("the count of all points cannot be \(Int.max)"))
    }
  }

  @Test func printsTheResultAsJSON() throws {
    let result = try Tool.run(["sweep", EditCommandTests.heart, "--fault", "vanish", "--at", "before-every-entry", "--json"])
    #expect(result.code == 0)
    let sweep = try SweepResult(json: result.output)
    #expect(sweep.points.count == 29 && sweep.count(of: .passed) == 29)
    #expect("\(sweep.points[0].point.fault)" == "vanish@before:entry:1.21")
  }

  @Test(
    arguments: [
      ([], 2, "give --fault"), (["--fault", "disconnect@pdu:1"], 2, "disconnect@pdu:1: here it is an action alone"),
      (["--fault", "drop", "--at", "once"], 2, "before-every-entry"),
      (["--fault", "drop", "--shard", "5/4"], 2, "as 2/4"), (["--fault", "drop", "--report", "x.txt"], 2, ".json"),
      (["--fault", "drop", "--seed", "-1"], 2, "2^64-1"), (["--fault", "powerOff"], 4, "impossible"),
    ] as [([String], Int32, String)])
  func refusesWhatItCannotDo(options: [String], code: Int32, words: String) throws {
    let result = try Tool.run(["sweep", EditCommandTests.heart] + options)
    #expect(result.code == code && result.errors.contains(words), "\(result)")
  }

  @Test func minimisesToWhatFailsAndSaysHowToReplayIt() throws {
    try ConvertTests.inFolder { folder in
      let output = folder.appending(path: "it's small.json5").path
      let result = try Tool.run([
        "minimize", EditCommandTests.heart, "-o", output, "--fault", "drop@before:entry:1.30", "--fault", "delay:5ms@pdu:7", "--fault",
        "drop@after:entry:2.13", "--fail-on", "not-reached", "--seed", "9",
      ])
      #expect(result.code == 0 && result.errors == "")
      let line = try #require(result.output.split(separator: "\n").last).trimmingPrefix("  replay it: understudy ")
      #expect(line == "check '\(output.replacing("'", with: "'\\''"))' --replay --seed 9 --fail-on not-reached")
      let small = try Scenario.read(file: output)
      #expect(small.sessions.map(\.entries.count) == [1] && small.faults == ["drop@after:entry:1.1"])
      let again = try Tool.run(["check", output, "--replay", "--seed", "9", "--fail-on", "not-reached"])
      #expect(again.code == 1 && again.output.contains("failure: fault drop@after:entry:1.1 was not reached"))
    }
  }

  /// What fails whatever is left out is no cause, and a line says so.
  @Test func warnsOfWhatFailsWithoutAnything() throws {
    try ConvertTests.inFolder { folder in
      var scenario = try Scenario.read(file: EditCommandTests.heart)
      scenario.expectations = [Expectation(.connect, count: 9)]
      let (file, output) = (folder.appending(path: "heart.json5").path, folder.appending(path: "small.json5").path)
      try scenario.write(to: file)
      let result = try Tool.run(["minimize", file, "-o", output])
      #expect(result.code == 0 && result.errors == "")
      #expect(result.output.contains("nothing that was recorded is needed for this failure"), "\(result.output)")
      #expect(try Scenario.read(file: output).sessions.isEmpty)
    }
  }

  @Test func doesNotMinimiseWhatPasses() throws {
    let result = try Tool.run(["minimize", EditCommandTests.heart, "-o", "never.json5"])
    #expect(result.code == 3 && result.errors.contains("its replay passes"))
    #expect(try Tool.run(["minimize", EditCommandTests.heart]).code == 2)
  }

  @Test func readsNoResultWhereThereIsNone() throws {
    try ConvertTests.inFolder { folder in
      let file = folder.appending(path: "other.json")
      try Data("{ \"format\": \"other/1\" }".utf8).write(to: file)
      #expect(try Tool.run(["report", file.path]).code == 3)
      let folders = try Tool.run(["report", folder.path])
      #expect(folders.code == 3 && folders.errors.contains("it is a folder; name a file"))
      let written = try Tool.run(["sweep", EditCommandTests.heart, "--fault", "drop", "--report", folder.appending(path: "sub.json").path])
      #expect(written.code == 0)
      let missing = try Tool.run(["report", folder.appending(path: "none.json").path])
      #expect(missing.code == 3 && missing.errors.contains("there is no such file"))
    }
  }
}
