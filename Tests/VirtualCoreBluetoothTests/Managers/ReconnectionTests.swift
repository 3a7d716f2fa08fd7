import CoreBluetooth
import ReplayTesting
import XCTest

/// Section 6.4 of the sheet: reconnection by the system.
final class ReconnectionTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [Devices.hangingUp(after: .seconds(1))]) }
  private let options: [String: Any] = [CBConnectPeripheralOptionEnableAutoReconnect: true]

  /// "Opt in with connect option EnableAutoReconnect; on an unexpected drop the timestamped callback tells isReconnecting true, then didConnect
  /// follows"; "timestamp may be now or a few seconds in the past".
  func testTheSystemReconnects() throws {
    let app = RecordingApp.connecting(options: options)
    app.whenConnected = { _ in }
    try air.run(until: app.has("connected", 2))
    let ended = try XCTUnwrap(app.calls.first { $0.hasPrefix("ended") })
    XCTAssertTrue(ended.hasPrefix("ended CBError 7, reconnecting at 1.05"), ended)
    XCTAssertEqual(app.peripheral?.state, .connected)
    // What the app ends stays ended.
    app.manager.cancelPeripheralConnection(try XCTUnwrap(app.peripheral))
    air.advance(by: .seconds(10))
    XCTAssertFalse(app.has("connected", 3))
    XCTAssertTrue(app.calls.last?.hasPrefix("ended nil at") ?? false)
  }

  /// It goes on for as long as the device is not there, and can be given up.
  func testTheAppGivesUp() throws {
    let app = RecordingApp.connecting(options: options)
    app.whenConnected = { _ in }
    try air.run(until: app.has("connected"))
    air.inject(.delayConnection(.seconds(100)), at: .phase(.connecting))
    try air.run(until: app.has("ended"))
    XCTAssertEqual(app.peripheral?.state, .connecting)
    air.advance(by: .seconds(50))
    app.manager.cancelPeripheralConnection(try XCTUnwrap(app.peripheral))
    air.advance(by: .seconds(100))
    XCTAssertFalse(app.has("connected", 2))
    XCTAssertTrue(app.calls.last?.hasPrefix("ended nil") ?? false)
  }

  /// Without the option nothing is reconnected, and the newer call says so.
  func testWithoutTheOption() throws {
    let app = RecordingApp.connecting()
    try air.run(until: app.has("ended"))
    air.advance(by: .seconds(10))
    XCTAssertFalse(app.has("connected", 2))
    XCTAssertFalse(app.calls.contains { $0.contains("reconnecting") })
  }

  /// "CONFLICT, important: if the app implements both disconnect variants the framework calls the legacy one only, and no reconnect is reported":
  /// a switch of the phone, and of one manager.
  func testTheLegacyRule() throws {
    air.phone.conventions.disconnections = .legacyOnly
    let (legacy, newer) = (RecordingApp.connecting(options: options), RecordingApp.connecting(options: options))
    air.phone.setDisconnections(.timestamped, for: newer.manager)
    try air.run(until: legacy.has("ended") && newer.has("ended"))
    XCTAssertTrue(legacy.calls.contains("ended CBError 7"))
    XCTAssertTrue(newer.calls.contains { $0.hasPrefix("ended CBError 7, reconnecting at") })
    try air.run(until: legacy.has("connected", 2) && newer.has("connected", 2))
  }

  /// "Nordic: a default implementation of the new variant forwards to the legacy one": an app that has only the older one.
  func testAnAppWithTheOlderCallOnly() throws {
    final class App: NSObject, CBCentralManagerDelegate {
      var ended: [String] = []
      var connected = 0
      private var manager: CBCentralManager?
      private var peripheral: CBPeripheral?
      override init() {
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
      }
      func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }
      func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
      ) {
        self.peripheral = peripheral
        central.stopScan()
        if peripheral.state == .disconnected {
          central.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        }
      }
      func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { connected += 1 }
      func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
        ended.append(words(error))
      }
    }
    let app = App()
    try air.run(until: app.connected == 2)
    XCTAssertEqual(app.ended, ["CBError 7"])
  }
}
