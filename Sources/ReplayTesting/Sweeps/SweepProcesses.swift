#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation
  import ReplayEngine

  /// Has the points of a sweep run in other processes of the same test, and begins another where one ended in the middle of a point.
  struct SweepProcesses: Sendable {
    let sweep: Sweep
    let call: SweepCall
    let command: TestCommand
    /// How many there are at once.
    let count: Int
    /// How long one point may take, in real seconds.
    var limit = 60.0

    /// Waits for all points.
    func run() throws -> SweepResult {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("understudy-sweep-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      // The first failure ends a sweep that is to stop there, so that it has to be one after the other.
      let count = sweep.stopsAtFirstFailure ? 1 : max(1, min(count, sweep.numbers.count))
      let outcomes = Guarded([Result<[Int: SweepResult.Point], any Error>]())
      DispatchQueue.concurrentPerform(iterations: count) { index in
        let outcome = Result { () throws -> [Int: SweepResult.Point] in
          guard let part = Shard(index + 1, of: count) else { return [:] }
          return try Worker(self, part, folder: folder).run()
        }
        outcomes.withValue { $0.append(outcome) }
      }
      let points = try outcomes.value.reduce(into: [:]) { all, outcome in all.merge(try outcome.get()) { first, _ in first } }
      return sweep.result(of: points)
    }

    /// The same without holding up the caller's thread.
    func run() async throws -> SweepResult {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try self.run() }) }
      }
    }

    /// One process at a time for a part of the points.
    private struct Worker {
      let all: SweepProcesses
      let part: Shard
      let sweep: Sweep
      let journal: SweepJournal
      let output: URL

      init(_ all: SweepProcesses, _ part: Shard, folder: URL) {
        (self.all, self.part) = (all, part)
        var sweep = all.sweep
        sweep.part = part
        self.sweep = sweep
        journal = SweepJournal(path: folder.appendingPathComponent("part-\(part.index).journal").path)
        output = folder.appendingPathComponent("part-\(part.index).output")
      }

      func run() throws -> [Int: SweepResult.Point] {
        while true {
          let before = try journal.contents(of: sweep).points.count
          let end = try runProcess()
          var contents = try journal.contents(of: sweep)
          if let open = contents.open {
            try journal.endTrapped(open, in: sweep, end + said)
            // As it will be read from now on: a point that is not known again must not be run for ever.
            contents = try journal.contents(of: sweep)
          }
          let isOver = sweep.stopsAtFirstFailure && contents.points.values.contains { $0.outcome.isFailure }
          if isOver || contents.points.count == sweep.numbers.count { return contents.points }
          // However the process ended: one that ran no point did not come to the sweep, and the next would not either.
          guard contents.points.count > before else {
            throw SweepProcessError(
              description: "the test did not come to the sweep in another process: it \(end)\(said); what stands before the sweep in its "
                + "test is run in each process, and other sweeps of the test are skipped there")
          }
        }
      }

      /// How the process ended.
      private func runProcess() throws -> String {
        guard FileManager.default.createFile(atPath: output.path, contents: nil) else {
          throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: output.path])
        }
        let file = try FileHandle(forWritingTo: output)
        defer { try? file.close() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: all.command.executable)
        process.arguments = all.command.arguments
        process.environment = ProcessInfo.processInfo.environment.merging(all.call.environment(for: part, journal)) { $1 }
          .merging([SweepParent.key: "\(getpid())"]) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, file, file)
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        var (progress, isTooLong) = (try? journal.contents(of: sweep).open, false)
        while ended.wait(timeout: .now() + all.limit) == .timedOut {
          let now = try? journal.contents(of: sweep).open
          if now == progress {
            isTooLong = true
            kill(process.processIdentifier, SIGKILL)
          }
          progress = now
        }
        if isTooLong { return "did not end within \(Int(all.limit)) s of real time" }
        let status = process.terminationStatus
        return process.terminationReason == .exit ? "exited with status \(status)" : "ended by signal \(status)"
      }

      /// What the process said of its end, and where in the sources that was, if it did.
      private var said: String {
        guard let file = try? FileHandle(forReadingFrom: output), let size = try? file.seekToEnd() else { return "" }
        defer { try? file.close() }
        // The end tells of the end, however much stands before it.
        try? file.seek(toOffset: size - min(size, Self.outputLimit))
        guard let data = try? file.readToEnd() else { return "" }
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard let place = lines.lastIndex(where: { $0.contains("Fatal error") }) else {
          return lines.last.map { ": \($0.prefix(500))" } ?? ""
        }
        let frame = lines[place...].lazy.compactMap { line in line.range(of: " at /").map { line[$0.lowerBound...] } }.first
        return ": \(lines[place].prefix(500))\(frame.map { ",\($0.prefix(300))" } ?? "")"
      }
      private static let outputLimit: UInt64 = 16 << 20
    }
  }

  /// Another process did not come as far as the sweep.
  struct SweepProcessError: Error, CustomStringConvertible {
    let description: String
  }
#endif
