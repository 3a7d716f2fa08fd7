import CoreBluetooth
import HeartApp
import ReplayTesting
import XCTest

/// Whether an app does the same each time.
final class RepeatTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { try VirtualAir(.named("heart-strap", in: .module), seed: 7) }

  func testOneThatDoesTheSameEachTimePasses() throws {
    var runs = 0
    try assertRepeats(5) { air in
      runs += 1
      let app = HeartCentral()
      try air.run(until: app.isIdle)
    }
    XCTAssertEqual(runs, 5)
  }

  func testAnAsyncOne() async throws {
    let runs = Guarded(0)
    try await assertRepeats(3) { air in
      runs.withValue { $0 += 1 }
      let app = HeartCentral()
      try await air.run(until: app.isIdle)
    }
    XCTAssertEqual(runs.value, 3)
  }

  #if os(Linux)
    private var failures: [String] = []

    override func recordFailure(withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool) {
      guard description.contains("of one seed part") else {
        return super.recordFailure(withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      }
      failures.append(description)
    }

    /// The third run waits a little before it begins, and no run is made after it.
    func testTheFirstThatPartsFails() throws {
      var runs = 0
      try assertRepeats(5) { air in
        runs += 1
        if runs == 3 { air.advance(by: .milliseconds(1)) }
        let app = HeartCentral()
        try air.run(until: app.isIdle)
      }
      XCTAssertEqual(runs, 3)
      XCTAssertEqual(failures.count, 1)
      let words = try XCTUnwrap(failures.first)
      XCTAssertTrue(words.contains("run 1 and run 3 of one seed part: line 1 is \""), words)
      XCTAssertTrue(words.contains(" connected peripheral 1 session 1\" in one and \""), words)
    }
  #endif
}
