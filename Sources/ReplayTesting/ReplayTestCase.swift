@_exported public import ReplayEngine
@_exported public import ReplayScenarios
@_exported public import VirtualCoreBluetooth
public import XCTest

/// An XCTest case whose tests each have an air of their own.
///
/// Override ``makeAir()``; each test method, its asynchronous parts and what it starts then find that air.
open class ReplayTestCase: XCTestCase {
  private let made = Guarded<VirtualAir?>(nil)

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
      // No call comes to the app after its test.
      air.close()
    } catch {
      XCTFail("the test has no air: \(error)")
    }
    made.value = nil
  }

  /// Runs `body` once for each fault point of the air's scenarios, each time on a new air, and fails for every point that throws
  /// or whose verdict fails.
  public func sweep(
    _ action: Fault.Action, at selection: FaultPoint.Selection = .everyEntry, file: StaticString = #filePath, line: UInt = #line,
    _ body: (VirtualAir) throws -> Void
  ) throws {
    let points = try makeAir().scenarios.flatMap { FaultPoint.all(action, at: selection, in: $0) }
    guard !points.isEmpty else {
      XCTFail("the air's scenarios have no entry to put a fault at", file: file, line: line)
      return
    }
    for point in points {
      let air = try makeAir()
      defer { air.close() }
      air.inject(point)
      do {
        try VirtualAir.$current.withValue(air) { try body(air) }
        let verdict = air.verdict
        if !verdict.passed { XCTFail("\(point): \(verdict)", file: file, line: line) }
      } catch {
        XCTFail("\(point): \(error)", file: file, line: line)
      }
    }
  }
}

/// Fails at the caller's line where the air's verdict fails, with all that it says.
public func assertVerdict(_ air: VirtualAir, file: StaticString = #filePath, line: UInt = #line) {
  let verdict = air.verdict
  if !verdict.passed { XCTFail("\(verdict)", file: file, line: line) }
}
