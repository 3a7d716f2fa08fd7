import CoreBluetooth
import ReplayTesting
import XCTest

/// Section 6.9 of the sheet: log lines for wrong uses, in the verdict. Those of commands below poweredOn and of peripherals that nobody keeps
/// are in `StateTests` and `ConnectionTests`.
final class MisuseTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [Devices.strap()]) }

  private func connected() throws -> (RecordingApp, CBPeripheral) {
    let app = RecordingApp.connecting()
    try air.run(until: app.has("discovered"))
    return (app, try XCTUnwrap(app.peripheral))
  }

  /// "GATT command not connected"
  func testCommandsWithoutAConnection() throws {
    let (app, peripheral) = try connected()
    let value = try XCTUnwrap(app.characteristic("2A38"))
    app.manager.cancelPeripheralConnection(peripheral)
    air.advance(by: .seconds(1))
    peripheral.readRSSI()
    peripheral.readValue(for: value)
    peripheral.writeValue(Data([1]), for: value, type: .withResponse)
    peripheral.discoverServices(nil)
    XCTAssertEqual(air.verdict.misuse.count, 4)
    for line in air.verdict.misuse {
      XCTAssertTrue(line.hasPrefix("API MISUSE: <CBPeripheral: identifier = \(peripheral.identifier)"), line)
      XCTAssertTrue(line.hasSuffix("can only accept commands while in the connected state"), line)
    }
  }

  /// "discovery without delegate … (same form for RSSI)": no delegate, and one that has not the method.
  func testCommandsWithoutADelegate() throws {
    final class Half: NSObject, CBPeripheralDelegate {}
    let (app, peripheral) = try connected()
    for delegate in [nil, Half()] {
      peripheral.delegate = delegate
      peripheral.discoverServices(nil)
      peripheral.readRSSI()
      withExtendedLifetime((app, delegate)) { air.advance(by: .seconds(1)) }
    }
    let misuse = air.verdict.misuse
    XCTAssertEqual(misuse.count, 4)
    XCTAssertEqual(Set(misuse).count, 2)
    XCTAssertTrue(
      misuse.first?.hasPrefix("API MISUSE: Discovering services for peripheral <CBPeripheral:") ?? false, misuse.first ?? "")
    XCTAssertTrue(
      misuse.first?.hasSuffix("while delegate is either nil or does not implement peripheral:didDiscoverServices:") ?? false)
    XCTAssertTrue(misuse.contains { $0.hasSuffix("while delegate is either nil or does not implement peripheral:didReadRSSI:error:") })
  }

  /// "duplicates on main queue"
  func testDuplicatesOnTheMainQueue() throws {
    for (queue, count) in [(nil, 1), (DispatchQueue.main, 1), (DispatchQueue(label: "app"), 0)] {
      let air = try makeAir()
      VirtualAir.$current.withValue(air) {
        let app = RecordingApp(queue: queue)
        app.whenOn = { $0.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]) }
        air.advance(by: .seconds(1))
        XCTAssertTrue(app.has("found", 10))
      }
      XCTAssertEqual(air.verdict.misuse.count, count)
      XCTAssertTrue(air.verdict.misuse.allSatisfy { $0.hasPrefix("WARNING: <CBCentralManager> is disabling duplicate filtering, but") })
    }
  }

  /// A peripheral of another manager is none of this one's.
  func testAPeripheralOfAnotherManager() throws {
    let (app, peripheral) = try connected()
    let other = RecordingApp()
    air.advance(by: .seconds(1))
    other.manager.connect(peripheral)
    air.advance(by: .seconds(1))
    XCTAssertFalse(other.has("connected"))
    XCTAssertFalse(app.has("ended"))
    XCTAssertEqual(air.verdict.misuse.count, 1)
  }

  /// "Writing the CCCD as descriptor raises NSInternalInconsistencyException" (6.6): no test can go on from that, so the verdict fails whatever it
  /// is asked for.
  func testExceptionsFailTheVerdict() throws {
    let (app, peripheral) = try connected()
    XCTAssertTrue(air.verdict.passed)
    final class App: NSObject, CBPeripheralDelegate {
      var descriptors: [CBDescriptor] = []
      func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?) {
        descriptors = characteristic.descriptors ?? []
      }
    }
    let delegate = App()
    peripheral.delegate = delegate
    peripheral.discoverDescriptors(for: try XCTUnwrap(app.characteristic("2A37")))
    try air.run(until: !delegate.descriptors.isEmpty)
    peripheral.writeValue(Data([1, 0]), for: try XCTUnwrap(delegate.descriptors.first))
    XCTAssertEqual(air.verdict.failures.count, 1)
    XCTAssertTrue(air.verdict.failures.first?.hasPrefix("EXCEPTION: NSInternalInconsistencyException: ") ?? false)
    XCTAssertEqual(air.verdict.misuse, air.verdict.failures)
    XCTAssertFalse(air.log.text.contains("> 121000"))
  }

  /// Wrong uses are notes, or failures where that is asked for.
  func testMisuseFailsOnRequest() throws {
    let (app, peripheral) = try connected()
    app.manager.cancelPeripheralConnection(peripheral)
    air.advance(by: .seconds(1))
    peripheral.readRSSI()
    XCTAssertTrue(air.verdict.passed)
    XCTAssertTrue(air.verdict.notes.contains { $0.hasPrefix("API MISUSE") })
    air.failOn = .misuse
    XCTAssertEqual(air.verdict.failures, air.verdict.misuse)
    XCTAssertEqual(air.verdict.failures.count, 1)
  }
}
