import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

@testable import DocumentSamplesAzerbaijani

/// The sample that scans for the battery service, connects, and comes back three seconds after the link was lost.
final class BLEControllerTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try HeartFromCaptureTests.scenario("heart-strap")]) }

  private func start() throws -> (BLEController, CallRecorder) {
    let app = BLEController()
    let manager = try XCTUnwrap(CallRecorder.stored("centralManager", of: app) as CBCentralManager?)
    return (app, CallRecorder(manager, app))
  }

  private static let services = "didDiscoverServices 1800 1801 180D 180F 180A 5A0E0001"

  /// Rows 0 to 3 and 10 of section 5, and once more.
  func testComesBack() throws {
    air.inject(.disconnect(.connectionTimeout), at: .time(.seconds(2)))
    let (app, recorder) = try start()
    air.runUntilIdle()
    XCTAssertEqual(
      recorder.calls,
      [
        "centralManagerDidUpdateState poweredOn", "didDiscover -", "didConnect connected", Self.services,
        "didDisconnectPeripheral disconnected CBError 6", "didConnect connected", Self.services,
      ])
    // The sample does not implement what tells of services, and a phone says so each time.
    XCTAssertEqual(air.verdict.misuse.filter { !$0.contains("does not implement peripheral:didDiscoverServices:") }, [])
    XCTAssertEqual(air.verdict.misuse.count, 2)
    assertVerdict(air)
    withExtendedLifetime(app) {}
  }

  /// Row 2: either the one or the other. The sample does not try again.
  func testRefusedConnection() throws {
    air.inject(.refuseConnection(.connectionFailedToBeEstablished), at: .phase(.connecting))
    let (app, recorder) = try start()
    air.runUntilIdle()
    XCTAssertEqual(
      recorder.calls, ["centralManagerDidUpdateState poweredOn", "didDiscover -", "didFailToConnect disconnected CBError 10"])
    withExtendedLifetime(app) {}
  }

  /// Row 9: no error, and so the sample does not come back.
  func testCancelledConnection() throws {
    let (app, recorder) = try start()
    try air.run(until: recorder.calls.last == Self.services)
    let manager = try XCTUnwrap(CallRecorder.stored("centralManager", of: app) as CBCentralManager?)
    manager.cancelPeripheralConnection(try XCTUnwrap(recorder.peripherals.first))
    air.runUntilIdle()
    XCTAssertEqual(recorder.calls.suffix(2), [Self.services, "didDisconnectPeripheral disconnected"])
  }
}
