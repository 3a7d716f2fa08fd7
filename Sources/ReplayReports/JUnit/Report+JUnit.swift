import ReplayEngine

extension Report {
  /// The report as JUnit XML: a suite for each run and for each sweep, whose points are its test cases.
  public var junit: String {
    JUnitDocument(name: title, suites: runs.map(\.suite) + sweeps.map(\.suite)).text
  }
}

extension Report.Run {
  fileprivate var suite: JUnitDocument.Suite {
    let failures = allFailures
    let outcome: JUnitDocument.Case.Outcome =
      failures.isEmpty
      ? .passed
      : .failed(type: "verdict", message: JUnitDocument.message(failures), text: failures.joined(separator: "\n"))
    var test = JUnitDocument.Case(name: name, group: "understudy", seconds: seconds ?? 0, outcome: outcome)
    test.output = (verdict.map { [$0.description] } ?? []).joined() + notes.map { "\nnote: \($0)" }.joined()
    return JUnitDocument.Suite(name: name, properties: verdict.map { [("seed", "\($0.seed)")] } ?? [], cases: [test])
  }
}

extension SweepResult {
  fileprivate var suite: JUnitDocument.Suite {
    JUnitDocument.Suite(
      name: name, properties: [("seed", "\(seed)"), ("points", "\(count)")],
      cases: points.map { point in
        JUnitDocument.Case(
          name: "\(point.number &+ 1): \(point.point)", group: name, seconds: point.seconds, outcome: point.junitOutcome,
          output: point.verdict ?? "")
      })
  }
}

extension SweepResult.Point {
  fileprivate var junitOutcome: JUnitDocument.Case.Outcome {
    let (message, text) = (JUnitDocument.message(failures), failures.joined(separator: "\n"))
    return switch outcome {
    case .passed: .passed
    case .failed: .failed(type: "verdict", message: message, text: text)
    case .trapped: .broken(type: "trap", message: failures.isEmpty ? outcome.words : message, text: text)
    case .notReached, .skipped: .skipped(message: outcome.words)
    }
  }
}

extension JUnitDocument {
  /// What readers show in a list: the first of several.
  fileprivate static func message(_ failures: [String]) -> String {
    guard let first = failures.first else { return "it failed" }
    return failures.count == 1 ? first : "\(first) (and \(failures.count - 1) more)"
  }
}

extension SweepResult.Outcome {
  /// What it means, in a few words.
  var words: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .trapped: "the process ended in the middle of the run"
    case .notReached: "the run never came to the point"
    case .skipped: "not run, for an earlier point failed"
    }
  }
}
