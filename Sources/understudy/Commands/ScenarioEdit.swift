import ReplayScenarios

/// Reads a scenario, changes it and writes it.
struct ScenarioEdit {
  private let console: Console

  init(_ console: Console) { self.console = console }

  func write(_ path: String, to output: String, _ change: (Scenario) -> Scenario) -> ExitCode {
    do {
      let scenario = change(try Scenario.read(file: path))
      try scenario.write(to: output)
      let entries = scenario.sessions.reduce(0) { $0 + $1.entries.count }
      console.print("\(printable(output)): \(counted(scenario.sessions.count, "session")), \(entries) entries\n")
      if entries == 0 { console.report("\(printable(output)): nothing is left; choose less strictly") }
      return entries == 0 ? .failed : .success
    } catch {
      console.report("\(error)")
      return error.code == .cannotWrite ? .environment : .input
    }
  }
}
