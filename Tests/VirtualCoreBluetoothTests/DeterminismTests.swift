import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// The same seed gives the same log, byte for byte, however busy the machine is.
final class DeterminismTests: ReplayTestCase {
  private static let scenario = Result { try HeartFromCaptureTests.scenario("heart-strap") }

  /// Runs `body` so and so often, the last tenth while other threads take up the machine, and expects one log.
  private func assertSameLog(_ body: (VirtualAir) throws -> String, file: StaticString = #filePath, line: UInt = #line) throws {
    var logs: Set<String> = []
    let load = Load()
    defer { load.stop() }
    for round in 0..<Rounds.count {
      load.begin(inLastTenth: round, of: Rounds.count)
      let air = VirtualAir(scenarios: [try Self.scenario.get()], seed: 11)
      let text = try VirtualAir.$current.withValue(air) { try body(air) }
      logs.insert(text + air.log.text)
      XCTAssertEqual(air.findings, [], file: file, line: line)
    }
    XCTAssertEqual(logs.count, 1, file: file, line: line)
    XCTAssertGreaterThan(logs.first?.count ?? 0, 1000, file: file, line: line)
  }

  func testTheRecordedCentral() throws {
    try assertSameLog { _ in ScenarioReplay(try Self.scenario.get(), seed: 11).log.text }
  }

  func testAnAppThatHopsOverQueues() throws {
    try assertSameLog { air in
      let app = HoppingHeart(queue: DispatchQueue(label: "app"))
      try air.run(until: app.beats == 8)
      return ""
    }
  }

  func testAnAsyncApp() throws {
    try assertSameLog { air in
      let app = AsyncHeart(queue: DispatchQueue(label: "app"))
      let isDone = Guarded(false)
      let task = Task {
        try await app.run(beats: 8)
        isDone.value = true
      }
      try air.run(until: isDone.value)
      _ = task
      return app.log.joined(separator: "\n")
    }
  }

  /// The same, run by a test that is async itself.
  func testAnAsyncTest() async throws {
    var logs: Set<String> = []
    let load = Load()
    defer { load.stop() }
    for round in 0..<Rounds.count {
      load.begin(inLastTenth: round, of: Rounds.count)
      let air = VirtualAir(scenarios: [try Self.scenario.get()], seed: 11)
      let text = try await VirtualAir.$current.withValue(air) {
        let app = AsyncHeart(queue: nil)
        let isDone = Guarded(false)
        async let work: Void = {
          try await app.run(beats: 8)
          isDone.value = true
        }()
        try await air.run(until: isDone.value)
        try await work
        return app.log.joined(separator: "\n")
      }
      logs.insert(text + air.log.text)
      XCTAssertEqual(air.findings, [])
    }
    XCTAssertEqual(logs.count, 1)
  }

  /// Time that the app's own timers wait for is the air's.
  func testTimersFollowTheAir() throws {
    let order = Guarded<[String]>([])
    let air = air
    DispatchQueue.main.asyncAfter(deadline: .now() + 20) { order.withValue { $0.append("main \(air.now)") } }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { order.withValue { $0.append("global \(air.now)") } }
    let task = Task {
      try await Task.sleep(for: .seconds(5))
      order.withValue { $0.append("task \(air.now)") }
      try await Task.sleep(nanoseconds: 1_000_000_000)
      order.withValue { $0.append("task \(air.now)") }
    }
    try air.run(until: order.value.count == 4)
    XCTAssertEqual(order.value, ["global 0.050000000", "task 5.000000000", "task 6.000000000", "main 20.000000000"])
    _ = task
  }

  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try Self.scenario.get()]) }
}
