import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

@testable import DocumentSamplesPersian
@testable import DocumentSamplesTurkish
@testable import DocumentSamplesUzbek

/// What the three documents' sample offers.
private protocol Sample: CBCentralManagerDelegate {
  func startScan()
  func stopScan()
  func connect(to peripheral: CBPeripheral)
}
extension DocumentSamplesUzbek.BLECentral: Sample {}
extension DocumentSamplesPersian.BLECentral: Sample {}
extension DocumentSamplesTurkish.BLECentral: Sample {}

final class BLECentralTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try HeartFromCaptureTests.scenario("heart-strap")]) }

  /// Rows 0 to 3 and 10 of section 5: the state, the devices, the connection, the services, the end.
  private func run<App: Sample>(_ make: () -> App) throws {
    let air = try makeAir()
    try VirtualAir.$current.withValue(air) {
      let app = make()
      let manager = try XCTUnwrap(CallRecorder.stored("centralManager", of: app) as CBCentralManager?)
      XCTAssertEqual(manager.state, .unknown, "init returns first")
      let recorder = CallRecorder(manager, app)
      app.startScan()
      XCTAssertFalse(manager.isScanning, "the sample itself looks at the state")
      try air.run(until: recorder.calls.count >= 6)
      let found: [CBPeripheral] = try XCTUnwrap(CallRecorder.stored("discoveredPeripherals", of: app))
      XCTAssertEqual(found.count, 1, "the sample keeps each device once")
      app.stopScan()
      app.connect(to: try XCTUnwrap(found.first))
      air.runUntilIdle()
      XCTAssertEqual(
        recorder.distinct,
        [
          "centralManagerDidUpdateState poweredOn", "didDiscover -", "didDiscover Heart Strap", "didConnect connected",
          "didDiscoverServices 1800 1801 180D 180F 180A 5A0E0001",
        ])
      XCTAssertFalse(manager.isScanning)
      manager.cancelPeripheralConnection(try XCTUnwrap(found.first))
      air.runUntilIdle()
      XCTAssertEqual(recorder.calls.last, "didDisconnectPeripheral disconnected", "row 9: no error")
      // Both are the sample's own: it asks for duplicates on the main queue, and it does not implement what tells of services.
      let lines = air.verdict.misuse
      XCTAssertEqual(lines.count, 2)
      XCTAssertTrue(lines[0].contains("is disabling duplicate filtering, but is using the default queue"))
      XCTAssertTrue(lines[1].contains("does not implement peripheral:didDiscoverServices:"))
      assertVerdict(air)
    }
  }

  func testUzbek() throws { try run { DocumentSamplesUzbek.BLECentral() } }
  func testPersian() throws { try run { DocumentSamplesPersian.BLECentral() } }
  func testTurkish() throws { try run { DocumentSamplesTurkish.BLECentral() } }
}
