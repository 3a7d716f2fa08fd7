import Foundation
import ReplayEngine
import Testing

@testable import ReplayTesting

/// Where a sweep runs, and how one goes on that ended with its process.
struct SweepRunnerTests {
  private static func runner(_ environment: [String: String] = [:], name: String = UUID().uuidString) -> SweepRunner {
    let sweep = Sweep([.vanish], of: [Stream.scenario(values: 5)], seed: 2)
    var runner = SweepRunner(
      sweep: sweep, call: SweepCall(file: "File.swift", line: 7, count: 1), command: .swiftTesting("none"), test: name, place: .thisProcess)
    (runner.environment, runner.goesOnNextTime) = (environment, true)
    return runner
  }

  private static func numbers(_ runner: SweepRunner) throws -> (run: [Int], result: SweepResult) {
    var runner = runner
    var numbers: [Int] = []
    let result = try runner.run(makeAir: { VirtualAir(scenarios: []) }) { air in
      guard case .after(.entry(_, let entry)) = air.verdict.faultsNotReached.first?.trigger else { return }
      numbers.append(entry - 1)
    }
    return (numbers, result)
  }

  @Test func theNextRunGoesOnBehindThePointThatTrapped() throws {
    let runner = Self.runner()
    let journal = runner.call.journal(of: runner.test)
    // What a process left that ended in the third point.
    _ = try runner.sweep.run(journal: journal, makeAir: { VirtualAir(scenarios: []) }) { _ in }
    let lines = try String(contentsOfFile: journal.path, encoding: .utf8).split(separator: "\n")
    try lines.prefix(6).joined(separator: "\n").write(toFile: journal.path, atomically: true, encoding: .utf8)

    let (run, result) = try Self.numbers(runner)
    #expect(run == [3, 4])
    #expect(result.points.map(\.outcome) == [.notReached, .notReached, .trapped, .notReached, .notReached])
    #expect(!FileManager.default.fileExists(atPath: journal.path), "the one after that begins anew")
    #expect(try Self.numbers(runner).run == [0, 1, 2, 3, 4])
  }

  @Test func aShardIsRunAlone() throws {
    let (run, result) = try Self.numbers(Self.runner(["UNDERSTUDY_SHARD": "2/2"]))
    #expect(run == [1, 3] && result.points.map(\.number) == [1, 3] && result.count == 5)
    #expect(throws: ShardError.self) { try Self.numbers(Self.runner(["UNDERSTUDY_SHARD": "3/2"])) }
  }

  @Test func aProcessForAnotherSweepRunsNothing() throws {
    let other = SweepCall(file: "File.swift", line: 9, count: 1)
    let environment = other.environment(for: .whole, SweepJournal(path: "/nowhere"))
    let (run, result) = try Self.numbers(Self.runner(environment))
    #expect(run.isEmpty && result.count(of: .skipped) == 5)
  }

  @Test func theEnvironmentSaysHowManyProcesses() {
    #expect(SweepPlace.otherProcesses().adjusted(by: ["UNDERSTUDY_SWEEP_PROCESSES": "0"]) == .thisProcess)
    #expect(SweepPlace.thisProcess.adjusted(by: ["UNDERSTUDY_SWEEP_PROCESSES": "3"]) == .otherProcesses(3))
    for text in ["", "-1", "many"] {
      #expect(SweepPlace.otherProcesses(2).adjusted(by: ["UNDERSTUDY_SWEEP_PROCESSES": text]) == .otherProcesses(2))
    }
  }
}
