import Foundation
import HeartApp
import ReplayEngine
import ReplayScenarios

/// Prints how long a sweep of a disconnection at every entry takes, with the example app, in this process alone, on the heart-rate strap's
/// scenario with more heart rates. Arguments: the scenario, and how many heart rates are added.
@main
struct SweepBenchmark {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let scenario = try Scenario.read(file: arguments.first ?? "scenarios/heart-strap.json5")
    let long = lengthened(scenario, by: arguments.dropFirst().first.flatMap { Int($0) } ?? 480)
    let sweep = Sweep([.disconnect(.connectionTimeout)], of: [long], seed: 7)
    var result = sweep.emptyResult
    let time = try ContinuousClock().measure {
      result = try sweep.run(makeAir: { VirtualAir(scenarios: [long], seed: 7) }) { air in
        let app = HeartCentral()
        try air.run(until: app.isIdle || app.isReconnected)
      }
    }
    let entries = long.sessions.reduce(0) { $0 + $1.entries.count }
    let outcomes = SweepResult.Outcome.allCases.map { "\(result.count(of: $0)) \($0.rawValue)" }
    print("sweep: \(result.points.count) points of \(entries) entries in \(time): \(outcomes.joined(separator: ", "))")
  }

  /// More heart rates right before the last one of the first session.
  private static func lengthened(_ scenario: Scenario, by count: Int) -> Scenario {
    var long = scenario
    let beat = Duration.milliseconds(240)
    guard var entries = long.sessions.first?.entries,
      let last = entries.lastIndex(where: { if case .notify(AttributeHandle(0x0C), _) = $0.action { true } else { false } })
    else { return scenario }
    let model = entries[last]
    for place in last..<entries.count { entries[place].at += beat * count }
    entries.insert(
      contentsOf: (0..<count).map { number in
        var entry = model
        (entry.id, entry.at) = (nil, model.at + beat * number)
        return entry
      }, at: last)
    long.sessions[0].entries = entries
    return long
  }
}
