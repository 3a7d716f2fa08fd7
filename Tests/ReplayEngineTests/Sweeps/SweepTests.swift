import Foundation
import ReplayEngine
import ReplayScenarios
import Testing

struct SweepTests {
  /// Five points; the run of one is told by its number.
  static let scenario = Scenario(
    device: Device(name: "Five"),
    database: [
      Attribute(handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(3))),
      Attribute(
        handle: AttributeHandle(2),
        kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x0A, value: AttributeHandle(3)), content: [7]),
    ],
    sessions: [
      Session(entries: (0..<5).map { TimelineEntry(at: .milliseconds($0), action: .read(AttributeHandle(3)), answer: .value([UInt8($0)])) })
    ])

  /// A clock on which each run takes a second.
  private final class CountingClock: Clock, @unchecked Sendable {
    typealias Instant = AirInstant
    private var reads = 0
    var now: AirInstant {
      reads += 1
      return AirInstant.start.advanced(by: .seconds(reads))
    }
    var minimumResolution: Duration { .seconds(1) }
    func sleep(until deadline: AirInstant, tolerance: Duration?) async throws {}
  }

  private struct Broken: Error, CustomStringConvertible { let description = "it broke" }

  /// Runs a sweep whose `bad` points throw.
  private static func run(_ sweep: Sweep, journal: SweepJournal? = nil, bad: Set<Int> = []) throws -> SweepResult {
    try sweep.run(journal: journal, clock: CountingClock(), makeAir: { VirtualAir(scenarios: [scenario]) }) { air in
      let armed = air.verdict.faultsNotReached
      let number = sweep.points.firstIndex { $0.fault == armed.first }
      if number.map(bad.contains) ?? true { throw Broken() }
    }
  }

  private static func sweep(_ shard: Shard = .whole) -> Sweep { Sweep([.drop], of: [scenario], seed: 3, shard: shard) }

  @Test func tellsEachPoint() throws {
    let result = try Self.run(Self.sweep(), bad: [1, 3])
    #expect(result.name == "Five" && result.seed == 3 && result.count == 5 && !result.passed)
    // No app was there, so that no fault was reached.
    #expect(result.points.map(\.outcome) == [.notReached, .failed, .notReached, .failed, .notReached])
    #expect(result.points.map(\.seconds) == [1, 1, 1, 1, 1])
    #expect(result.points[1].failures == ["it broke"] && result.points[0].failures == [])
    #expect(result.points[1].verdict?.hasPrefix("verdict: ") ?? false)
  }

  @Test func stopsWhereItIsToldTo() throws {
    var sweep = Self.sweep()
    sweep.stopsAtFirstFailure = true
    let result = try Self.run(sweep, bad: [1, 3])
    #expect(result.points.map(\.outcome) == [.notReached, .failed, .skipped, .skipped, .skipped])
  }

  @Test func shardsMergeToTheWhole() throws {
    let whole = try Self.run(Self.sweep(), bad: [1, 3])
    let parts = try (1...3).map { try Self.run(Self.sweep(try #require(Shard($0, of: 3))), bad: [1, 3]) }
    #expect(parts.map { $0.points.map(\.number) } == [[0, 3], [1, 4], [2]])
    #expect(try SweepResult(merging: parts.reversed()) == whole)
    let some = try SweepResult(merging: [parts[0], parts[2]])
    #expect(some.missing == [1, 4] && whole.missing == [])
    // A point that one skipped is what another found.
    var skipping = whole
    for index in skipping.points.indices { skipping.points[index].outcome = .skipped }
    #expect(try SweepResult(merging: [skipping, parts[0], parts[1], parts[2]]) == whole)
    #expect(try SweepResult(merging: parts + [skipping]) == whole)
  }

  @Test func refusesToMergeWhatIsNotOneSweep() throws {
    let part = try Self.run(Self.sweep())
    var (other, moved, beyond) = (part, part, part)
    other.seed = 4
    moved.points = [moved.points[2]]
    moved.points[0].point.name = "another"
    beyond.points = [beyond.points[4]]
    beyond.points[0].number = 5
    for (parts, words) in [
      ([], "no result"), ([part, other], "another sweep"), ([part, moved], "run all shards with the same scenario"),
      ([part, beyond], "point 6 of 5"),
      ([part, part], "name each shard once"),
    ] as [([SweepResult], String)] {
      let error = #expect(throws: SweepMergeError.self) { try SweepResult(merging: parts) }
      #expect(error?.description.contains(words) ?? false, "\(words): \(error?.description ?? "")")
    }
  }

  // MARK: - The journal

  private static func withJournal(_ body: (SweepJournal) throws -> Void) throws {
    let journal = SweepJournal(path: FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path)
    defer { journal.remove() }
    try body(journal)
  }

  @Test func aJournalTellsWhatTheRunFound() throws {
    try Self.withJournal { journal in
      let result = try Self.run(Self.sweep(), journal: journal, bad: [2])
      let contents = try journal.contents(of: Self.sweep())
      #expect(contents.open == nil && contents.points.values.sorted { $0.number < $1.number } == result.points)
      // Nothing is left to be run.
      #expect(try Self.run(Self.sweep(), journal: journal, bad: [0, 1]) == result)
    }
  }

  /// Wherever the process ended, in the middle of a line too, the next one goes on, and the point that was begun is told as trapped.
  @Test func goesOnWhereAProcessEnded() throws {
    try Self.withJournal { journal in
      let result = try Self.run(Self.sweep(), journal: journal)
      let whole = try Data(contentsOf: URL(fileURLWithPath: journal.path))
      for length in stride(from: 0, through: whole.count, by: 7) {
        let head = whole.prefix(length)
        try head.write(to: URL(fileURLWithPath: journal.path))
        let found = try Self.run(Self.sweep(), journal: journal)
        let begun = String(decoding: head, as: UTF8.self).split(separator: "\n").count {
          (try? JSONDecoder().decode([String: Int].self, from: Data($0.utf8)))?["begin"] != nil
        }
        let ended = try journal.contents(of: Self.sweep()).points.values.count { $0.outcome != .trapped }
        #expect(found.points.count == 5 && found.points.allSatisfy { $0.outcome == .trapped || $0 == result.points[$0.number] })
        let trapped = found.points.filter { $0.outcome == .trapped }
        #expect(trapped.count <= 1 && ended + trapped.count == 5)
        if let point = trapped.first { #expect(point.number == begun - 1 && point.failures.count == 1) }
      }
    }
  }

  @Test func aJournalOfAnotherSweepIsBegunAnew() throws {
    try Self.withJournal { journal in
      _ = try Self.run(Self.sweep(), journal: journal, bad: [0, 1, 2, 3, 4])
      let other = Sweep([.vanish], of: [Self.scenario], seed: 3)
      #expect(try journal.contents(of: other).points.isEmpty)
      let renamed = Sweep([.drop], of: [Self.scenario], seed: 4)
      #expect(try Self.run(renamed, journal: journal).count(of: .notReached) == 5)
      try Data("no journal\n{\"end\":{}}\n\u{FF}".utf8).write(to: URL(fileURLWithPath: journal.path))
      #expect(try Self.run(Self.sweep(), journal: journal).count(of: .notReached) == 5)
    }
  }
}
