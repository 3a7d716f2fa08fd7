import CoreBluetooth
import ReplayTesting
import XCTest

/// Section 6.7 of the sheet: connection events and restoration.
final class OtherFeatureTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [Devices.strap()]) }

  /// "connection events: any peripheral matching services or identifiers, also ones not connected by the app"
  func testConnectionEvents() throws {
    let app = RecordingApp()
    air.advance(by: .milliseconds(100))
    app.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180D")]])
    // Its services are not known before somebody has looked at them, or heard of them.
    let other = RecordingApp.connecting()
    try air.run(until: other.has("discovered"))
    XCTAssertEqual(app.calls, ["state poweredOn", "event peerConnected"])
    XCTAssertEqual(app.peripheral?.identifier, other.peripheral?.identifier)
    XCTAssertEqual(app.peripheral?.state, .disconnected)
    other.manager.cancelPeripheralConnection(try XCTUnwrap(other.peripheral))
    try air.run(until: app.has("event peerDisconnected"))
    app.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [UUID()]])
    air.phone.connectOtherApp()
    air.advance(by: .seconds(1))
    XCTAssertFalse(app.has("event", 3))
    air.phone.disconnectOtherApp()
    app.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [try XCTUnwrap(other.peripheral?.identifier)]])
    air.phone.connectOtherApp()
    air.advance(by: .seconds(1))
    XCTAssertTrue(app.has("event", 3))
    app.manager.registerForConnectionEvents()
    air.phone.disconnectOtherApp()
    air.advance(by: .seconds(1))
    XCTAssertFalse(app.has("event", 4))
  }

  private static let identifier = "com.example.restored"
  private static let managerOptions = [CBCentralManagerOptionRestoreIdentifierKey: identifier]

  /// "Restoration dict: peripherals (with services, notify states), scan services, scan options; comes before didUpdateState"
  func testAnAppIsEndedAndComesBack() throws {
    let notify = TimelineEntry(
      at: .seconds(10), origin: .peripheral, action: .notify(AttributeHandle(15), [0, 71]), anchor: Anchor(.connection, delay: .seconds(10))
    )
    let air = VirtualAir(scenarios: [Devices.strap([notify])])
    defer { air.close() }
    try VirtualAir.$current.withValue(air) {
      var first: RecordingApp? = RecordingApp.connecting(managerOptions: Self.managerOptions)
      try air.run(until: first?.has("discovered") ?? false)
      let rate = try XCTUnwrap(first?.characteristic("2A37"))
      rate.service?.peripheral?.setNotifyValue(true, for: rate)
      try air.run(until: first?.has("subscribed true") ?? false)
      first?.manager.scanForPeripherals(
        withServices: [CBUUID(string: "180F")], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
      air.advance(by: .seconds(1))
      let calls = first?.calls
      air.phone.terminateApp()
      air.advance(by: .seconds(20))
      XCTAssertEqual(first?.calls, calls)
      first = nil

      let app = RecordingApp(options: Self.managerOptions)
      try air.run(until: app.has("state"))
      XCTAssertEqual(app.calls.prefix(2), ["restore", "state poweredOn"])
      let peripheral = try XCTUnwrap(app.peripheral)
      XCTAssertEqual(app.found.count, 1)
      XCTAssertEqual(peripheral.state, .connected)
      let restored = try XCTUnwrap(app.characteristic("2A37"))
      XCTAssertTrue(restored.isNotifying)
      XCTAssertEqual(app.restored[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID], [CBUUID(string: "180F")])
      let options = app.restored[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
      XCTAssertEqual((options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber)?.boolValue, true)
      XCTAssertTrue(app.manager.isScanning)
      // What came while there was no app is told to the new one; the link never ended.
      XCTAssertEqual(restored.value, Data([0, 71]))
      peripheral.delegate = app
      peripheral.readValue(for: try XCTUnwrap(app.characteristic("2A38")))
      try air.run(until: app.has("value 2A38 01"))
      XCTAssertEqual(air.verdict.sessions.count, 1)
    }
  }

  /// A link that ends while there is no app is told to the one that comes back, after its first state.
  func testALinkEndsWhileTheAppIsGone() throws {
    let air = VirtualAir(scenarios: [Devices.hangingUp(after: .seconds(5))])
    defer { air.close() }
    try VirtualAir.$current.withValue(air) {
      let first = RecordingApp.connecting(managerOptions: Self.managerOptions)
      try air.run(until: first.has("discovered"))
      air.phone.terminateApp()
      air.advance(by: .seconds(20))
      let app = RecordingApp(options: Self.managerOptions)
      try air.run(until: app.has("ended"))
      XCTAssertEqual(app.calls.map { $0.prefix(10) }, ["restore", "state powe", "ended CBEr"])
    }
  }

  /// A connection that is under way comes about for the app that comes back.
  func testAPendingConnectionIsRestored() throws {
    let air = try makeAir()
    defer { air.close() }
    try VirtualAir.$current.withValue(air) {
      air.inject(.delayConnection(.seconds(60)), at: .phase(.connecting))
      let first = RecordingApp.connecting(managerOptions: Self.managerOptions)
      air.advance(by: .seconds(5))
      air.phone.terminateApp()
      XCTAssertFalse(first.has("connected"))
      let app = RecordingApp(options: Self.managerOptions)
      try air.run(until: app.has("connected"))
      XCTAssertEqual(app.calls, ["restore", "state poweredOn", "connected"])
      XCTAssertEqual(app.peripheral?.state, .connected)
    }
  }

  /// A manager with another identifier, or none, begins anew; what was not to be restored has ended.
  func testWithoutAnIdentifierNothingIsRestored() throws {
    var first: RecordingApp? = RecordingApp.connecting()
    try air.run(until: first?.has("discovered") ?? false)
    air.phone.terminateApp()
    air.advance(by: .seconds(1))
    XCTAssertFalse(first?.has("ended") ?? true)
    XCTAssertTrue(air.log.text.contains("disconnected"))
    first = nil
    let app = RecordingApp(options: Self.managerOptions)
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.calls, ["state poweredOn"])
  }
}
