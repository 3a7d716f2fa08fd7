import Foundation
import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine
@testable import ReplayReports

struct PageTests {
  private static func part(_ page: String, from start: String, to end: String) throws -> String {
    let from = try #require(page.range(of: start))
    let to = try #require(page.range(of: end, range: from.upperBound..<page.endIndex))
    return String(page[from.upperBound..<to.lowerBound])
  }

  @Test func hashesAreThoseOfTheStandard() {
    let vectors: [(String, String)] = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (String(repeating: "a", count: 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ]
    for (text, hash) in vectors { #expect(Hexadecimal.encode(SHA256.hash(Array(text.utf8))) == hash) }
    for count in 50..<70 { #expect(SHA256.hash(Array(repeating: 1, count: count)).count == 32) }
  }

  /// All that is told stands in one element, and nothing of it can end that.
  @Test func dataCannotLeaveItsElement() throws {
    var named = PageSamples.sweep
    named.sweeps[0].points[0].point.fault.trigger = .after(.attribute(.read, .uuid(SmallRun.hostile), count: 1))
    for report in [PageSamples.run, PageSamples.sweep, named] {
      let page = String(decoding: report.html, as: UTF8.self)
      #expect(page.components(separatedBy: "<script").count == 3 && page.components(separatedBy: "</script").count == 3)
      let data = try Self.part(page, from: "id=\"data\">", to: "</script>")
      #expect(!data.contains("<") && !data.contains("\u{2028}") && !data.contains("\u{202E}"))
      let parsed = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
      #expect(parsed?["format"] as? String == "understudy-page/1")
      #expect(!page.contains("<img") && !page.contains("http://") && !page.contains("https://"))
    }
  }

  @Test func onlyTheOwnScriptMayRun() throws {
    let page = String(decoding: PageSamples.run.html, as: UTF8.self)
    let policy = try Self.part(page, from: "Content-Security-Policy\" content=\"", to: "\"")
    #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-") && !policy.contains("unsafe"))
    for (start, end) in [("<script>", "</script>"), ("<style>", "</style>")] {
      let hash = Data(SHA256.hash(Array(try Self.part(page, from: start, to: end).utf8))).base64EncodedString()
      #expect(policy.contains("'sha256-\(hash)'"))
    }
  }

  @Test func theSameReportGivesTheSameBytes() { #expect(PageSamples.run.html == PageSamples.run.html) }

  /// What is left of a long log is shown without a recording that it could not be held against.
  @Test func aLogThatBeginsLaterIsShown() throws {
    let scenario = SmallRun.scenario([(0..<200).map { SmallRun.write([UInt8($0)], at: .milliseconds($0)) }])
    let air = AirCore([scenario], seed: 0)
    air.logLimit = 50
    let central = RecordedCentral(scenario, sessions: nil)
    central.start(in: air)
    while air.step() {}
    let run = Report.Run(name: "r", verdict: Verdict(air, seed: 0), scenarios: [scenario], log: air.log)
    let timelines = Timeline.all(of: run)
    #expect(timelines.count == 1 && timelines[0].recorded == nil)
    let replayed = try #require(timelines[0].replayed)
    #expect(replayed[0].words == "the log begins later" && (50...60).contains(replayed.count))
    #expect(String(decoding: Report(title: "t", runs: [run]).html, as: UTF8.self).contains("before them were not kept"))
  }

  /// Of a run that is longer than a page the beginning is shown, and the page says so.
  @Test func aPageHasRoomForSoMany() {
    let event = Timeline.Event(time: 0, sender: .central, kind: .read, words: "x")
    var report = Report(title: "t")
    report.recordings = (0..<5).map { index in
      Recording(
        name: "\(index)",
        timelines: [
          Timeline(name: "\(index)", attributes: AttributeLabels(), recorded: Array(repeating: event, count: 90_000))
        ])
    }
    #expect(String(decoding: report.html, as: UTF8.self).contains("\"leftOut\":50000,"))
  }
}

/// How events of both sides are put into rows.
struct TimelineRowsTests {
  private static func events(_ text: String) -> [Timeline.Event] {
    var list = EventList()
    for (index, word) in text.split(separator: " ").enumerated() {
      let isAnswer = word.hasPrefix("<")
      list.add(hex(String(word.drop { $0 == "<" })), fromCentral: !isAnswer, at: Int64(index))
    }
    return list.events
  }

  private static func rows(_ left: String, _ right: String) -> String {
    let rows = TimelineRows(Timeline(name: "", attributes: AttributeLabels(), recorded: events(left), replayed: events(right)))
    return zip(rows.recorded, rows.replayed).map { "\($0 < 0 ? "-" : "\($0)")\($1 < 0 ? "-" : "\($1)")" }.joined(separator: " ")
  }

  @Test(
    arguments: [
      ("0a0300 <0b01", "0a0300 <0b01", "00 11"),
      // Other values of one attribute correspond, and so do their answers.
      ("12030001 <13 12030002 <13", "12030007 <13 12030002 <13", "00 11 22 33"),
      // What was left out stands alone.
      ("12030001 <13 12030002 <13 12030003 <13", "12030001 <13 12030003 <13", "00 11 2- 3- 42 53"),
      ("12030001 <13", "12030001 <13 0a0900 <01000000", "00 11 -2 -3"),
      // An error in the place of a response is its other form.
      ("0a0300 <0b01", "0a0300 <010a030002", "00 11"),
      // Two that were exchanged keep their turns on each side.
      ("52030001 52060002", "52060002 52030001", "0- 10 -1"),
      // Discovery corresponds where it asks the same.
      ("100100ffff0028 <01100100ff", "100200ffff0028 <01100200ff", "0- -0 1- -1"),
      ("", "0a0300", "-0"), ("0a0300", "", "0-"), ("", "", ""),
    ])
  func correspondingEventsShareRows(left: String, right: String, rows: String) {
    #expect(Self.rows(left, right) == rows, "\(left) | \(right)")
  }

  /// What became of a PDU on its way corresponds to nothing recorded: the PDU itself does.
  @Test func afterthoughtsStandAlone() {
    var list = EventList()
    for isAfterthought in [false, true, true] {
      list.add(hex("1b030001"), fromCentral: false, at: 0, note: isAfterthought ? "arrives" : nil, isAfterthought: isAfterthought)
    }
    let recorded = Self.events("<1b030001 <1b030001")
    let rows = TimelineRows(Timeline(name: "", attributes: AttributeLabels(), recorded: recorded, replayed: list.events))
    #expect(rows.partners == [0, -1])
  }

  /// Every event has one row, each side keeps its order, and long sequences take no longer than their length.
  @Test(arguments: 0..<20)
  func everyEventHasARow(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    func side() -> String {
      (0..<2000).map { _ in ["52030001", "52030002", "0a0300", "<0b01", "<1b030009", "12060001", "<13"].randomElement(using: &random) ?? ""
      }
      .joined(separator: " ")
    }
    let timeline = Timeline(name: "", attributes: AttributeLabels(), recorded: Self.events(side()), replayed: Self.events(side()))
    let rows = TimelineRows(timeline)
    #expect(rows.recorded.filter { $0 >= 0 } == Array(0..<2000) && rows.replayed.filter { $0 >= 0 } == Array(0..<2000))
    let pairs = rows.partners.filter { $0 >= 0 }
    #expect(Set(pairs).count == pairs.count && pairs.count > 1000)
  }
}
