import Foundation
import HeartApp
import ReplayEngine
import ReplayReports
import ReplayScenarios

/// Prints how long a sweep of a disconnection at every entry takes, with the example app, in this process alone, on the heart-rate strap's
/// scenario with more heart rates; and whether four shards, joined, give the same reports but for times.
/// Arguments: the scenario, and how many heart rates are added.
@main
struct SweepBenchmark {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let scenario = try Scenario.read(file: arguments.first ?? "scenarios/heart-strap.json5")
    let long = lengthened(scenario, by: arguments.dropFirst().first.flatMap { Int($0) } ?? 480)
    let start = ContinuousClock.now
    let result = try sweep(long, .whole)
    let time = start.duration(to: .now)
    let entries = long.sessions.reduce(0) { $0 + $1.entries.count }
    let outcomes = SweepResult.Outcome.allCases.map { "\(result.count(of: $0)) \($0.rawValue)" }
    print("sweep: \(result.points.count) points of \(entries) entries in \(time): \(outcomes.joined(separator: ", "))")

    let shards = try (1...4).compactMap { Shard($0, of: 4) }.map { try sweep(long, $0) }
    let (one, joined) = (timeless(result), timeless(try SweepResult(merging: shards)))
    let isSame = one.json == joined.json && report(one).junit == report(joined).junit
    print("sweep: in four shards: \(isSame ? "the same JSON and JUnit XML but for times" : "OTHER REPORTS")")
    if !isSame { exit(1) }
  }

  private static func sweep(_ scenario: Scenario, _ shard: Shard) throws -> SweepResult {
    try Sweep([.disconnect(.connectionTimeout)], of: [scenario], seed: 7, shard: shard).run(
      makeAir: { VirtualAir(scenarios: [scenario], seed: 7) }
    ) { air in
      let app = HeartCentral()
      try air.run(until: app.isIdle || app.isReconnected)
    }
  }

  private static func report(_ result: SweepResult) -> Report { Report(title: "sweep", sweeps: [result]) }

  private static func timeless(_ result: SweepResult) -> SweepResult {
    var result = result
    for index in result.points.indices { result.points[index].seconds = 0 }
    return result
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
