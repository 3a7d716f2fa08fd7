import CoreBluetooth
@testable import DocumentSamples
import Foundation
import ReplayTesting
import XCTest

final class BLECentralTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try HeartFromCaptureTests.scenario("heart-strap")]) }

  func testScansConnectsAndDiscovers() throws {
    BLECentralProbe.services = []
    let central = BLECentral()
    try air.run(until: !central.found.isEmpty)
    central.stopScan()
    let strap = try XCTUnwrap(central.found.first)
    try air.run(until: strap.name == "Heart Strap")
    central.connect(to: strap)
    try air.run(until: !BLECentralProbe.services.isEmpty)
    XCTAssertEqual(strap.state, .connected)
    XCTAssertEqual(
      BLECentralProbe.services, [["1800", "1801", "180D", "180F", "180A", "5A0E0001-7C43-4D1B-9E0F-3B1D6E8A2C70"]])
    assertVerdict(air)
  }
}
