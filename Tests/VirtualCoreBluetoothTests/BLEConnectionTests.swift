import CoreBluetooth
@testable import DocumentSamples
import Foundation
import ReplayTesting
import XCTest

/// The documents' sample with async functions: it calls the framework first and stores its continuation afterwards.
final class BLEConnectionTests: ReplayTestCase {
  private static let scenario = Result { try HeartFromCaptureTests.scenario("heart-strap") }

  /// The sample is no value that may be shared, though apps share it: it is only touched while the air stands still.
  private struct App: @unchecked Sendable {
    let connection = BLEConnection()
  }

  func testConnectNeverHangs() throws {
    var logs: Set<String> = []
    let load = Load()
    defer { load.stop() }
    for round in 0..<Rounds.many {
      load.begin(inLastTenth: round, of: Rounds.many)
      let air = VirtualAir(scenarios: [try Self.scenario.get()])
      try VirtualAir.$current.withValue(air) {
        let app = App()
        try air.run(until: app.connection.isPoweredOn)
        app.connection.scan()
        try air.run(until: app.connection.found != nil)
        let strap = try XCTUnwrap(app.connection.found)
        let isDone = Guarded(false)
        let task = Task {
          try await app.connection.connect(to: strap)
          try await app.connection.discoverServices()
          isDone.value = true
        }
        try air.run(until: isDone.value)
        XCTAssertEqual(strap.services?.count, 6)
        task.cancel()
      }
      logs.insert(air.log.text)
    }
    XCTAssertEqual(logs.count, 1)
  }
}
