import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// A device that changes its private address came up as a new one in apps' lists, each quarter of an hour once more, and the attempt to
/// connect to the one that was known waited for ever.
final class RotatedAddressTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    private let isMended: Bool
    /// The app's list of devices.
    private(set) var devices: Set<String> = []

    init(isMended: Bool) { self.isMended = isMended }

    override func accepts(_ peripheral: CBPeripheral, _ advertisement: [String: Any]) -> Bool {
      // The bug: the identifier is that of the phone for an address that it knows.
      let serial = advertisement[CBAdvertisementDataManufacturerDataKey] as? Data
      let key = isMended ? serial.map { $0.map(String.init).joined(separator: ".") } ?? "" : peripheral.identifier.uuidString
      if devices.insert(key).inserted {
        tell("new device")
        return device == nil
      }
      return isMended || peripheral === device
    }

    override func ended(_ error: NSError?) {
      if !isMended { connect() }
      scan()
    }
  }

  private func run(_ scenario: Scenario, isMended: Bool) throws -> (app: App, air: VirtualAir) {
    try run(scenario, { App(isMended: isMended) }, { $1.advance(by: .seconds(60)) })
  }

  private func assertStands(_ scenario: Scenario, file: StaticString = #filePath, line: UInt = #line) throws {
    let (app, air) = try run(scenario, isMended: true)
    XCTAssertEqual(app.devices.count, 1, file: file, line: line)
    XCTAssertEqual(app.connections, 2, file: file, line: line)
    assertVerdict(air, file: file, line: line)
  }

  func testThePhoneKnowsABondedDeviceAgain() throws {
    let scenario = try scenario("rotated-address")
    try assertStands(scenario)
    let (app, air) = try run(scenario, isMended: false)
    XCTAssertEqual(app.devices.count, 1)
    assertVerdict(air)
  }

  func testWithoutABondItIsAnotherForThePhone() throws {
    var scenario = try scenario("rotated-address")
    for index in scenario.sessions.indices { scenario.sessions[index].bonded = false }
    try assertStands(scenario)
    let (app, air) = try run(scenario, isMended: false)
    XCTAssertEqual(app.devices.count, 2)
    assertFails(
      air, "a connection 2 times within 60000 ms: it came once", "the mark \"new device\" at most once: it came 2 times")
  }

  /// The same where the address changes at any other moment.
  func testAnAddressThatChangesWhileTheLinkIsUp() throws {
    for (fault, stands) in [("rotateAddress", false), ("rotateAddress:resolvable", true)] {
      var scenario = try scenario("rotated-address")
      for index in scenario.sessions.indices { scenario.sessions[index].address = nil }
      scenario.faults = ["\(fault)@phase:discovery"]
      try assertStands(scenario)
      XCTAssertEqual(try run(scenario, isMended: false).air.verdict.passed, stands, fault)
    }
  }
}
