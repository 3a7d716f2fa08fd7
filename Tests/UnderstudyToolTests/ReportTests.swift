import Foundation
import ReplayReports
import TestSupport
import Testing

struct ReportTests {
  private static let scenarios = Repository.captureNames.map { Repository.root.appending(path: "scenarios/\($0).json5").path }

  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// One run of the tool writes each form, of all scenarios.
  @Test func checkWritesReports() throws {
    try inFolder { folder in
      let files = ["json", "xml", "md", "html"].map { folder.appending(path: "r.\($0)") }
      let broken = folder.appending(path: "broken.json5")
      try Data("{ format: \"understudy/1\", devise: {} }".utf8).write(to: broken)
      let result = try Tool.run(
        ["check"] + Self.scenarios + [broken.path, "--replay", "--fault", "disconnect:0x08@after:notification:2A37#3"]
          + files.flatMap { ["--report", $0.path] })
      #expect(result.code == 1)
      #expect(
        try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["broken.json5", "r.json", "r.xml", "r.md", "r.html"])
      let json = try #require(try JSONSerialization.jsonObject(with: try Data(contentsOf: files[0])) as? [String: Any])
      let runs = try #require(json["runs"] as? [[String: Any]])
      #expect(runs.map { $0["name"] as? String } == Self.scenarios + [broken.path])
      #expect(runs.map { $0["passed"] as? Bool } == [true, true, true, true, false])
      #expect((runs[0]["verdict"] as? [String: Any])?["faultsFired"] as? [String] == ["disconnect:0x08@after:notification:2A37#3"])
      #expect((runs[4]["failures"] as? [String])?.first?.contains("the key \"devise\" is unknown") == true)
      let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
      #expect(texts[1].contains("<testsuites name=\"understudy check\" tests=\"5\" failures=\"1\""))
      #expect(texts[2].hasPrefix("## ❌ `understudy check`\n") && texts[2].contains("devise"))
      #expect(texts[3].contains("link 1: Heart Strap, session 1") && texts[3].contains("fault fired: disconnect:0x08"))
    }
  }

  /// The page of a sweep leads from its points to what was swept.
  @Test func sweepShowsWhatWasSwept() throws {
    try inFolder { folder in
      let file = folder.appending(path: "s.html")
      let result = try Tool.run(["sweep", Self.scenarios[0], "--fault", "disconnect:0x08", "--report", file.path])
      #expect(result.code == 0, "\(result.errors)")
      let page = try String(contentsOf: file, encoding: .utf8)
      #expect(page.contains("\"swept\":[0,1],\"entries\":[-1,0,0,") && page.contains("disconnect:0x08@after:entry:2."))
    }
  }

  @Test func aReportThatCannotBeWrittenIsTold() throws {
    let result = try Tool.run(["check", Self.scenarios[0], "--replay", "--report", "/nowhere/x.md"])
    #expect(result.code == 4)
    #expect(result.errors.hasPrefix("understudy: /nowhere/x.md: cannot be written: there is no such file or folder"))
  }

  @Test func inspectShowsACapture() throws {
    try inFolder { folder in
      let file = folder.appending(path: "c.html")
      let plain = try Tool.run(["inspect", Repository.capture("heart-strap")])
      let result = try Tool.run(["inspect", Repository.capture("heart-strap"), "--report", file.path])
      #expect(result.code == 0 && result.output == plain.output)
      let page = try String(contentsOf: file, encoding: .utf8)
      #expect(page.contains("link 1: E3:5A:11:0C:77:42 Heart Strap") && page.contains("Heart Rate Measurement 2A37 (0x000c)"))
      #expect(page.contains("72 bpm"))
    }
  }

  /// A page of a long capture opens and scrolls; how fast is printed.
  @Test(
    .enabled(if: ForeignCaptures.folder != nil, Comment(rawValue: ForeignCaptures.missing)),
    .enabled(if: Browser.isHere, Comment(rawValue: Browser.missing)))
  func aLongCaptureOpens() throws {
    try inFolder { folder in
      let file = folder.appending(path: "blefun.html").path
      #expect(try Tool.run(["inspect", ForeignCaptures.path("phlash__blefun__btsnoop_hci.log"), "--report", file]).code == 0)
      let result = try Browser.look(["--capture", file])
      #expect(result.code == 0, "\(result.output)\(result.errors)")
      #expect(result.output.contains("figure: "))
      for line in result.output.split(separator: "\n") where line.hasPrefix("figure: ") { print(line) }
    }
  }

  /// No capture of others makes a page that cannot be read.
  @Test(.enabled(if: ForeignCaptures.folder != nil, Comment(rawValue: ForeignCaptures.missing)), arguments: ForeignCaptures.files)
  func foreignCapturesMakePages(name: String) throws {
    try inFolder { folder in
      let file = folder.appending(path: "c.html")
      let result = try Tool.run(["inspect", ForeignCaptures.path(name), "--report", file.path])
      #expect(result.code == 0 || result.code == 3)
      let page = try String(contentsOf: file, encoding: .utf8)
      let start = try #require(page.range(of: "id=\"data\">")),
        end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
      let data = Data(page[start.upperBound..<end.lowerBound].utf8)
      let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      for timeline in try #require(json["timelines"] as? [[String: Any]]) {
        let side = try #require(timeline["recorded"] as? [String: [Any]])
        #expect(Set(side.values.map(\.count)) == [try #require(timeline["rows"] as? [Int]).count])
      }
    }
  }
}
