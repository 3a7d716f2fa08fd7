public import ReplayEngine
public import ReplayScenarios

/// What came of runs and sweeps, to be told to people, to continuous integration and to programs.
public struct Report: Sendable {
  /// One run.
  public struct Run: Sendable {
    /// What was run: the scenario's name or file.
    public var name: String
    /// What is to be said of it; `nil` where it did not come to one.
    public var verdict: Verdict?
    /// Why it failed besides the verdict, one sentence each.
    public var failures: [String]
    /// What was noted besides.
    public var notes: [String]
    /// How long it took, in real seconds; `nil` where that is not to be told.
    public var seconds: Double?
    /// What the peripherals of the run were made of, and all that happened, for the drawing.
    public var scenarios: [Scenario]
    public var log: AirLog?

    /// Joins all.
    public init(
      name: String, verdict: Verdict? = nil, failures: [String] = [], notes: [String] = [], seconds: Double? = nil,
      scenarios: [Scenario] = [], log: AirLog? = nil
    ) {
      (self.name, self.verdict, self.failures, self.notes, self.seconds) = (name, verdict, failures, notes, seconds)
      (self.scenarios, self.log) = (scenarios, log)
    }

    /// Whether nothing failed.
    public var passed: Bool { failures.isEmpty && verdict?.passed ?? true }
    /// All that failed, one sentence each.
    public var allFailures: [String] { failures + (verdict?.failures ?? []) }
    /// All that was noted, one sentence each.
    public var allNotes: [String] { notes + (verdict?.notes ?? []) }
  }

  /// What the report is about, in a few words.
  public var title: String
  public var runs: [Run]
  public var sweeps: [SweepResult]
  /// What was swept, in the order of the air's peripherals, so that the points of a sweep can be shown in a drawing.
  public var sweptScenarios: [Scenario]
  /// Captures that are shown without a run.
  package var recordings: [Recording] = []

  /// Joins all.
  public init(title: String, runs: [Run] = [], sweeps: [SweepResult] = [], sweptScenarios: [Scenario] = []) {
    (self.title, self.runs, self.sweeps, self.sweptScenarios) = (title, runs, sweeps, sweptScenarios)
  }

  /// Whether no run and no sweep failed.
  public var passed: Bool { runs.allSatisfy(\.passed) && sweeps.allSatisfy(\.passed) }
}

extension Report {
  /// The forms of a report.
  public enum Form: String, Sendable, CaseIterable {
    case json
    /// What continuous integration reads of tests.
    case junit = "xml"
    case markdown = "md"
    case html

    /// The form that the ending of a file's name asks for; `nil` for any other.
    public init?(path: String) {
      guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
      self.init(rawValue: path[dot...].dropFirst().lowercased())
    }

    /// The endings, for messages.
    public static let endings = allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
  }

  /// The report in a form, as UTF-8.
  public func document(_ form: Form) -> [UInt8] {
    switch form {
    case .json: Array(json.utf8)
    case .junit: Array(junit.utf8)
    case .markdown: Array(markdown.utf8)
    case .html: html
    }
  }
}
