import Foundation
import ReplayReports
import Testing

@testable import ReplayTesting

/// What is kept of tests that failed.
struct KeptReportTests {
  private static func inFolder(_ body: ([String: String], URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("understudy-reports-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(["UNDERSTUDY_REPORTS": folder.path], folder)
  }

  @Test func aRunLeavesItsPageItsLogAndItsScenario() throws {
    let air = VirtualAir(scenarios: [Stream.scenario(values: 3)], seed: 1)
    air.inject(.vanish, at: .after(.entry(session: 0, entry: 2)))
    try VirtualAir.$current.withValue(air) {
      let app = StreamApp(wanted: 3)
      try air.run(until: app.isOver)
    }
    try Self.inFolder { environment, folder in
      try KeptReport(of: "Tests.stream(of:)/File.swift:1:2", air).write(environment: environment)
      let name = "Tests-stream-of-File-swift-1-2-vanish-after-entry-1-3"
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      #expect(files == ["html", "json5", "log"].map { "\(name).\($0)" })
      #expect(try String(contentsOf: folder.appendingPathComponent("\(name).log"), encoding: .utf8) == air.log.text)
      #expect(try Scenario.read(file: folder.appendingPathComponent("\(name).json5").path) == Stream.scenario(values: 3))
      #expect(try String(contentsOf: folder.appendingPathComponent("\(name).html"), encoding: .utf8).contains("vanish@after:entry:1.3"))
    }
  }

  @Test func aShardLeavesWhatIsJoinedWithTheOthers() throws {
    let sweep = Sweep([.vanish], of: [Stream.scenario(values: 6)], seed: 2)
    func result(_ shard: Shard) throws -> SweepResult {
      var sweep = sweep
      sweep.shard = shard
      return try sweep.run(makeAir: { VirtualAir(scenarios: []) }) { _ in }
    }
    try Self.inFolder { environment, folder in
      for index in 1...2 {
        let shard = try #require(Shard(index, of: 2))
        try KeptReport(of: "HeartTests.testSweep-12", try result(shard), shard, [Stream.scenario(values: 6)]).write(
          environment: environment)
      }
      let files = (1...2).map { folder.appendingPathComponent("HeartTests-testSweep-12-shard-\($0)-of-2.json").path }
      let joined = try SweepResult(merging: files.map { try SweepResult(file: $0) })
      #expect(joined.missing == [] && joined.points.map(\.point) == sweep.points)
    }
  }

  @Test func nothingIsWrittenWhereNoFolderIsNamed() throws {
    let report = KeptReport(of: "test", VirtualAir(scenarios: []))
    try report.write(environment: [:])
    try report.write(environment: ["UNDERSTUDY_REPORTS": ""])
    #expect(report.files.map(\.name) == ["test.html", "test.log"])
    #expect(throws: (any Error).self) { try report.write(environment: ["UNDERSTUDY_REPORTS": "/dev/null/x"]) }
  }
}
