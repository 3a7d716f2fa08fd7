#if os(macOS) || os(Linux)
  import Foundation
  import ReplayEngine
  import Testing

  @testable import ReplayTesting

  /// Sweeps in other processes that do not do as they should.
  struct SweepProcessesTests {
    /// A process that ends well and ran nothing has found nothing.
    @Test func aSweepThatNoProcessComesToIsAnError() throws {
      let sweep = Sweep([.vanish], of: [Stream.scenario(values: 5)])
      let processes = SweepProcesses(
        sweep: sweep, call: SweepCall(file: "File.swift", line: 7, count: 1),
        command: TestCommand(executable: "/bin/sh", arguments: ["-c", "echo nothing to run"]), count: 2)
      let error = #expect(throws: SweepProcessError.self) { try processes.run() }
      #expect(error?.description.contains("exited with status 0: nothing to run;") ?? false)
    }

    /// The end of what a process said is told, however much stands before it.
    @Test func theEndOfALongOutputIsTold() throws {
      let sweep = Sweep([.vanish], of: [Stream.scenario(values: 1)])
      let script = "head -c 17000000 /dev/zero | tr '\\0' y; echo; echo last words; exit 3"
      let processes = SweepProcesses(
        sweep: sweep, call: SweepCall(file: "File.swift", line: 7, count: 1),
        command: TestCommand(executable: "/bin/sh", arguments: ["-c", script]), count: 1)
      let error = #expect(throws: SweepProcessError.self) { try processes.run() }
      #expect(error?.description.contains("exited with status 3: last words;") ?? false)
    }

    /// Each argument has its own failures: another process could not tell one from another.
    @Test(arguments: 1...4) func eachArgumentHasASweepOfItsOwn(number: Int) async throws {
      var result: SweepResult?
      await withKnownIssue {
        result = try await sweep(.vanish, of: [.scenario(Stream.scenario(values: 3))], in: .otherProcesses(2)) { _ in
          Issue.record("argument \(number)")
        }
      }
      let failures = try #require(result).points.map(\.failures)
      #expect(failures.count == 3 && failures.allSatisfy { $0.count == 1 && $0[0].contains("argument \(number)") })
    }
  }
#endif
