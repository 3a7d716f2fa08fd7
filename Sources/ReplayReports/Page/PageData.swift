import BLEWire
import ReplayEngine
import ReplayScenarios

/// What a page shows, as the JSON that stands in it; all text is shown as it is told here, so it is made printable here.
struct PageData {
  private let report: Report
  private var timelines: [JSONValue] = []
  /// How many more events the page has room for: a browser takes so many, and no run's length is known.
  private var room = Self.limitOfEvents
  private var leftOut = 0
  static let limitOfEvents = 400_000

  init(_ report: Report) { self.report = report }

  /// The document; no byte of it can end the element that it stands in.
  static func bytes(_ report: Report) -> [UInt8] {
    var data = PageData(report)
    var plain: [UInt8] = []
    data.document().append(to: &plain, indent: nil)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(plain.count + 64)
    for byte in plain { if byte == UInt8(ascii: "<") { bytes += "\\u003c".utf8 } else { bytes.append(byte) } }
    return bytes
  }

  private mutating func document() -> JSONValue {
    let runs = report.runs.map { run in
      var members = Self.members(of: run)
      members.append(("timelines", add(Timeline.all(of: run))))
      return JSONValue.object(members)
    }
    let swept = Recording(
      name: "what was swept: \(report.sweeps.map(\.name).joined(separator: ", "))", timelines: Timeline.all(of: report.sweptScenarios))
    let recordings = (report.recordings + (swept.timelines.isEmpty ? [] : [swept])).map { recording in
      JSONValue.object([
        ("name", Self.text(recording.name)), ("facts", Self.pairs(recording.facts)), ("notes", Self.texts(recording.notes)),
        ("timelines", add(recording.timelines)),
      ])
    }
    return .object([
      ("format", .string("understudy-page/1")), ("title", Self.text(report.title)), ("passed", .bool(report.passed)),
      ("runs", .array(runs)), ("recordings", .array(recordings)),
      ("kinds", .strings(Timeline.Kind.allCases.map(\.rawValue))), ("marks", .strings(Timeline.Mark.allCases.map(\.rawValue))),
      ("timelines", .array(timelines)), ("leftOut", .integer(leftOut)), ("sweeps", .array(report.sweeps.map(Self.sweep))),
    ])
  }

  private mutating func add(_ added: [Timeline]) -> JSONValue {
    let first = timelines.count
    for var timeline in added {
      cut(&timeline.recorded)
      cut(&timeline.replayed)
      timelines.append(TimelineData(timeline).json)
    }
    return .numbers(Array(first..<timelines.count))
  }

  /// Takes what the page has no room for from the end of a side.
  private mutating func cut(_ events: inout [Timeline.Event]?) {
    guard let count = events?.count else { return }
    if count > room {
      events?.removeLast(count - room)
      leftOut += count - room
    }
    room -= min(count, room)
  }

  static func text(_ text: String) -> JSONValue { .string(JSON5Writer.printable(text)) }
  private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(text)) }
  private static func pairs(_ pairs: [(String, String)]) -> JSONValue { .array(pairs.map { .array([text($0), text($1)]) }) }

  /// How many texts of a kind are told.
  private static let limit = 2000

  private static func members(of run: Report.Run) -> [(String, JSONValue)] {
    var facts: [(String, String)] = []
    let devices = run.scenarios.compactMap { scenario in
      [scenario.device.name, scenario.device.address?.description].compactMap { $0 }.joined(separator: " ")
    }
    if !devices.isEmpty { facts.append((devices.count == 1 ? "device" : "devices", devices.joined(separator: ", "))) }
    guard let verdict = run.verdict else {
      return [
        ("name", text(run.name)), ("passed", .bool(run.passed)), ("facts", pairs(facts)), ("failures", texts(run.failures)),
        ("notes", texts(run.notes)),
      ]
    }
    let (consumed, counted) = verdict.requests
    facts.append(("requests made", "\(consumed) of \(counted)"))
    facts.append(("seed", "\(verdict.seed)"))
    facts.append(("time on the air's clock", "\(verdict.time) s"))
    if let seconds = run.seconds { facts.append(("real time", "\((seconds * 1000).rounded() / 1000) s")) }
    if let lateness = verdict.lateness { facts.append(("lateness", "\(lateness)")) }
    if let log = run.log, log.droppedLines > 0 {
      facts.append(("log", "the latest \(log.lines.count) lines; \(log.droppedLines) before them were not kept"))
    }
    if let first = verdict.firstDivergence {
      facts.append(("first divergence", "link \(first.link), session \(first.session + 1): \(first.words)"))
    }
    let firings = verdict.firings.map { "\($0)" } + (verdict.furtherFirings > 0 ? ["and \(verdict.furtherFirings) more times"] : [])
    return [
      ("name", text(run.name)), ("passed", .bool(run.passed)), ("facts", pairs(facts)),
      ("failures", texts(Array(run.allFailures.prefix(limit)))), ("notes", texts(Array(run.allNotes.prefix(limit)))),
      ("misuse", texts(Array(verdict.misuse.prefix(limit)))), ("fired", texts(firings)),
      ("notReached", texts(verdict.faultsNotReached.map(\.description))),
      ("coverage", .array(verdict.coverage.map { coverage($0, of: verdict.coverage.count, run.scenarios[safely: $0.peripheral]) })),
      ("timing", .array(verdict.timing.words.map { .array([.string($0.words), .integer($0.count)]) })),
    ]
  }

  private static func coverage(_ coverage: Coverage, of count: Int, _ scenario: Scenario?) -> JSONValue {
    let labels = scenario.map { AttributeLabels($0) }
    let name = count > 1 ? "peripheral \(coverage.peripheral + 1)" : "all"
    var rows: [(String, Int, Int)] = [
      ("\(name): entries", coverage.exercised, coverage.entries), ("\(name): sessions", coverage.playedSessions, coverage.sessions),
    ]
    rows += coverage.attributes.map { (labels?.label(AttributeHandle($0.handle)) ?? $0.name, $0.exercised, $0.entries) }
    return .array(rows.map { .array([text($0.0), .integer($0.1), .integer($0.2)]) })
  }

  private static func sweep(_ sweep: SweepResult) -> JSONValue {
    .object([
      ("name", text(sweep.name)), ("seed", .string("\(sweep.seed)")), ("count", .integer(sweep.count)), ("passed", .bool(sweep.passed)),
      (
        "outcomes",
        .array(SweepResult.Outcome.allCases.map { .array([.string($0.title), .string($0.words), .integer(sweep.count(of: $0))]) })
      ),
      (
        "points",
        .array(
          sweep.points.map { point in
            let outcome = SweepResult.Outcome.allCases.firstIndex(of: point.outcome) ?? 0
            let lines = (point.verdict ?? "").split(separator: "\n").map { JSON5Writer.printable(String($0)) }
            return .array([
              .integer(point.number &+ 1), .integer(outcome), text(point.point.fault.description), text(point.point.name),
              texts(point.failures),
              .string(lines.joined(separator: "\n")), .decimal(point.seconds), .numbers(point.point.fault.place),
            ])
          })
      ),
    ])
  }
}

extension Fault {
  /// The numbers, from 0, of the peripheral, the session and the entry that it waits for; empty where it waits for something else.
  fileprivate var place: [Int] {
    switch trigger {
    case .before(.entry(let session, let entry)), .after(.entry(let session, let entry)): [peripheral ?? 0, session, entry]
    default: []
    }
  }
}
