import CoreBluetooth
import ReplayTesting
import Testing
import XCTest

/// Wrong uses of the framework fail a test that asks for it.
final class MisuseOnRequestTests: ReplayTestCase {
  override var failsOnMisuse: Bool { true }

  #if os(Linux)
    private var failures: [String] = []

    override func recordFailure(withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool) {
      failures.append(description)
    }

    override func invokeTest() {
      super.invokeTest()
      let (count, line) = (failures.count, failures.first ?? "")
      guard count != 1 || !line.contains("API MISUSE: <CBCentralManager> can only accept this command") else { return }
      super.recordFailure(withDescription: "\(count) failures: \(line)", inFile: #filePath, atLine: #line, expected: true)
    }

    func testACommandTooEarlyFails() { CBCentralManager(delegate: nil, queue: nil).scanForPeripherals(withServices: nil) }
  #endif
}

@Test func misuseFailsWhereTheTraitAsksForIt() async throws {
  let test = try #require(Test.current)
  let early: @Sendable () -> Void = { CBCentralManager(delegate: nil, queue: nil).scanForPeripherals(withServices: nil) }
  try await withKnownIssue {
    try await AirTrait.air(failsOnMisuse: true).provideScope(for: test, testCase: Test.Case.current, performing: early)
  } matching: { issue in
    issue.comments.contains { $0.rawValue.hasPrefix("API MISUSE: <CBCentralManager> can only accept this command") }
  }
  // Without it they are notes.
  try await AirTrait.air().provideScope(for: test, testCase: Test.Case.current, performing: early)
}
