import ReplayEngine

extension Report {
  /// How many of a kind are told in full.
  static let markdownLimit = 20
  /// GitHub takes comments of up to 65,536 characters.
  private static let lengthLimit = 60_000

  /// The report in Markdown for a comment on a pull request or a job's summary: a table, then what failed, and the rest folded.
  public var markdown: String {
    var text = "## \(passed ? "✅" : "❌") \(MarkdownText.code(title, limit: 200))\n\n"
    // Stable: among equals the order is the report's own.
    let runs = self.runs.filter { !$0.passed } + self.runs.filter(\.passed)
    let sweeps = self.sweeps.filter { !$0.passed } + self.sweeps.filter(\.passed)
    text += Self.table(runs)
    Self.add(sweeps, "sweeps", to: &text) { $0.markdown }
    Self.add(runs, "runs", to: &text) { $0.markdown }
    while text.hasSuffix("\n\n") { text.removeLast() }
    return text
  }

  /// Adds a part for each, as long as there is room.
  private static func add<Part>(_ parts: [Part], _ noun: String, to text: inout String, _ section: (Part) -> String) {
    for (index, part) in parts.enumerated() {
      let section = section(part)
      guard text.utf8.count + section.utf8.count <= lengthLimit else {
        text += "There is no room for \(parts.count - index) more \(noun).\n\n"
        return
      }
      text += section
    }
  }

  private static func table(_ runs: [Run]) -> String {
    guard !runs.isEmpty else { return "" }
    var text = "| run | result | requests made | entries exercised | faults fired |\n|---|---|--:|--:|--:|\n"
    for run in runs.prefix(5 * markdownLimit) {
      text += "| \(MarkdownText.code(run.name, limit: 100, inTable: true)) | \(run.passed ? "passed" : "**failed**") | "
      if let verdict = run.verdict {
        let (consumed, counted) = verdict.requests
        let entries = verdict.coverage.reduce(into: (0, 0)) { $0 = ($0.0 + $1.exercised, $0.1 + $1.entries) }
        text += "\(consumed) of \(counted) | \(entries.0) of \(entries.1) | \(verdict.firings.count + verdict.furtherFirings) |\n"
      } else {
        text += "– | – | – |\n"
      }
    }
    if runs.count > 5 * markdownLimit { text += "| and \(runs.count - 5 * markdownLimit) more | | | | |\n" }
    return text + "\n"
  }
}

extension Verdict {
  /// How many recorded requests were made, of how many.
  var requests: (consumed: Int, counted: Int) {
    let kept = sessions.reduce(into: (0, 0)) { $0 = ($0.0 + $1.consumed, $0.1 + $1.counted) }
    return furtherSessions.reduce(into: kept) { $0 = ($0.0 + $1.consumed, $0.1 + $1.counted) }
  }
}

extension Report.Run {
  fileprivate var markdown: String {
    let limit = Report.markdownLimit
    var text = ""
    if !passed {
      text += "### \(MarkdownText.code(name, limit: 100))\n\n"
      text += MarkdownText.list(allFailures, limit: limit).joined(separator: "\n") + "\n\n"
    }
    let differences = self.differences
    if !passed, !differences.isEmpty { text += differences.joined(separator: "\n") + "\n\n" }
    let label = MarkdownText.summary(name) + ": "
    if passed { text += MarkdownText.folded("\(label)requests that differ", differences) }
    text += MarkdownText.folded("\(label)notes (\(allNotes.count))", MarkdownText.list(allNotes, limit: limit))
    if let verdict {
      text += MarkdownText.folded(
        "\(label)faults (\(verdict.faultsFired.count) fired, \(verdict.faultsNotReached.count) not reached)",
        MarkdownText.list(
          verdict.firings.map { "fired: \($0)" } + verdict.faultsNotReached.map { "not reached: \($0)" }, limit: limit))
      text += MarkdownText.folded(
        "\(label)the verdict in full",
        verdict.description.split(separator: "\n").prefix(3 * limit).map { "- \(MarkdownText.code(String($0.drop { $0 == " " })))" })
    }
    return text
  }

  /// Requests that matched nothing or had another value, with the bytes side by side; empty where there are none.
  private var differences: [String] {
    var rows: [String] = []
    var further = 0
    func add(_ time: AirInstant, _ what: String, entry: Int?, _ recorded: [UInt8], _ got: [UInt8]) {
      guard rows.count < Report.markdownLimit else { return further += 1 }
      let bytes = MarkdownText.pair(recorded, got)
      rows.append(
        "| \(time) | \(MarkdownText.code(what, limit: 200, inTable: true)) | \(entry.map { "\($0 + 1)" } ?? "–") | \(bytes.recorded) | \(bytes.got) |"
      )
    }
    for session in verdict?.sessions ?? [] {
      for miss in session.nearMisses {
        let what = miss.expected.map { "\(miss.request), nearest: \($0)" } ?? miss.request
        add(miss.time, what, entry: miss.expectedEntry, miss.expectedBytes, miss.got)
      }
      for other in session.substitutions { add(other.time, other.attribute, entry: other.entry, other.expected, other.got) }
      further += session.furtherNearMisses + session.furtherSubstitutions
    }
    guard !rows.isEmpty else { return [] }
    let head = ["| at, s | request | entry | recorded | got |", "|--:|---|--:|---|---|"]
    return head + rows + (further > 0 ? ["", "And \(further) more."] : [])
  }
}

extension SweepResult {
  fileprivate var markdown: String {
    let limit = Report.markdownLimit
    var text = "### \(passed ? "✅" : "❌") sweep of \(MarkdownText.code(name, limit: 200)), seed \(seed)\n\n"
    text += "| " + Outcome.allCases.map(\.title).joined(separator: " | ") + " | points |\n"
    text += "|" + String(repeating: "--:|", count: Outcome.allCases.count + 1) + "\n"
    text += "| " + Outcome.allCases.map { "\(count(of: $0))" }.joined(separator: " | ") + " | \(points.count) of \(count) |\n\n"
    let broken = points.filter { $0.outcome == .failed || $0.outcome == .trapped }
    for point in broken.prefix(limit) {
      text += "- **\(point.outcome.title)** at point \(point.number &+ 1), \(MarkdownText.code("\(point.point)", limit: 200))\n"
      for line in MarkdownText.list(point.failures, limit: 5) { text += "  \(line)\n" }
    }
    if broken.count > limit { text += "- and \(broken.count - limit) more points\n" }
    if !broken.isEmpty { text += "\n" }
    let others = points.filter { $0.outcome == .notReached || $0.outcome == .skipped }
    text += MarkdownText.folded(
      "points that were not reached or not run (\(others.count))",
      MarkdownText.list(others.map { "\($0.number &+ 1): \($0.point): \($0.outcome.words)" }, limit: 5 * limit))
    return text
  }
}

extension SweepResult.Outcome {
  /// Its name in tables.
  var title: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .trapped: "trapped"
    case .notReached: "not reached"
    case .skipped: "skipped"
    }
  }
}
