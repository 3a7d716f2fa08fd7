import CoreBluetooth
import ReplayScenarios
import ReplayTesting
import XCTest

/// A device whose address is another on each connection (case D14).
final class RotatingAddressTests: ReplayTestCase {
  private static let identity = BluetoothAddress(0xC0AA_BBCC_DDEE, kind: .random)
  private static let rotated = [BluetoothAddress(0x5011_2233_4455, kind: .random), BluetoothAddress(0x6011_2233_4455, kind: .random)]

  /// Two sessions that the device ends; a bond is made in the first, or not.
  private static func scenario(bonded: Bool) -> Scenario {
    let sessions = rotated.enumerated().map { number, address in
      Session(
        address: address, bonded: bonded && number == 1,
        entries: [
          TimelineEntry(
            at: .seconds(1), origin: .peripheral, action: .disconnect(.remoteUserTerminatedConnection),
            anchor: Anchor(.connection, delay: .seconds(1)))
        ])
    }
    return Scenario(device: Device(address: identity, addresses: rotated, name: "Tag"), sessions: sessions)
  }

  /// Keeps every object that it is shown, and connects to the first.
  private final class App: NSObject, CBCentralManagerDelegate {
    var found: [CBPeripheral] = []
    var connected: [UUID] = []
    var ended = 0
    private var manager: CBCentralManager?

    override init() {
      super.init()
      manager = CBCentralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
    ) {
      if !found.contains(where: { $0 === peripheral }) { found.append(peripheral) }
      if found.count == 1, peripheral.state == .disconnected { central.connect(peripheral) }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { connected.append(peripheral.identifier) }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
      ended += 1
      central.connect(peripheral)
    }

    func connect(_ peripheral: CBPeripheral) { manager?.connect(peripheral) }
    func retrieve(_ identifier: UUID) -> CBPeripheral? { manager?.retrievePeripherals(withIdentifiers: [identifier]).first }
  }

  func testABondedPhoneKnowsItAgain() throws {
    let air = VirtualAir(scenarios: [Self.scenario(bonded: true)], seed: 1)
    try VirtualAir.$current.withValue(air) {
      let app = App()
      try air.run(until: app.ended == 2)
      XCTAssertEqual(app.found.count, 1)
      XCTAssertEqual(app.connected, [app.found[0].identifier, app.found[0].identifier])
      XCTAssertTrue(app.retrieve(app.found[0].identifier) === app.found[0])
    }
  }

  func testWithoutABondItIsAnother() throws {
    let air = VirtualAir(scenarios: [Self.scenario(bonded: false)], seed: 1)
    try VirtualAir.$current.withValue(air) {
      let app = App()
      try air.run(until: app.found.count == 2)
      XCTAssertEqual(app.ended, 1)
      XCTAssertNotEqual(app.found[0].identifier, app.found[1].identifier)
      // The one that was known waits for a device that does not come again.
      air.advance(by: .seconds(30))
      XCTAssertEqual(app.found[0].state, .connecting)
      app.connect(app.found[1])
      try air.run(until: app.ended == 2)
      XCTAssertEqual(app.connected, app.found.map(\.identifier))
      XCTAssertTrue(app.retrieve(app.found[0].identifier) === app.found[0])
    }
  }
}
