import CaptureFiles
import ReplayScenarios

/// Reads a scenario, changes it and writes it.
struct ScenarioEdit {
  private let console: Console

  init(_ console: Console) { self.console = console }

  /// Writes what `change` makes of the scenario at `path`.
  func write(_ path: String, to output: String, _ change: (Scenario) -> Scenario) -> ExitCode {
    do {
      let scenario = try Scenario.read(file: path)
      return write(change(scenario), to: output, hadEntries: Self.count(scenario) > 0)
    } catch {
      console.report("\(error)")
      return .input
    }
  }

  private static func count(_ scenario: Scenario) -> Int { scenario.sessions.reduce(0) { $0 + $1.entries.count } }

  /// Writes a scenario and tells what it holds; one that lost all its entries is of no use.
  func write(_ scenario: Scenario, to output: String, hadEntries: Bool = false) -> ExitCode {
    guard CaptureOutputFormat(ending: output) == nil else {
      console.report("\(printable(output)): the ending asks for a capture, and no capture can be made of a scenario; give -o FILE.json5")
      return .usage
    }
    do { try scenario.write(to: output) } catch {
      console.report("\(error)")
      return .environment
    }
    let entries = Self.count(scenario)
    console.print("\(printable(output)): \(counted(scenario.sessions.count, "session")), \(entries) entries\n")
    guard entries == 0, hadEntries else { return .success }
    console.report("\(printable(output)): nothing is left; choose less strictly")
    return .failed
  }
}
