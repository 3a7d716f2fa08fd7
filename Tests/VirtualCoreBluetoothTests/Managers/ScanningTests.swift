import CoreBluetooth
import ReplayTesting
import XCTest

/// Section 6.2 of the sheet: scanning.
final class ScanningTests: ReplayTestCase {
  private func air(_ devices: Scenario...) -> VirtualAir { VirtualAir(scenarios: devices) }

  /// What an app is told that scans so for a second.
  private func found(
    on air: VirtualAir, _ services: [CBUUID]?, _ options: [String: Any]? = nil, queue: DispatchQueue? = nil
  ) -> RecordingApp {
    VirtualAir.$current.withValue(air) {
      let app = RecordingApp(queue: queue)
      app.whenOn = { $0.scanForPeripherals(withServices: services, options: options) }
      air.advance(by: .seconds(1))
      return app
    }
  }

  /// "nil and [] both mean no filter"
  func testNilAndNoneAreNoFilter() throws {
    for services in [nil, []] as [[CBUUID]?] {
      XCTAssertEqual(found(on: air(Devices.strap()), services).found.count, 1)
    }
    XCTAssertEqual(found(on: air(Devices.strap()), [CBUUID(string: "180D")]).found.count, 1)
    // A full form is the same service.
    XCTAssertEqual(found(on: air(Devices.strap()), [CBUUID(string: "0000180F-0000-1000-8000-00805F9B34FB")]).found.count, 1)
    XCTAssertEqual(found(on: air(Devices.strap()), [CBUUID(string: "1810")]).found.count, 0)
  }

  /// "A second scan call replaces filter and options"
  func testASecondScanReplacesTheFirst() throws {
    let air = air(Devices.strap())
    VirtualAir.$current.withValue(air) {
      let app = RecordingApp(queue: DispatchQueue(label: "app"))
      app.whenOn = {
        $0.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        $0.scanForPeripherals(withServices: [CBUUID(string: "1810")])
      }
      air.advance(by: .seconds(1))
      XCTAssertEqual(app.found.count, 0)
      app.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
      air.advance(by: .seconds(1))
      XCTAssertEqual(app.calls.filter { $0.hasPrefix("found") }.count, 2)
    }
  }

  /// What the scan before found is not told any more, also where both devices were heard at one moment.
  func testAScanThatIsReplacedInACallTellsNothingMore() throws {
    let other = Devices.strap(advertising: Advertising(data: [2, 1, 6, 3, 3, 0x10, 0x18], rssi: -70))
    let air = air(Devices.strap(), Devices.strap(), other)
    VirtualAir.$current.withValue(air) {
      let app = RecordingApp()
      app.whenOn = { $0.scanForPeripherals(withServices: nil) }
      app.whenFound = { manager, _ in
        manager.stopScan()
        manager.scanForPeripherals(withServices: [CBUUID(string: "1810")])
        app.whenFound = { _, _ in }
      }
      air.advance(by: .seconds(1))
      XCTAssertEqual(app.calls, ["state poweredOn", "found - -55", "found - -70"])
    }
  }

  /// Zeros that fill a packet, and a structure that reaches past its end, hide nothing of the scan response.
  func testAPacketsEndHidesNothingOfTheNext() throws {
    for tail in [[UInt8](repeating: 0, count: 28), [9, 9, 0x41]] {
      let advertising = Advertising(data: [2, 1, 6] + tail, scanResponse: Devices.advertising.scanResponse, rssi: -55)
      let app = found(on: air(Devices.strap(advertising: advertising)), nil)
      XCTAssertEqual(app.calls, ["state poweredOn", "found - -55", "found Strap -55"])
    }
  }

  /// "Duplicates off ≠ exactly one event: adv and scan response may come as two didDiscover (nil name, then name), later changes too"
  func testWithoutDuplicatesMoreIsToldOnce() throws {
    let app = found(on: air(Devices.strap()), nil)
    XCTAssertEqual(app.calls, ["state poweredOn", "found - -55", "found Strap -55"])
    let all = found(
      on: air(Devices.strap()), nil, [CBCentralManagerScanOptionAllowDuplicatesKey: true], queue: DispatchQueue(label: "app"))
    // 950 ms at 100 ms: two calls each time.
    XCTAssertEqual(all.calls.filter { $0.hasPrefix("found") }.count, 20)
  }

  /// "rssi 127 = not available"
  func testAnUnknownSignalIs127() throws {
    var advertising = Devices.advertising
    advertising.rssi = 127
    XCTAssertTrue(found(on: air(Devices.strap(advertising: advertising)), nil).has("found Strap 127"))
  }

  /// Section 4.6: every key, with its type.
  func testAllOfAnAdvertisementIsTold() throws {
    let advertising = Advertising(
      data: [2, 1, 6, 3, 3, 0x0D, 0x18, 3, 0x14, 0x12, 0x18, 2, 0x0A, 0xF4],
      scanResponse: [6, 9] + Array("Strap".utf8) + [5, 0xFF, 0x4C, 0x00, 1, 2] + [4, 0x16, 0x0F, 0x18, 87], connectable: false)
    let app = found(on: air(Devices.strap(advertising: advertising)), nil)
    let all = try XCTUnwrap(app.advertisements.last)
    XCTAssertEqual(all[CBAdvertisementDataLocalNameKey] as? String, "Strap")
    XCTAssertEqual(all[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID], [CBUUID(string: "180D")])
    XCTAssertEqual(all[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID], [CBUUID(string: "1812")])
    XCTAssertEqual(all[CBAdvertisementDataManufacturerDataKey] as? Data, Data([0x4C, 0x00, 1, 2]))
    XCTAssertEqual(all[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data], [CBUUID(string: "180F"): Data([87])])
    XCTAssertEqual((all[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue, -12)
    XCTAssertEqual((all[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue, false)
    XCTAssertEqual(all.count, 7)
    XCTAssertEqual(app.advertisements.first?.count, 4)
  }

  /// `CBCentralManagerScanOptionSolicitedServiceUUIDsKey`: peripherals that ask for these services.
  func testSolicitedServices() throws {
    let advertising = Advertising(data: [2, 1, 6, 3, 0x14, 0x12, 0x18])
    let devices = air(Devices.strap(), Devices.strap(advertising: advertising))
    let app = found(on: devices, nil, [CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "1812")]])
    XCTAssertEqual(app.found.count, 1)
    XCTAssertNotNil(app.advertisements.first?[CBAdvertisementDataSolicitedServiceUUIDsKey])
  }

  /// "Background: service filter needed, AllowDuplicates ignored"
  func testInTheBackground() throws {
    for (services, count) in [(nil, 0), ([CBUUID(string: "180D")], 2)] as [([CBUUID]?, Int)] {
      let air = air(Devices.strap())
      air.phone.isInBackground = true
      let app = found(on: air, services, [CBCentralManagerScanOptionAllowDuplicatesKey: true], queue: DispatchQueue(label: "app"))
      XCTAssertEqual(app.calls.filter { $0.hasPrefix("found") }.count, count)
      XCTAssertTrue(app.manager.isScanning)
    }
  }

  /// "Same identifier → same CBPeripheral instance within a manager"
  func testADeviceIsOneObject() throws {
    let air = air(Devices.strap())
    try VirtualAir.$current.withValue(air) {
      let app = RecordingApp()
      app.whenOn = { $0.scanForPeripherals(withServices: nil) }
      try air.run(until: app.has("found"))
      let peripheral = try XCTUnwrap(app.peripheral)
      XCTAssertTrue(app.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first === peripheral)
      app.manager.stopScan()
      app.manager.scanForPeripherals(withServices: nil)
      try air.run(until: app.has("found", 3))
      XCTAssertEqual(app.found.count, 1)
      // Another manager has its own.
      let other = RecordingApp.connecting()
      try air.run(until: other.has("connected"))
      XCTAssertFalse(other.peripheral === peripheral)
      XCTAssertEqual(other.peripheral?.identifier, peripheral.identifier)
    }
  }

  /// Identifiers are stable over runs, and are the scenario's where that has one.
  func testIdentifiers() throws {
    let identifier = UUID()
    XCTAssertEqual(found(on: air(Devices.strap(identifier: identifier.uuidString)), nil).peripheral?.identifier, identifier)
    let made = found(on: air(Devices.strap()), nil).peripheral?.identifier
    XCTAssertNotNil(made)
    XCTAssertEqual(found(on: air(Devices.strap()), nil).peripheral?.identifier, made)
  }

  /// Two managers scan side by side, each for its own.
  func testTwoManagersScan() throws {
    let air = air(Devices.strap())
    VirtualAir.$current.withValue(air) {
      let (one, other) = (RecordingApp(), RecordingApp())
      one.whenOn = { $0.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
      other.whenOn = { $0.scanForPeripherals(withServices: [CBUUID(string: "1810")]) }
      air.advance(by: .seconds(1))
      XCTAssertEqual([one.found.count, other.found.count], [1, 0])
      one.manager.stopScan()
      other.manager.scanForPeripherals(withServices: nil)
      air.advance(by: .seconds(1))
      XCTAssertEqual([one.found.count, other.found.count], [1, 1])
      XCTAssertEqual([one.manager.isScanning, other.manager.isScanning], [false, true])
    }
  }
}
