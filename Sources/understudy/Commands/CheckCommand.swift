import ReplayEngine
import ReplayReports
import ReplayScenarios
import ScenarioExtraction

extension Command {
  /// `understudy check`
  static let check = Command(
    name: "check", abstract: "Tell whether scenarios are valid, and whether they play.", operands: "SCENARIO…", operandCount: 1...Int.max,
    discussion: """
      Reads each scenario and names every problem with its place. With --replay it is driven by its own recorded central on a
      virtual clock; with --against the replay is held against the capture, PDU for PDU and byte for byte.

      A fault is ACTION@TRIGGER[*COUNT][~PROBABILITY], as in disconnect:0x08@after:notification:2A37#3 or drop@pdu:12*all~0.25.
      ACTION is one of disconnect[:REASON], localDisconnect, vanish, silence, refuseConnection[:STATUS], delayConnection:T,
      failEstablishment, delay:T, drop, duplicate, reorder, corrupt[:OFFSET^MASK], error:CODE, delayMTU:T, duplicateMTU, limitMTU:N,
      moveHandles:FIRST+OFFSET[:serviceChanged], forgetBond and failEncryption[:STATUS]. TRIGGER is before:MOMENT, after:MOMENT,
      pdu:N, phase:NAME[#N] or time:T; MOMENT is entry:SESSION.ENTRY or USE:ATTRIBUTE[#N]. docs/faults.md describes them all.
      """,
    options: [
      Option("--replay", help: "Drive the scenario with its recorded central."),
      Option("--against", value: "CAPTURE", help: "Hold the replay against this capture; needs --replay."),
      Option("--fault", value: "SPEC", repeats: true, help: "Inject a fault; needs --replay."),
      ReplayArguments.seedOption, ReplayArguments.failOn,
      ReportFiles.option(forms: Report.Form.allCases, note: "needs --replay"),
      Option("--log", help: "Print the event log of the replay."),
      Option("--json", help: "Print one JSON document: an array with an object for each scenario."),
    ]
  ) { arguments, console in ScenarioCheck(arguments, console).run() }
}

/// Checks scenarios one after the other.
struct ScenarioCheck {
  let arguments: Arguments
  let console: Console

  init(_ arguments: Arguments, _ console: Console) { (self.arguments, self.console) = (arguments, console) }

  /// What was found of one scenario.
  private struct Outcome {
    var file: String
    var code = ExitCode.success
    var lines: [String] = []
    var members: [(String, JSONValue)] = []
    /// What reports tell of it.
    var run: Report.Run

    init(file: String) {
      self.file = file
      run = Report.Run(name: file)
    }
  }

  func run() -> ExitCode {
    let (plan, reports): (ReplayArguments, ReportFiles)
    do throws(UsageError) { (plan, reports) = (try makePlan(), try ReportFiles(arguments, forms: Report.Form.allCases)) } catch {
      console.report(error.description)
      return .usage
    }
    var code = ExitCode.success
    var documents: [JSONValue] = []
    var report = Report(title: "understudy check")
    for file in arguments.operands where !console.isClosed {
      let outcome = check(file, plan)
      if !reports.isEmpty { report.runs.append(outcome.run) }
      if outcome.code.rawValue > code.rawValue { code = outcome.code }
      if arguments.has("--json") {
        documents.append(.object([("file", .string(file)), ("ok", .bool(outcome.code == .success))] + outcome.members))
      } else {
        for line in outcome.lines { console.print("\(line)\n") }
      }
    }
    if arguments.has("--json") { console.print(JSONValue.array(documents).text + "\n") }
    return reports.write(report, console) ?? code
  }

  private func makePlan() throws(UsageError) -> ReplayArguments {
    if !arguments.has("--replay"),
      let option = ["--against", "--fault", "--seed", "--fail-on", "--report", "--log"].first(where: { arguments.has($0) })
    {
      throw UsageError(description: "\(option) is about a replay; give --replay as well")
    }
    if arguments.has("--against"), arguments.has("--fault") {
      throw UsageError(description: "--against and --fault exclude each other: a capture has no injected fault; give one of them")
    }
    if arguments.has("--against"), arguments.operands.count > 1 {
      throw UsageError(description: "--against holds one scenario against its capture; give one scenario")
    }
    return try ReplayArguments(arguments)
  }

  private func check(_ file: String, _ plan: ReplayArguments) -> Outcome {
    var outcome = Outcome(file: file)
    let document: ScenarioDocument
    do {
      document = try ScenarioDocument.read(file: file)
    } catch {
      console.report("\(error)")
      outcome.code = error.code == .cannotRead ? .input : .failed
      outcome.members = [("error", .string("\(error)"))]
      outcome.run.failures = ["\(error)"]
      return outcome
    }
    let scenario = document.scenario
    let problems = document.problems() + Self.faultProblems(document)
    let isBroken = problems.contains { $0.severity == .error }
    if isBroken { outcome.code = .failed }
    for problem in problems {
      let line = "\(problem.line.map { "line \($0): " } ?? "")\(problem.place): \(problem.message)"
      if problem.severity == .error { outcome.run.failures.append(line) } else { outcome.run.notes.append(line) }
    }
    let entries = scenario.sessions.reduce(0) { $0 + $1.entries.count }
    let playable: String
    switch scenario.playable {
    case .any: playable = "playable to any central"
    case .recordedCentralOnly(let reasons): playable = "playable to its recorded central only (\(reasons.joined(separator: "; ")))"
    }
    outcome.lines.append(
      "\(file): \(isBroken ? "invalid" : "valid"), \(scenario.sessions.count) session\(scenario.sessions.count == 1 ? "" : "s"), \(entries) entries, \(playable)"
    )
    outcome.lines += problems.map { "\(file)\($0.line.map { ":\($0)" } ?? ""): \($0.severity): \($0.place): \($0.message)" }
    outcome.members = [
      ("sessions", .integer(scenario.sessions.count)), ("entries", .integer(entries)), ("playable", .string(playable)),
      (
        "problems",
        .array(
          problems.map {
            .object([
              ("code", .string($0.code.rawValue)), ("severity", .string("\($0.severity)")), ("line", .optional($0.line)),
              ("place", .string("\($0.place)")),
              ("message", .string($0.message)),
            ])
          })
      ),
    ]
    if arguments.has("--replay"), !isBroken { replay(scenario, plan, &outcome) }
    return outcome
  }

  /// Faults of the scenario that cannot be read.
  private static func faultProblems(_ document: ScenarioDocument) -> [ScenarioProblem] {
    document.scenario.faults.enumerated().compactMap { index, text in
      do {
        _ = try Fault(text)
        return nil
      } catch {
        return ScenarioProblem(.invalidText, .error, at: .fault(index), line: document.line(of: .fault(index)), "\(error)")
      }
    }
  }

  private func replay(_ original: Scenario, _ plan: ReplayArguments, _ outcome: inout Outcome) {
    var scenario = original
    // A capture has no injected fault.
    if arguments.has("--against") { scenario.faults = [] }
    let begin = ContinuousClock.now
    let replay = ScenarioReplay(scenario, faults: plan.faults, seed: plan.seed, failOn: plan.strictness)
    outcome.run.seconds = begin.duration(to: .now).inSeconds
    (outcome.run.verdict, outcome.run.scenarios, outcome.run.log) = (replay.verdict, [scenario], replay.log)
    // What follows an injected fault differs from the recording by nature.
    let differences = replay.verdict.faultsFired.isEmpty ? replay.differences : []
    // What a rule tells takes the place of what was recorded.
    let byRule = replay.verdict.faultsFired.isEmpty ? replay.differencesByRule : []
    if !differences.isEmpty || !replay.verdict.passed { outcome.code = .failed }
    outcome.run.failures += differences.map { "difference: \($0)" }
    outcome.run.notes += byRule.map { "by rule: \($0)" }
    outcome.lines += differences.prefix(20).map { "  difference: \($0)" } + byRule.prefix(20).map { "  by rule: \($0)" }
    outcome.lines += replay.verdict.description.split(separator: "\n").map { "  \($0)" }
    outcome.members += [
      ("differences", .array(differences.map { .string($0) })), ("differencesByRule", .array(byRule.map { .string($0) })),
      ("verdict", replay.verdict.jsonValue),
    ]
    if arguments.has("--log") {
      outcome.lines.append(replay.log.text)
      outcome.members.append(("log", .string(replay.log.text)))
    }
    guard let capture = arguments.value("--against") else { return }
    guard !scenario.sessions.isEmpty else {
      let line = "against \(capture): nothing was compared, for the scenario has no session; extract one from the capture"
      outcome.code = .failed
      outcome.lines.append("  \(line)")
      outcome.run.failures.append(line)
      return
    }
    do {
      let comparison = CaptureComparison(replay.trafficBySession, of: scenario, with: try CaptureRecording(path: capture))
      if !comparison.differences.isEmpty { outcome.code = .failed }
      outcome.lines += comparison.differences.map { "  against \(capture): \($0)" }
      outcome.run.failures += comparison.differences.map { "against \(capture): \($0)" }
      if comparison.differences.isEmpty {
        outcome.lines.append("  against \(capture): all \(comparison.pdus) ATT PDUs are equal, in order")
      }
      outcome.members += [
        ("comparedPDUs", .integer(comparison.pdus)), ("captureDifferences", .array(comparison.differences.map { .string($0) })),
      ]
    } catch {
      console.report("\(error)")
      outcome.code = .input
      outcome.run.failures.append("\(error)")
    }
  }
}
