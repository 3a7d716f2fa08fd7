import Foundation
import ReplayEngine
import ReplayScenarios

/// What a test's search for the smallest scenario ends with.
enum MinimizedScenario {
  static let nothing = "the app stands the scenario, so there is nothing to minimise"

  /// Writes the smallest scenario, and prints the line that replays it.
  static func write(_ outcome: ScenarioMinimizer.Outcome, seed: UInt64, to path: String) throws {
    try outcome.scenario.write(to: path)
    print("after \(outcome.trials) trials; replay it: try VirtualAir(.file(\(String(reflecting: path))), seed: \(seed))")
    if outcome.isEmpty { print(ScenarioMinimizer.Outcome.emptyHint) }
  }
}
