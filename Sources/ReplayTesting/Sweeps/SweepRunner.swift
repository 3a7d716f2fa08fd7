import Foundation
import ReplayEngine

/// Decides where a sweep of a test runs, and has it run there.
struct SweepRunner {
  var sweep: Sweep
  let call: SweepCall
  let command: TestCommand
  let test: String
  let place: SweepPlace
  var environment = ProcessInfo.processInfo.environment
  #if os(macOS) || os(Linux)
    /// Whether a sweep in this process is gone on with by the next run of the test: where there are other processes, one in this process is for
    /// debugging, and begins anew each time.
    var goesOnNextTime = false
  #else
    var goesOnNextTime = true
  #endif

  /// Whether another process, or the next run, can tell which call of the sweep it is there for.
  var isFoundAgain = true

  /// What is to be done in this process.
  private enum Task {
    case nothing
    /// Run the points, and then end the process where it is there for that alone.
    case points(SweepJournal?, endsProcess: Bool)
    #if os(macOS) || os(Linux)
      case processes(Int)
    #endif
  }

  private mutating func task() throws -> Task {
    sweep.shard = try Shard(environment: environment)
    switch call.role(in: environment) {
    case .otherSweep: return .nothing
    case .part(let part, let journal):
      sweep.part = part
      #if os(macOS) || os(Linux)
        SweepParent.endWithIt(environment: environment)
      #endif
      return .points(journal, endsProcess: true)
    case .test: break
    }
    #if os(macOS) || os(Linux)
      if isFoundAgain, case .otherProcesses(let count) = place.adjusted(by: environment) {
        return .processes(count ?? ProcessInfo.processInfo.activeProcessorCount)
      }
    #endif
    return .points(goesOnNextTime && isFoundAgain ? call.journal(of: test) : nil, endsProcess: false)
  }

  /// The result; in a process that is there for another sweep all points are skipped.
  mutating func run(makeAir: () throws -> VirtualAir, _ body: (VirtualAir) throws -> Void) throws -> SweepResult {
    switch try task() {
    case .nothing: return sweep.result(of: [:])
    case .points(let journal, let endsProcess):
      let result = try sweep.run(journal: journal, makeAir: makeAir, body)
      return finished(result, journal, endsProcess)
    #if os(macOS) || os(Linux)
      case .processes(let count): return try processes(count).run()
    #endif
    }
  }

  mutating func run(
    makeAir: () throws -> VirtualAir, isolation: isolated (any Actor)? = #isolation, _ body: (VirtualAir) async throws -> Void
  ) async throws -> SweepResult {
    switch try task() {
    case .nothing: return sweep.result(of: [:])
    case .points(let journal, let endsProcess):
      let result = try await sweep.run(journal: journal, makeAir: makeAir, body)
      return finished(result, journal, endsProcess)
    #if os(macOS) || os(Linux)
      case .processes(let count): return try await processes(count).run()
    #endif
    }
  }

  private func finished(_ result: SweepResult, _ journal: SweepJournal?, _ endsProcess: Bool) -> SweepResult {
    // All is in the journal.
    if endsProcess { exit(0) }
    journal?.remove()
    return result
  }

  #if os(macOS) || os(Linux)
    private func processes(_ count: Int) -> SweepProcesses { SweepProcesses(sweep: sweep, call: call, command: command, count: count) }
  #endif
}
