import Foundation
@_exported public import ReplayEngine
@_exported public import ReplayScenarios
@_exported public import VirtualCoreBluetooth
public import XCTest

/// An XCTest case whose tests each have an air of their own.
///
/// Override ``makeAir()``; each test method, its asynchronous parts and what it starts then find that air.
open class ReplayTestCase: XCTestCase {
  private let made = Guarded<VirtualAir?>(nil)
  /// How often the test came to each of its sweeps.
  private let sweepCalls = Guarded<[String: Int]>([:])
  /// What assertions said in a run of a sweep; `nil` outside of one.
  private let recorded = Guarded<[String]?>(nil)

  /// The running test's air.
  public var air: VirtualAir { made.value ?? VirtualAir(scenarios: []) }

  /// Whether a test fails for each wrong use of the framework, besides what the verdict says.
  open var failsOnMisuse: Bool { false }

  /// Makes the air of one test, or of one run of a sweep.
  open func makeAir() throws -> VirtualAir { VirtualAir(scenarios: []) }

  open override func invokeTest() {
    do {
      let air = try makeAir()
      made.value = air
      VirtualAir.$current.withValue(air) { super.invokeTest() }
      if failsOnMisuse { for line in air.verdict.misuse { XCTFail(line) } }
      if !(testRun?.hasSucceeded ?? true), !air.log.lines.isEmpty { keep(KeptReport(of: name, air)) }
      // No call comes to the app after its test.
      air.close()
    } catch {
      XCTFail("the test has no air: \(error)")
    }
    made.value = nil
  }

  // MARK: - Sweeps

  /// Runs `body` once for each fault point of the air's scenarios, each time on a new air, and fails for every point that traps, throws,
  /// fails an assertion, or whose verdict fails.
  ///
  /// The runs are made in other processes of this test unless `place` or the environment says otherwise; of several shards
  /// (``Shard/init(environment:)``) one is run. Returns what was found; in a process that is there for another sweep of the test, all points
  /// are skipped.
  @discardableResult
  public func sweep(
    _ actions: Fault.Action..., at selection: FaultPoint.Selection = .everyEntry, stopsAtFirstFailure: Bool = false,
    in place: SweepPlace = .otherProcesses(), file: StaticString = #filePath, line: UInt = #line, _ body: (VirtualAir) throws -> Void
  ) throws -> SweepResult {
    let (sweep, scenarios) = try points(actions, selection, stopsAtFirstFailure, file, line)
    let result = try run(sweep, in: place, file: file, line: line, body)
    report(result, scenarios, file, line)
    return result
  }

  /// The same for an app that is run by asynchronous code.
  @discardableResult
  public func sweep(
    _ actions: Fault.Action..., at selection: FaultPoint.Selection = .everyEntry, stopsAtFirstFailure: Bool = false,
    in place: SweepPlace = .otherProcesses(), file: StaticString = #filePath, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation, _ body: (VirtualAir) async throws -> Void
  ) async throws -> SweepResult {
    let (sweep, scenarios) = try points(actions, selection, stopsAtFirstFailure, file, line)
    var runner = runner(sweep, place, file, line)
    let result = try await runner.run(makeAir: makeAir) { air in try await recording { try await body(air) } }
    report(result, scenarios, file, line)
    return result
  }

  /// Runs a sweep of any points as `sweep` does, and fails for none of
  /// them: what was found is the test's to look at.
  public func run(
    _ sweep: Sweep, in place: SweepPlace = .otherProcesses(), file: StaticString = #filePath, line: UInt = #line,
    _ body: (VirtualAir) throws -> Void
  ) throws -> SweepResult {
    var runner = runner(sweep, place, file, line)
    return try runner.run(makeAir: makeAir) { air in try recording { try body(air) } }
  }

  /// Cuts the air's scenario, with these faults, down to the smallest with which `body` still fails in the same way: throws, fails an
  /// assertion, or lets the verdict fail. Writes it to `path`, faults included, and returns it; fails where the app stands the whole.
  ///
  /// All runs are made in this process.
  @discardableResult
  public func minimize(
    _ faults: Fault..., to path: String, file: StaticString = #filePath, line: UInt = #line, _ body: (VirtualAir) throws -> Void
  ) throws -> Scenario? {
    guard let (whole, seed) = try minimizer(faults, file, line) else { return nil }
    var minimizer = whole
    return try write(minimizer.run(seed: seed) { air in try recording { try body(air) } }, seed, to: path, file, line)
  }

  /// The same for an app that is run by asynchronous code.
  @discardableResult
  public func minimize(
    _ faults: Fault..., to path: String, file: StaticString = #filePath, line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ body: (VirtualAir) async throws -> Void
  ) async throws -> Scenario? {
    guard let (whole, seed) = try minimizer(faults, file, line) else { return nil }
    var minimizer = whole
    return try write(await minimizer.run(seed: seed) { air in try await recording { try await body(air) } }, seed, to: path, file, line)
  }

  private func minimizer(_ faults: [Fault], _ file: StaticString, _ line: UInt) throws -> (ScenarioMinimizer, seed: UInt64)? {
    let air = try makeAir()
    defer { air.close() }
    guard air.scenarios.count == 1 else {
      XCTFail("only an air of one scenario can be minimised; this one has \(air.scenarios.count)", file: file, line: line)
      return nil
    }
    return (try ScenarioMinimizer(air.scenarios[0], faults: faults), air.seed)
  }

  private func write(
    _ outcome: ScenarioMinimizer.Outcome?, _ seed: UInt64, to path: String, _ file: StaticString, _ line: UInt
  ) throws -> Scenario? {
    guard let outcome else {
      XCTFail(MinimizedScenario.nothing, file: file, line: line)
      return nil
    }
    try MinimizedScenario.write(outcome, seed: seed, to: path)
    return outcome.scenario
  }

  /// Runs `body` so many times, each time on a new air of the same seed, and fails at the first run whose log parts from the first one's: the
  /// app, or the test, does something else each time.
  public func assertRepeats(
    _ runs: Int = 10, file: StaticString = #filePath, line: UInt = #line, _ body: (VirtualAir) throws -> Void
  ) throws {
    var first: AirLog?
    for run in 1...max(2, runs) {
      let air = try makeAir()
      defer { air.close() }
      try VirtualAir.$current.withValue(air) { try body(air) }
      guard repeats(&first, air.log, run, file, line) else { return }
    }
  }

  /// The same for an app that is run by asynchronous code.
  public func assertRepeats(
    _ runs: Int = 10, file: StaticString = #filePath, line: UInt = #line, isolation: isolated (any Actor)? = #isolation,
    _ body: (VirtualAir) async throws -> Void
  ) async throws {
    var first: AirLog?
    for run in 1...max(2, runs) {
      let air = try makeAir()
      defer { air.close() }
      try await VirtualAir.$current.withValue(air) { try await body(air) }
      guard repeats(&first, air.log, run, file, line) else { return }
    }
  }

  private func repeats(_ first: inout AirLog?, _ log: AirLog, _ run: Int, _ file: StaticString, _ line: UInt) -> Bool {
    guard let difference = first?.firstDifference(from: log) else {
      first = first ?? log
      return true
    }
    XCTFail("run 1 and run \(run) of one seed part: \(difference)", file: file, line: line)
    return false
  }

  private func points(
    _ actions: [Fault.Action], _ selection: FaultPoint.Selection, _ stopsAtFirstFailure: Bool, _ file: StaticString, _ line: UInt
  ) throws -> (Sweep, [Scenario]) {
    let air = try makeAir()
    defer { air.close() }
    var sweep = Sweep(actions, at: selection, of: air.scenarios, seed: air.seed)
    sweep.stopsAtFirstFailure = stopsAtFirstFailure
    if sweep.points.isEmpty { XCTFail("the air's scenarios have no entry to put a fault at", file: file, line: line) }
    return (sweep, air.scenarios)
  }

  private func runner(_ sweep: Sweep, _ place: SweepPlace, _ file: StaticString, _ line: UInt) -> SweepRunner {
    let count = sweepCalls.withValue { calls in
      calls["\(file):\(line)", default: 0] += 1
      return calls["\(file):\(line)", default: 0]
    }
    let method = name.split { " .]".contains($0) }.last.map(String.init) ?? name
    return SweepRunner(
      sweep: sweep, call: SweepCall(file: "\(file)", line: Int(line), count: count), command: .xctest(type(of: self), method: method),
      test: name, place: place)
  }

  private func report(_ result: SweepResult, _ scenarios: [Scenario], _ file: StaticString, _ line: UInt) {
    // A shard's is kept in any case, to be joined with the others.
    let shard = (try? Shard(environment: ProcessInfo.processInfo.environment)) ?? .whole
    // Each sweep of a loop has files of its own.
    let count = sweepCalls.value["\(file):\(line)"] ?? 1
    if !result.passed || shard != .whole {
      keep(KeptReport(of: "\(name)-\(line)\(count > 1 ? "-\(count)" : "")", result, shard, scenarios))
    }
    for point in result.points where point.outcome.isFailure { XCTFail(point.report, file: file, line: line) }
  }

  /// Attaches a report to the test where the framework can, and writes it where the environment names a folder.
  private func keep(_ report: KeptReport) {
    #if canImport(ObjectiveC)
      for attachment in report.attachments { add(attachment) }
    #endif
    do { try report.write() } catch { XCTFail("the report cannot be written to the folder that UNDERSTUDY_REPORTS names: \(error)") }
  }

  private func recording(_ body: () throws -> Void) throws {
    begin()
    do { try body() } catch { throw RecordedFailures(end() + ["\(error)"]) }
    try check(end())
  }

  private func recording(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async throws {
    begin()
    do { try await body() } catch { throw RecordedFailures(end() + ["\(error)"]) }
    try check(end())
  }

  private func begin() { recorded.value = [] }

  private func end() -> [String] {
    recorded.withValue { all in
      defer { all = nil }
      return all ?? []
    }
  }

  private func check(_ failures: [String]) throws { if !failures.isEmpty { throw RecordedFailures(failures) } }

  /// Tells whether a failure is that of a run of a sweep.
  private func keep(_ failure: @autoclosure () -> String) -> Bool {
    recorded.withValue { all in
      guard all != nil else { return false }
      all?.append(failure())
      return true
    }
  }

  #if canImport(ObjectiveC)
    open override func record(_ issue: XCTIssue) {
      let place = issue.sourceCodeContext.location.map { "\($0.fileURL.lastPathComponent):\($0.lineNumber): " } ?? ""
      if !keep(place + issue.compactDescription) { super.record(issue) }
    }
  #else
    open override func recordFailure(withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool) {
      let file = filePath.split(separator: "/").last.map { "\($0):\(lineNumber): " } ?? ""
      if !keep(file + description) {
        super.recordFailure(withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      }
    }
  #endif
}

/// Fails at the caller's line where the air's verdict fails, with all that it says.
public func assertVerdict(_ air: VirtualAir, file: StaticString = #filePath, line: UInt = #line) {
  let verdict = air.verdict
  if !verdict.passed { XCTFail("\(verdict)", file: file, line: line) }
}
