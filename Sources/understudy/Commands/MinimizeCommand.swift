import ReplayEngine
import ReplayScenarios

extension Command {
  /// `understudy minimize`
  static let minimize = Command(
    name: "minimize", abstract: "Cut a scenario whose replay fails down to the smallest that still does.", operands: "SCENARIO",
    operandCount: 1...1,
    discussion: """
      Drives the scenario with its recorded central, and leaves out sessions, faults and entries as long as the verdict fails in the
      same way, numbers aside. The faults that are needed stand in what is written, so that one line replays it. A failing app is minimised
      in its tests (docs/sweeps.md).
      """,
    options: [
      Option("--output", short: "-o", value: "FILE", help: "Where the smallest scenario goes; needed."), ReplayArguments.fault,
      ReplayArguments.seedOption, ReplayArguments.failOn,
    ]
  ) { arguments, console in
    do throws(UsageError) { return try Minimizing(arguments).run(console) } catch {
      console.report(error.description)
      return .usage
    }
  }
}

private struct Minimizing {
  private let path: String
  private let output: String
  private let plan: ReplayArguments
  private let failOn: String?

  init(_ arguments: Arguments) throws(UsageError) {
    guard let output = arguments.value("--output"), !output.isEmpty else {
      throw UsageError(description: "minimize needs to know where to write; give -o FILE.json5")
    }
    (path, self.output) = (arguments.operands[0], output)
    plan = try ReplayArguments(arguments)
    let list = arguments.all("--fail-on").joined(separator: ",")
    failOn = list.isEmpty ? nil : list
  }

  func run(_ console: Console) -> ExitCode {
    let scenario: Scenario
    do { scenario = try Scenario.read(file: path) } catch {
      console.report("\(error)")
      return .input
    }
    let first = verdict(of: scenario, faults: plan.faults)
    guard let kind = first.failureKinds.first else {
      console.report(
        "\(printable(path)): its replay passes, so there is nothing to minimise; give --fault or --fail-on with which it fails")
      return .input
    }
    let outcome: ScenarioMinimizer.Outcome?
    do {
      var minimizer = try ScenarioMinimizer(scenario, faults: plan.faults)
      var pace = ProgressPace(from: .now)
      minimizer.whenTried = { entries, trials in
        guard pace.isDue(at: .now) else { return }
        console.showProgress("\(counted(trials, "trial")), \(counted(entries, "entry", plural: "entries")) left")
      }
      defer { console.clearProgress() }
      outcome = minimizer.run { candidate in verdict(of: candidate, faults: []).failureKinds.contains(kind) }
    } catch {
      console.report("\(printable(path)): \(error)")
      return .input
    }
    guard let outcome else {
      console.report("\(printable(path)): it does not fail in the same way twice; give the seed with which it does, as --seed 7")
      return .failed
    }
    let code = ScenarioEdit(console).write(outcome.scenario, to: output)
    guard code == .success else { return code }
    for fault in outcome.scenario.faults { console.print("  fault: \(fault)\n") }
    console.print("  after \(counted(outcome.trials, "trial")); it fails with: \(printable(first.failures[0]))\n")
    if outcome.isEmpty { console.print("  \(ScenarioMinimizer.Outcome.emptyHint)\n") }
    if outcome.isCutShort { console.print("  the trials ended before nothing could be left out any more; minimise the result again\n") }
    console.print(
      "  replay it: understudy check \(quoted(output)) --replay --seed \(plan.seed)\(failOn.map { " --fail-on \($0)" } ?? "")\n")
    return .success
  }

  private func verdict(of scenario: Scenario, faults: [Fault]) -> Verdict {
    ScenarioReplay(scenario, faults: faults, seed: plan.seed, failOn: plan.strictness).verdict
  }

  /// A file's name as a shell reads it.
  private func quoted(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return character.isLetter && byte < 0x80 || character.isNumber && byte < 0x80 || "/._-+".utf8.contains(byte)
    }
    return isPlain ? name : "'" + name.replacing("'", with: "'\\''") + "'"
  }
}
