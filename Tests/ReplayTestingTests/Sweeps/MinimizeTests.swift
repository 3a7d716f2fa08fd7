import CoreBluetooth
import ReplayTesting
import XCTest

/// What lets an app fail is cut down to its cause.
final class MinimizeTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [Stream.scenario(values: 320)], seed: 5) }

  private func withFile(_ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json5").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  /// An app that takes one value badly, once another came before it: two entries of 321, and what the app is there for at all.
  func testFindsTwoEntries() throws {
    func run(_ air: VirtualAir) throws {
      let app = StreamApp(wanted: 320)
      air.runUntilIdle()
      if let first = app.values.firstIndex(of: 77), app.values[first...].contains(291) { throw CBError(.unknown) }
    }
    try withFile { path in
      let small = try XCTUnwrap(try minimize(Fault(.drop, at: .pdu(500)), to: path, run))
      let values = small.sessions.flatMap(\.entries).compactMap { entry in
        if case .notify(_, let bytes) = entry.action { Int(bytes[0]) | Int(bytes[1]) << 8 } else { nil }
      }
      XCTAssertEqual(values, [77, 291])
      XCTAssertEqual(small.sessions.flatMap(\.entries).count, 2)
      XCTAssertEqual(small.faults, [])
      // What was written fails as the whole did.
      let again = try VirtualAir(.file(path), seed: 5)
      XCTAssertThrowsError(try VirtualAir.$current.withValue(again) { try run(again) })
    }
  }

  #if os(Linux)
    private let failures = Guarded<[String]>([])

    override func recordFailure(withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool) {
      guard description.contains("nothing to minimise") else {
        return super.recordFailure(withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      }
      failures.withValue { $0.append(description) }
    }

    func testAnAppThatStandsItAllFails() throws {
      try withFile { path in
        XCTAssertNil(try minimize(to: path) { air in air.runUntilIdle() })
        XCTAssertEqual(failures.value.count, 1)
        XCTAssertFalse(FileManager.default.fileExists(atPath: path))
      }
    }
  #endif

  /// An assertion is a failure, and the fault that brings it about stays.
  func testKeepsTheFaultThatIsNeeded() throws {
    try withFile { path in
      let small = try XCTUnwrap(
        try minimize(Fault(.vanish, at: .after(.entry(session: 0, entry: 100))), Fault(.drop, at: .pdu(50)), to: path) { air in
          let app = StreamApp(wanted: 320)
          air.runUntilIdle()
          XCTAssertFalse(app.isOver && app.values.count < 320 && app.values.last == 99)
        })
      XCTAssertEqual(small.faults, ["vanish@after:entry:1.1"])
      XCTAssertEqual(small.sessions.flatMap(\.entries).count, 1)
    }
  }

  /// An app that is run by asynchronous code is cut in the same way.
  func testFindsTwoEntriesOfAnAsyncApp() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json5").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let small = try await minimize(Fault(.drop, at: .pdu(500)), to: path) { air in
      let app = StreamApp(wanted: 320)
      do { try await air.run(until: app.isOver) } catch is AirIdle {}
      if let first = app.values.firstIndex(of: 77) { XCTAssertFalse(app.values[first...].contains(291), "both") }
    }
    let values = try XCTUnwrap(small).sessions.flatMap(\.entries).compactMap { entry in
      if case .notify(_, let bytes) = entry.action { Int(bytes[0]) | Int(bytes[1]) << 8 } else { nil }
    }
    XCTAssertEqual(values, [77, 291])
    let written = try Scenario.read(file: path)
    XCTAssertEqual(written.sessions.flatMap(\.entries).count, 2)
  }
}
