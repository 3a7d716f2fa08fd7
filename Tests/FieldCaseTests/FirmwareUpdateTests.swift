import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// After an update of a device's firmware its handles had moved, and apps went on with what they had discovered before: they wrote to other
/// attributes than they meant, or to none.
final class FirmwareUpdateTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    private let isMended: Bool
    private var kept: CBCharacteristic?
    private var step: UInt8 = 0

    init(isMended: Bool) { self.isMended = isMended }

    override func connected(_ peripheral: CBPeripheral) {
      // The bug: what was found once is used for good.
      if !isMended, kept != nil { return proceed() }
      super.connected(peripheral)
    }

    override func ready() {
      kept = characteristic(FieldApp.control)
      proceed()
    }

    override func servicesChanged() { if isMended { discover() } }

    override func written(_ characteristic: CBCharacteristic, _ error: NSError?) {
      // The user does the next thing a second later.
      if error == nil, step == 1 { after(1) { if self.device?.state == .connected, !self.isMended { self.proceed() } } }
    }

    override func ended(_ error: NSError?) { connect() }

    private func proceed() {
      step += 1
      if let kept { device?.writeValue(Data([step]), for: kept, type: .withResponse) }
    }
  }

  private func run(_ scenario: Scenario, isMended: Bool) throws -> VirtualAir {
    try run(scenario, { App(isMended: isMended) }, { $1.advance(by: .seconds(20)) }).air
  }

  func testTheDeviceTellsThatItsServicesHaveChanged() throws {
    let scenario = try scenario("firmware-update-told")
    let wrong = try run(scenario, isMended: false)
    assertFails(wrong, "a write to 0x0018 once: it came 0 times")
    XCTAssertTrue(wrong.verdict.misuse.contains { $0.contains("is not a valid characteristic") })
    let air = try run(scenario, isMended: true)
    assertVerdict(air)
    XCTAssertEqual(air.verdict.misuse, [])
    XCTAssertEqual(air.pdus.filter { $0.bytes[0] == 0x12 }.map(\.bytes), [[0x12, 0x15, 0, 1], [0x12, 0x18, 0, 2]])
  }

  func testTheDeviceIsAnotherAfterItWasGone() throws {
    let scenario = try scenario("firmware-update-silent")
    let wrong = try run(scenario, isMended: false)
    assertFails(wrong, "a write to 0x0018 once: it came 0 times")
    XCTAssertTrue(wrong.verdict.misuse.contains { $0.contains("is not a valid characteristic") })
    assertVerdict(try run(scenario, isMended: true))
  }

  /// A Generic Attribute service with a Database Hash, behind all others.
  private static func hash(_ byte: UInt8) -> [Attribute] {
    let (service, declaration, value) = (AttributeHandle(0x30), AttributeHandle(0x31), AttributeHandle(0x32))
    return [
      Attribute(handle: service, kind: .service(uuid: BluetoothUUID(0x1801 as UInt16), primary: true, end: value)),
      Attribute(
        handle: declaration, kind: .characteristic(uuid: BluetoothUUID(0x2B2A as UInt16), properties: 2, value: value),
        content: [UInt8](repeating: byte, count: 16)),
    ]
  }

  /// Of a bonded device the phone itself remembers the handles. Where that does not tell of the change, whatever is written goes to a stale
  /// handle, and the verdict says so; where it tells, the app that looks again finds the new ones.
  func testThePhoneRemembersTheHandlesOfABondedDevice() throws {
    var scenario = try scenario("firmware-update-silent")
    for index in scenario.sessions.indices { scenario.sessions[index].bonded = true }
    let silent = try run(scenario, isMended: true)
    assertFails(silent, "a write to 0x0018 once: it came 0 times")
    let report = try XCTUnwrap(silent.verdict.sessions.last)
    XCTAssertEqual(report.nearMisses.map { $0.stale != nil }, [true], "\(silent.verdict)")
    XCTAssertTrue(silent.verdict.notes.contains { $0.contains("the handle is stale") })

    // A Database Hash tells, where the device has one and makes it anew.
    for isNew in [true, false] {
      var hashed = scenario
      hashed.database += Self.hash(1)
      hashed.laterDatabases[0] += Self.hash(isNew ? 2 : 1)
      for isMended in [true, false] {
        let air = try run(hashed, isMended: isMended)
        if isNew, isMended { assertVerdict(air) } else { assertFails(air, "a write to 0x0018 once: it came 0 times") }
      }
    }

    var telling = try self.scenario("firmware-update-told")
    scenario.database = telling.database
    scenario.laterDatabases = telling.laterDatabases
    telling.sessions[0].entries[1].database = nil
    telling.sessions[0].entries[1].anchor?.cause = .connection
    scenario.sessions[1].entries.insert(telling.sessions[0].entries[1], at: 0)
    let told = try run(scenario, isMended: true)
    assertVerdict(told)
    assertFails(try run(scenario, isMended: false), "a write to 0x0018 once: it came 0 times")
  }

  /// Service Changed itself has not moved, so it is subscribed to as before, and tells of the next update, too.
  func testAnUpdateAfterTheOther() throws {
    var scenario = try scenario("firmware-update-told")
    scenario.laterDatabases.append(scenario.database)
    scenario.sessions[0].entries[2].id = "second"
    var again = scenario.sessions[0].entries[1]
    (again.at, again.database, again.anchor) = (.seconds(3), 3, Anchor(.entry("second"), delay: .milliseconds(500)))
    scenario.sessions[0].entries.append(again)
    let air = try run(scenario, isMended: true)
    XCTAssertEqual(air.pdus.filter { $0.bytes[0] == 0x12 }.map(\.bytes), [[0x12, 0x15, 0, 1], [0x12, 0x18, 0, 2], [0x12, 0x15, 0, 3]])
    XCTAssertEqual(air.verdict.sessions.first?.notSendable, [])
  }

  /// A fault moves the handles of a bonded device: what the phone remembers is stale, and the verdict says that.
  func testAFaultMovesWhatThePhoneRemembers() throws {
    for isBonded in [true, false] {
      var scenario = try scenario("firmware-update-silent")
      (scenario.laterDatabases, scenario.expectations) = ([], [])
      scenario.sessions[1] = Session(entries: [scenario.sessions[0].entries[0]])
      for index in scenario.sessions.indices { scenario.sessions[index].bonded = isBonded }
      scenario.faults = ["moveHandles:0x0010+6@phase:connecting#2"]
      let air = try run(scenario, isMended: true)
      XCTAssertEqual(
        air.verdict.notes.contains { $0.contains("the handle is stale: 0x0015 was FFE2 before a fault moved it by 6") }, isBonded)
    }
  }
}
