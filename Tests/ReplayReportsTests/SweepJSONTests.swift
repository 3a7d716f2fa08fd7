import Foundation
import ReplayEngine
import ReplayReports
import TestSupport
import Testing

struct SweepJSONTests {
  @Test func whatIsWrittenIsReadAsItWas() throws {
    #expect(try SweepResult(json: SmallRun.sweep.json) == SmallRun.sweep)
    let empty = SweepResult(name: "", seed: 0, count: 0)
    #expect(try SweepResult(json: empty.json) == empty)
  }

  @Test(arguments: 0..<50)
  func randomResultsAreReadAsTheyWere(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let scalars: [Unicode.Scalar] = ["a", "\"", "\\", "\n", "\u{0}", "\u{7F}", "\u{2028}", "\u{202E}", "😀", "\u{FFFF}", "<", "é"]
    func text() -> String {
      String(
        String.UnicodeScalarView((0..<Int.random(in: 0...6, using: &random)).compactMap { _ in scalars.randomElement(using: &random) }))
    }
    var result = SweepResult(name: text(), seed: .random(in: 0...UInt64.max, using: &random), count: 1000)
    for number in stride(from: 0, to: 1000, by: Int.random(in: 20...300, using: &random)) {
      result.points.append(
        SweepResult.Point(
          number: number,
          point: FaultPoint(
            Fault(
              .delay(.nanoseconds(Int64.random(in: 0...9_999_999_999, using: &random))),
              at: .before(.entry(session: number, entry: number)), count: 1 + number, probability: Double(number) / 1000), name: text()),
          outcome: SweepResult.Outcome.allCases.randomElement(using: &random) ?? .passed,
          failures: (0..<Int.random(in: 0...3, using: &random)).map { _ in text() }, verdict: Bool.random(using: &random) ? text() : nil,
          seconds: Double.random(in: 0...100, using: &random)))
    }
    #expect(try SweepResult(json: result.json) == result)
  }

  @Test func membersAreAsDocumented() throws {
    let json = SmallRun.sweep.json
    #expect(
      json.hasPrefix(
        """
        {
          "format": "understudy-sweep/1",
          "name": "Small",
          "seed": "18446744073709551615",
          "count": 9,
          "passed": false,
          "outcomes": {
            "passed": 1,
            "failed": 1,
            "trapped": 1,
            "notReached": 1,
            "skipped": 1
          },
          "points": [
            {
              "number": 1,
              "fault": "disconnect:0x08@after:entry:1.1",
              "name": "FFE1 (0x0003)",
              "outcome": "passed",
              "failures": [],
              "verdict": "verdict: passed\\nlines",
              "seconds": 0.0
            },

        """))
    let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(parsed?.keys.sorted() == ["count", "format", "name", "outcomes", "passed", "points", "seed"])
  }

  @Test func membersMayStandInAnyOrder() throws {
    let data = try JSONSerialization.data(
      withJSONObject: try JSONSerialization.jsonObject(with: Data(SmallRun.sweep.json.utf8)), options: .sortedKeys)
    #expect(try SweepResult(json: [UInt8](data)) == SmallRun.sweep)
  }

  /// Each case is a change of a good document, and what the error has to say.
  @Test(
    arguments: [
      (
        "\"understudy-sweep/1\"", "\"understudy-sweep/2\"",
        "f:2:13: this is \"understudy-sweep/2\", no result of a sweep that this version reads; give the"
      ),
      ("\"understudy-sweep/1\"", "\"understudy-verdict/1\"", "f:2:13: this is \"understudy-verdict/1\", no result"),
      ("\"format\"", "\"sessions\"", "f:2:3: this is no result of a sweep; give the JSON report of a sweep, which has \"format\""),
      ("\"name\": \"Small\"", "\"nme\": \"Small\"", "f:3:3: the key \"nme\" is unknown in the result of a sweep; did you mean \"name\"?"),
      ("\"seed\": \"18446744073709551615\",", "", "f:1:1: the member \"seed\" is missing; write"),
      ("18446744073709551615", "18446744073709551616", "f:4:11: the seed cannot be \"18446744073709551616\"; write a number from 0"),
      ("\"count\": 9", "\"count\": 3", "point 9 is beyond the sweep's 3 points; write"),
      ("\"count\": 9", "\"count\": -1", "f:5:12: the count of all points cannot be -1; write"),
      ("\"number\": 3", "\"number\": 1", "point 1 stands behind point 1; sort"),
      ("\"number\": 3", "\"number\": 0", "the number of a point cannot be 0; write"),
      ("disconnect:0x08@after:entry:1.1", "disconect@x", "the fault cannot be read: "),
      (
        "\"outcome\": \"failed\"", "\"outcome\": \"fail\"",
        "the outcome cannot be \"fail\"; there are passed, failed, trapped, notReached, skipped"
      ),
      ("\"seconds\": 0.1", "\"seconds\": \"x\"", "the text \"x\" stands where the time that a run took should; write"),
      ("\"seconds\": 0.1", "\"seconds\": 1e999", "the number 1e999 stands where"),
      ("\"outcome\": \"failed\",", "", "the member \"outcome\" of a point is missing; write"),
    ])
  func aDamagedFileIsRefused(what: String, instead: String, message: String) throws {
    let json = SmallRun.sweep.json
    let place = try #require(json.range(of: what))
    let error = #expect(throws: ReportError.self) { try SweepResult(json: json.replacingCharacters(in: place, with: instead), file: "f") }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    #expect(error?.code == (message.contains("this is ") ? .otherFormat : .malformed))
  }

  @Test func everyPrefixIsRefused() {
    let bytes = Array(SmallRun.sweep.json.utf8)
    for count in 0..<(bytes.count - 2) {
      let error = #expect(throws: ReportError.self) { try SweepResult(json: Array(bytes.prefix(count)), file: "f") }
      #expect(error?.description.hasPrefix("f:") == true)
    }
    #expect(throws: ReportError.self) { try SweepResult(json: bytes + Array("{}".utf8)) }
  }

  @Test(arguments: ["", "[]", "{}", "\u{0}", "null", "<html>", "{\"format\": \"understudy/1\", device: {}}", "{\"points\": [{}]}"])
  func foreignTextIsRefused(text: String) {
    let error = #expect(throws: ReportError.self) { try SweepResult(json: text) }
    #expect(error?.code == .otherFormat)
  }

  @Test func aFileThatIsNotThereIsNamed() {
    let error = #expect(throws: ReportError.self) { try SweepResult(file: "/nowhere/x.json") }
    #expect(
      error?.description == "/nowhere/x.json: cannot be read: there is no such file or folder; check the name and its permissions")
  }
}
