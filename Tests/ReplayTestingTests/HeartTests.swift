import CoreBluetooth
import HeartApp
import ReplayEngine
import ReplayTesting
import XCTest

/// The code that the README shows.
final class HeartTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { try VirtualAir(.named("heart-strap", in: .module), seed: 7) }

  func testReconnects() throws {
    air.inject(.disconnect(.connectionTimeout), at: .after(.notification("2A37", count: 3)))
    let app = HeartCentral()
    try air.run(until: app.isReconnected)
    assertVerdict(air)
    XCTAssertEqual(app.disconnections.count, 1)
    XCTAssertEqual((app.disconnections.first as? CBError)?.code, .connectionTimeout)
  }

  func testSweep() throws {
    try sweep(.disconnect(.connectionTimeout), at: .everyEntry) { air in
      let app = HeartCentral()
      try air.run(until: app.isIdle || app.isReconnected)
    }
  }

  func testWithoutFaultDoesWhatTheRecordingDid() throws {
    let app = HeartCentral()
    try air.run(until: app.isIdle)
    assertVerdict(air)
    let verdict = air.verdict
    XCTAssertEqual(verdict.sessions.count, 2)
    XCTAssertEqual(verdict.misuse, [])
    XCTAssertEqual(app.manufacturer, "Understudy Works")
    XCTAssertEqual(app.location, 1)
    XCTAssertEqual(app.battery, 87)
    XCTAssertEqual(app.replies, [Data([0x01, 0x00, 0x10, 0x08, 0x00]), Data([0x02, 0x00, 0x22, 0x08, 0x00])])
    XCTAssertEqual(app.heartRates.count, 20)
    XCTAssertEqual(app.errors.count, 0)
  }
}

/// A test target's resources have to lie in its folder; this one is the project's scenario.
final class ResourceTests: XCTestCase {
  func testResourceIsTheProjectsScenario() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let own = try Data(contentsOf: here.appending(path: "heart-strap.json5"))
    let shipped = try Data(
      contentsOf: here.deletingLastPathComponent().deletingLastPathComponent().appending(path: "scenarios/heart-strap.json5"))
    XCTAssertEqual(own, shipped, "copy scenarios/heart-strap.json5 to \(here.path)")
  }
}
