import Foundation
import ReplayEngine
import ReplayReports
import TestSupport
import Testing

struct ReportTests {
  private static let report = Report(
    title: "check", runs: [Report.Run(name: "a", verdict: SmallRun.failedVerdict(), failures: ["x"], notes: ["y"], seconds: 0.5)],
    sweeps: [SmallRun.sweep])

  @Test func membersAreAsDocumented() throws {
    let json = Self.report.json
    #expect(
      json.hasPrefix(
        "{\n  \"format\": \"understudy-report/1\",\n  \"title\": \"check\",\n  \"passed\": false,\n  \"runs\": [\n    {\n      \"name\": \"a\","
      ))
    let parsed = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let run = try #require((parsed["runs"] as? [[String: Any]])?.first)
    #expect(Set(run.keys) == ["name", "passed", "failures", "notes", "seconds", "verdict"])
    #expect(run["failures"] as? [String] == ["x"] && run["seconds"] as? Double == 0.5)
    #expect((run["verdict"] as? [String: Any])?["format"] as? String == Verdict.jsonFormat)
    #expect(((parsed["sweeps"] as? [[String: Any]])?.first)?["format"] as? String == SweepResult.jsonFormat)
  }

  @Test func theEndingTellsTheForm() {
    let forms: [(String, Report.Form?)] = [
      ("a.json", .json), ("x/y.XML", .junit), ("a.b.md", .markdown), ("a", nil), ("a.txt", nil), ("a.md/b", nil),
      (".json", .json), ("", nil),
    ]
    for (path, form) in forms { #expect(Report.Form(path: path) == form, "\(path)") }
  }

  @Test(arguments: Report.Form.allCases)
  func filesAreWrittenWhole(form: Report.Form) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "r.\(form.rawValue)")
    try Data("old".utf8).write(to: file)
    try Self.report.write(to: file.path)
    #expect([UInt8](try Data(contentsOf: file)) == Self.report.document(form))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["r.\(form.rawValue)"])
  }

  @Test func whatCannotBeWrittenIsTold() {
    let error = #expect(throws: ReportError.self) { try Self.report.write(to: "/nowhere/x.md") }
    #expect(error?.code == .cannotWrite)
    #expect(error?.description.hasPrefix("/nowhere/x.md: cannot be written: there is no such file or folder; check") == true)
    let other = #expect(throws: ReportError.self) { try Self.report.write(to: "x.doc") }
    #expect(other?.description == "x.doc: the ending tells no form of a report; there are \(Report.Form.endings)")
  }
}
