import CoreBluetooth
@testable import DocumentSamplesAzerbaijani
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

  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try Self.scenario.get()]) }

  /// Rows 0 to 3 of section 5.
  func testCallsComeInOrder() throws {
    let app = App()
    let manager = try XCTUnwrap(CallRecorder.stored("centralManager", of: app.connection) as CBCentralManager?)
    let recorder = CallRecorder(manager, app.connection)
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
    XCTAssertEqual(
      recorder.calls,
      [
        "centralManagerDidUpdateState poweredOn", "didDiscover -", "didConnect connected",
        "didDiscoverServices 1800 1801 180D 180F 180A 5A0E0001",
      ])
    task.cancel()
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
