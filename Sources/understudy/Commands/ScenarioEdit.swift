import CaptureFiles
import ReplayScenarios

/// Reads a scenario, changes it and writes it.
struct ScenarioEdit {
  private let console: Console

  init(_ console: Console) { self.console = console }

  /// Writes what `change` makes of the scenario at `path`.
  func write(_ path: String, to output: String, _ change: (Scenario) -> Scenario) -> ExitCode {
    do { return write(change(try Scenario.read(file: path)), to: output) } catch {
      console.report("\(error)")
      return .input
    }
  }

  /// Writes a scenario and tells what it holds; one without entries is of no use.
  func write(_ scenario: Scenario, to output: String) -> ExitCode {
    do { try scenario.write(to: output) } catch {
      console.report("\(error)")
      return .environment
    }
    let entries = scenario.sessions.reduce(0) { $0 + $1.entries.count }
    console.print("\(printable(output)): \(counted(scenario.sessions.count, "session")), \(entries) entries\n")
    if entries == 0 { console.report("\(printable(output)): nothing is left; choose less strictly") }
    return entries == 0 ? .failed : .success
  }
}
