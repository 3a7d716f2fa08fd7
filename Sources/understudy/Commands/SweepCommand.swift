import Foundation
import ReplayEngine
import ReplayReports
import ReplayScenarios

extension Command {
  /// `understudy sweep`
  static let sweep = Command(
    name: "sweep", abstract: "Replay a scenario once for each place where something may go wrong.", operands: "SCENARIO",
    operandCount: 1...1,
    discussion: """
      Drives the scenario with its recorded central once for each fault point: every entry that is no traffic of the stack, with each
      action that --fault names (docs/faults.md has them all). Points that fail are listed; a point that a run never came to is not
      reached. Sweeps of an app run in its tests (docs/sweeps.md).

      With --shard, or the variables of a CI system, every N-th point is run; report joins the JSON reports of all shards.
      """,
    options: [
      Option("--fault", value: "ACTION", repeats: true, help: "What goes wrong at each point, as disconnect:0x08; needed."),
      Option("--at", value: "PLACE", help: "every-entry (behind each, unless given) or before-every-entry."),
      Option("--shard", value: "I/N", help: "Run part I, from 1, of N."),
      Option("--stop", help: "End at the first point that fails."),
      ReplayArguments.seedOption, ReplayArguments.failOn, ReportFiles.option(forms: Report.Form.allCases),
      Option("--json", help: "Print the result as one JSON document."),
    ]
  ) { arguments, console in
    do throws(UsageError) { return try ScenarioSweep(arguments).run(console) } catch {
      console.report(error.description)
      return .usage
    }
  }
}

/// A sweep with the recorded central.
private struct ScenarioSweep {
  private let path: String
  private let actions: [Fault.Action]
  private let selection: FaultPoint.Selection
  private let shard: Shard
  private let stops: Bool
  private let plan: ReplayArguments
  private let reports: ReportFiles
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    path = arguments.operands[0]
    var actions: [Fault.Action] = []
    for text in arguments.all("--fault") {
      guard !text.contains("@") else {
        throw UsageError(description: "--fault \(printable(text)): here it is an action alone, as disconnect:0x08; --at tells the places")
      }
      do { actions.append(try Fault("\(text)@pdu:1").action) } catch {
        throw UsageError(description: "--fault \(printable(text)): \(error)")
      }
    }
    guard !actions.isEmpty else {
      throw UsageError(description: "sweep needs to know what goes wrong; give --fault, as --fault disconnect:0x08")
    }
    self.actions = actions
    switch arguments.value("--at") {
    case nil, "every-entry"?: selection = .everyEntry
    case "before-every-entry"?: selection = .beforeEveryEntry
    case let other?: throw UsageError(description: "--at \(printable(other)): there are every-entry and before-every-entry")
    }
    do throws(ShardError) {
      if let text = arguments.value("--shard") {
        shard = try Shard(text)
      } else {
        shard = try Shard(environment: ProcessInfo.processInfo.environment)
      }
    } catch { throw UsageError(description: arguments.has("--shard") ? "--shard: \(error)" : error.description) }
    stops = arguments.has("--stop")
    printsJSON = arguments.has("--json")
    var others = arguments
    others.remove("--fault")
    plan = try ReplayArguments(others)
    reports = try ReportFiles(arguments, forms: Report.Form.allCases)
  }

  func run(_ console: Console) -> ExitCode {
    let scenario: Scenario
    do { scenario = try Scenario.read(file: path) } catch {
      console.report("\(error)")
      return .input
    }
    var sweep = Sweep(actions, at: selection, of: [scenario], seed: plan.seed, shard: shard)
    sweep.stopsAtFirstFailure = stops
    for point in sweep.points {
      guard let reason = point.fault.obstacle(on: .recordedCentral) else { continue }
      console.report("--fault \(point.fault.action): impossible on \(Fault.Face.recordedCentral): \(reason)")
      return .environment
    }
    guard !sweep.points.isEmpty else {
      console.report("\(printable(path)): there is no entry to put a fault at; extract a scenario with attribute traffic")
      return .input
    }
    let result = sweep.run { point in ScenarioReplay(scenario, faults: [point.fault], seed: plan.seed, failOn: plan.strictness).verdict }
    console.print(printsJSON ? result.json : SweepLines(result, of: shard).text)
    return reports.write(Report(title: "understudy sweep", sweeps: [result], sweptScenarios: [scenario]), console)
      ?? (result.passed ? .success : .failed)
  }
}

/// A sweep's result on a terminal.
struct SweepLines {
  let text: String

  init(_ result: SweepResult, of shard: Shard = .whole) {
    let counts = SweepResult.Outcome.allCases.map { (result.count(of: $0), $0.words) }.filter { $0.0 > 0 }
    var lines = [
      "\(printable(result.name)): \(counted(result.count, "point"))\(shard == .whole ? "" : ", of which shard \(shard) has \(result.points.count)")"
        + (counts.isEmpty ? "" : ": ") + counts.map { "\($0) \($1)" }.joined(separator: ", ")
    ]
    for point in result.points where point.outcome.isFailure {
      lines.append("  point \(point.number + 1), \(printable("\(point.point)")): \(point.outcome.words)")
      lines += point.failures.map { "    \(printable($0))" }
    }
    text = lines.joined(separator: "\n") + "\n"
  }
}

extension SweepResult.Outcome {
  fileprivate var words: String { self == .notReached ? "not reached" : rawValue }
}
