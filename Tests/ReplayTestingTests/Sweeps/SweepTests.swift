import CoreBluetooth
import ReplayTesting
import XCTest

/// Sweeps of a test case of XCTest, in other processes and in this one.
final class SweepTests: ReplayTestCase {
  /// What would have failed.
  private let failures = Guarded<[(line: Int, text: String)]>([])

  /// As many values as the test at hand needs.
  private var count: Int { name.contains("Trap") ? 200 : 30 }

  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [Stream.scenario(values: count)], seed: 5) }

  #if os(Linux)
    override func recordFailure(withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool) {
      guard name.hasSuffix("Failing"), description.contains("point ") else {
        return super.recordFailure(withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      }
      failures.withValue { $0.append((lineNumber, description)) }
    }

    /// One point of 200 ends the process; it is told, and all others are, too.
    func testATrapIsThatPointsResultFailing() throws {
      let line = #line + 1
      let result = try sweep(.disconnect(.connectionTimeout), .vanish) { air in
        let app = StreamApp(wanted: self.count) { count in
          let few = [1, 2, 3]
          // The link ends behind the 120th value; by a trap of the language, as apps have them.
          if count == 120 { _ = few[count] }
        }
        try air.run(until: app.isOver)
      }
      XCTAssertEqual(result.points.count, 400)
      XCTAssertEqual(result.count(of: .passed), 398)
      let trapped = result.points.filter { $0.outcome == .trapped }
      XCTAssertEqual(trapped.map(\.point.fault.description), ["disconnect:0x08@after:entry:1.121", "vanish@after:entry:1.121"])
      XCTAssertTrue(trapped.allSatisfy { $0.failures.first?.contains("Index out of range, at ") ?? false }, "\(trapped)")
      XCTAssertEqual(failures.value.map(\.line), [line, line])
    }

    /// Assertions in the body, and what it throws, are the failures of the point, with their place.
    func testAssertionsAndErrorsAreThePointsFailing() throws {
      for place in [SweepPlace.otherProcesses(2), .thisProcess] {
        let line = #line + 1
        let result = try sweep(.disconnect(.connectionTimeout), in: place) { air in
          let app = StreamApp(wanted: self.count)
          try air.run(until: app.isOver)
          XCTAssertNotEqual(app.values.count, 7)
          if app.values.count == 9 { throw CBError(.peerRemovedPairingInformation) }
        }
        let failed = result.points.filter { $0.outcome == .failed }
        XCTAssertEqual(failed.map(\.number), [6, 8])
        XCTAssertTrue(failed[0].failures[0].hasPrefix("SweepTests.swift:\(line + 3): "), "\(failed[0].failures)")
        XCTAssertEqual(failed[1].failures, ["\(CBError(.peerRemovedPairingInformation))"])
        XCTAssertEqual(failures.value.suffix(2).map(\.line), [line, line])
      }
    }
  #endif

  /// Both ways give the same but for times.
  func testProcessesAndThisOneFindTheSame() async throws {
    var results: [SweepResult] = []
    for place in [SweepPlace.otherProcesses(3), .otherProcesses(1), .thisProcess] {
      let result = try await sweep(.disconnect(.connectionTimeout), at: .beforeEveryEntry, in: place) { air in
        let app = StreamApp(wanted: self.count)
        try await air.run(until: app.isOver)
      }
      var found = result
      XCTAssertTrue(found.passed)
      XCTAssertEqual(found.count(of: .passed), count)
      for index in found.points.indices { found.points[index].seconds = 0 }
      results.append(found)
    }
    XCTAssertEqual(results[0], results[1])
    XCTAssertEqual(results[0], results[2])
  }

  /// A test may come to the same sweep again, and to several.
  func testEachCallIsASweepOfItsOwn() throws {
    for count in 1...2 {
      let result = try sweep(.vanish) { air in
        let app = StreamApp(wanted: count)
        try air.run(until: app.isOver)
      }
      XCTAssertEqual(result.count(of: .notReached), self.count - count)
    }
  }
}
