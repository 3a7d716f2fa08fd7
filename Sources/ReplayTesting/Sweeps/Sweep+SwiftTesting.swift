import Foundation
public import ReplayEngine
public import ReplayScenarios
public import Testing

/// Runs `body` once for each fault point of the scenarios, each time on a new air, and records an issue at the caller's line for every point
/// that traps, throws, fails an expectation, or whose verdict fails.
///
/// For tests of Swift Testing; a test with `FaultPoint.all` as its arguments is another way, which shows each point as a test of its own, and
/// ends where an app traps. The runs are made in other processes of this test unless `place` or the environment says otherwise, or the test
/// has arguments; of several shards (``Shard/init(environment:)``) one is run. Returns what was found; in a process that is there for another
/// sweep of the test, all points are skipped.
@discardableResult
public func sweep(
  _ actions: Fault.Action..., at selection: FaultPoint.Selection = .everyEntry, of sources: [ScenarioSource], seed: UInt64 = 0,
  stopsAtFirstFailure: Bool = false, in place: SweepPlace = .otherProcesses(), sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: (VirtualAir) async throws -> Void
) async throws -> SweepResult {
  let scenarios = try sources.map { try $0.load() }
  var sweep = Sweep(actions, at: selection, of: scenarios, seed: seed)
  sweep.stopsAtFirstFailure = stopsAtFirstFailure
  if sweep.points.isEmpty { Issue.record("the scenarios have no entry to put a fault at", sourceLocation: sourceLocation) }
  guard let test = Test.current else { throw SweepOutsideTest() }
  let name = "\(test.id)"
  let (file, line) = (sourceLocation.fileID, sourceLocation.line)
  let count = calls.withValue { calls in
    calls["\(name) \(file):\(line)", default: 0] += 1
    return calls["\(name) \(file):\(line)", default: 0]
  }
  var runner = SweepRunner(
    sweep: sweep, call: SweepCall(file: file, line: line, count: count), command: .swiftTesting(name), test: name, place: place)
  // Arguments run at once, and nothing names them: another process would take one for another.
  runner.isFoundAgain = !(Test.Case.current?.isParameterized ?? false)
  let makeAir = { VirtualAir(scenarios: scenarios, seed: seed) }
  let result = try await runner.run(makeAir: makeAir) { air in try await recordingIssues { try await body(air) } }
  // A shard's is kept in any case, to be joined with the others.
  let shard = (try? Shard(environment: ProcessInfo.processInfo.environment)) ?? .whole
  if !result.passed || shard != .whole {
    let report = KeptReport(of: "\(name)-\(line)\(count > 1 ? "-\(count)" : "")", result, shard, scenarios)
    report.attachToTest()
    try report.write()
  }
  for point in result.points where point.outcome.isFailure {
    Issue.record(Comment(rawValue: point.report), sourceLocation: sourceLocation)
  }
  return result
}

/// How often each test came to each of its sweeps.
private let calls = Guarded<[String: Int]>([:])

/// A sweep that other processes are to find needs a test.
struct SweepOutsideTest: Error, CustomStringConvertible {
  let description = "a sweep was called outside of a test of Swift Testing; call it in one, or use ReplayTestCase's"
}
