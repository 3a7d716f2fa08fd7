import Foundation
import ReplayEngine
import ReplayReports
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

struct JUnitTests {
  private static let run = Report.Run(name: "small.json5", verdict: SmallRun.failedVerdict(misses: 2), notes: ["a note"], seconds: 1.2345)
  private static let hostile = Report(
    title: SmallRun.hostile,
    runs: [
      run, Report.Run(name: SmallRun.hostile, failures: [SmallRun.hostile, "\u{FFFE}\u{8}"], notes: [SmallRun.hostile]),
      Report.Run(name: "passed", verdict: ScenarioReplay(SmallRun.scenario([[SmallRun.write([1])]], name: SmallRun.hostile)).verdict),
    ],
    sweeps: [
      SmallRun.sweep, SweepResult(name: SmallRun.hostile, seed: 0, count: 0),
      SweepResult(
        name: "s", seed: 1, count: 1,
        points: [
          SweepResult.Point(
            number: 0, point: FaultPoint(Fault(.drop, at: .pdu(1)), name: SmallRun.hostile), outcome: .trapped,
            verdict: SmallRun.hostile, seconds: -.infinity)
        ]),
    ])

  @Test(.enabled(if: InstalledTool.path("xmllint") != nil, "xmllint is not installed; scripts/deps --all does it"))
  func theSchemaIsKept() throws {
    let schema = Repository.root.appending(path: "Tests/ReplayReportsTests/junit.xsd").path
    for report in [Self.hostile, Report(title: ""), Report(title: "x", runs: [Self.run]), Report(title: "y", sweeps: [SmallRun.sweep])] {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xml")
      defer { try? FileManager.default.removeItem(at: file) }
      try report.write(to: file.path)
      let result = try BuiltProgram.runTool("xmllint", ["--noout", "--schema", schema, file.path])
      #expect(result.code == 0, "\(result.errors)")
    }
  }

  /// The elements with their attributes, as a reader of XML finds them.
  private final class Reader: NSObject, XMLParserDelegate {
    var elements: [(name: String, attributes: [String: String])] = []
    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
    ) { elements.append((name, attributes)) }
  }

  private static func elements(_ xml: String) -> [(name: String, attributes: [String: String])] {
    let (parser, reader) = (XMLParser(data: Data(xml.utf8)), Reader())
    parser.delegate = reader
    #expect(parser.parse())
    return reader.elements
  }

  @Test func hostileTextStaysText() {
    let elements = Self.elements(Self.hostile.junit)
    #expect(!elements.contains { $0.name == "img" || $0.name == "script" })
    let shown = elements.compactMap { $0.name == "testcase" ? $0.attributes["name"] : nil }.first { $0.contains("onerror") }
    #expect(shown?.contains("</script><img src=x onerror=alert(1)>") == true)
    #expect(shown?.contains("\\u202eevil\\u2028\\u0000\\u001b[31m&lt;") == true)
    #expect(!Self.hostile.junit.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" || $0.value == 0xFFFF })
  }

  @Test func countsAreRight() {
    let elements = Self.elements(Self.hostile.junit)
    let (suites, cases) = (elements.filter { $0.name == "testsuite" }, elements.filter { $0.name == "testcase" })
    #expect(suites.count == 6 && cases.count == 9)
    let whole = elements[0].attributes
    #expect(whole["tests"] == "9" && whole["failures"] == "3" && whole["errors"] == "2")
    #expect(
      suites[3].attributes.filter { $0.key != "time" } == ["name": "Small", "tests": "5", "failures": "1", "errors": "1", "skipped": "2"])
    #expect(suites[0].attributes["time"] == "1.234" || suites[0].attributes["time"] == "1.235")
    #expect(cases[0].attributes["name"] == "small.json5")
    #expect(elements.filter { $0.name == "failure" }[0].attributes["message"] == "link 1, session 1: miss 0 (and 1 more)")
  }

  @Test func onlyTimesDiffer() {
    var other = Self.hostile
    other.runs[0].seconds = 99
    other.sweeps[0].points[1].seconds = 7
    func plain(_ report: Report) -> String { report.junit.replacing(/\ time="[0-9.]+"/, with: "") }
    #expect(plain(other) == plain(Self.hostile) && other.junit != Self.hostile.junit)
    #expect(!other.junit.contains("timestamp") && !other.junit.contains("hostname"))
  }
}
