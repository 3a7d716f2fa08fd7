import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

@testable import DocumentSamplesPersian
@testable import DocumentSamplesTurkish
@testable import DocumentSamplesUzbek

private protocol Sample: AnyObject {
  func scanForDevices()
}
extension DocumentSamplesUzbek.BLEManager: Sample {}
extension DocumentSamplesPersian.BLEManager: Sample {}
extension DocumentSamplesTurkish.BLEManager: Sample {}

/// The documents' manager of either role, as a central. It has no delegate, and its program scans before the state is known.
final class BLEManagerTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try HeartFromCaptureTests.scenario("heart-strap")]) }

  private func run(_ start: () -> any Sample) throws {
    UserDefaults.standard.register(defaults: ["isCentral": true])
    defer { UserDefaults.standard.register(defaults: ["isCentral": false]) }
    let air = try makeAir()
    try VirtualAir.$current.withValue(air) {
      let app = start()
      let manager = try XCTUnwrap(CallRecorder.stored("centralManager", of: app) as CBCentralManager?)
      XCTAssertFalse(manager.isScanning)
      XCTAssertEqual(air.verdict.misuse.count, 1, "a command below poweredOn is ignored, and a line tells of it")
      air.runUntilIdle()
      XCTAssertEqual(manager.state, .poweredOn)
      XCTAssertFalse(manager.isScanning)
      app.scanForDevices()
      air.advance(by: .seconds(1))
      XCTAssertTrue(manager.isScanning)
      // Whoever comes later is told of what goes on.
      let recorder = CallRecorder(manager, Listener())
      air.advance(by: .seconds(1))
      XCTAssertEqual(recorder.calls, [], "without duplicates what was told nobody is not told again")
      app.scanForDevices()
      air.advance(by: .seconds(1))
      XCTAssertEqual(recorder.calls.count, 2, "a second scan begins anew: the packet, then the scan response")
      XCTAssertEqual(recorder.calls(without: "didDiscover"), [])
      XCTAssertEqual(air.verdict.misuse.count, 1)
    }
  }

  private final class Listener: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  }

  func testUzbek() throws { try run { DocumentSamplesUzbek.startProgram() } }
  func testPersian() throws { try run { DocumentSamplesPersian.startProgram() } }
  func testTurkish() throws { try run { DocumentSamplesTurkish.startProgram() } }
}
