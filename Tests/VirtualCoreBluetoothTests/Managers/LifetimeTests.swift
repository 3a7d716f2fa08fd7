import CoreBluetooth
import ReplayTesting
import XCTest

/// What is left of an air, its managers and its peripherals when a test is over.
final class LifetimeTests: XCTestCase {
  private final class WeakThings {
    weak var air: VirtualAir?
    weak var app: RecordingApp?
    weak var manager: CBCentralManager?
    weak var peripheral: CBPeripheral?
    weak var characteristic: CBCharacteristic?
    var isGone: Bool { air == nil && app == nil && manager == nil && peripheral == nil && characteristic == nil }
    var words: String {
      "\(String(describing: air)) \(String(describing: app)) \(String(describing: manager)) \(String(describing: peripheral))"
    }
  }

  private static let stages = ["", "state", "found", "connected", "services", "discovered", "subscribed", "value", "ended"]

  /// Whatever an app was doing when its test ended.
  func testNothingIsLeft() throws {
    for queue in [nil, DispatchQueue(label: "app")] {
      for stage in Self.stages {
        let things = WeakThings()
        try run(to: stage, queue, things)
        // What was on the main queue is let go there.
        RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.001))
        queue?.sync {}
        XCTAssertTrue(things.isGone, "\(stage): \(things.words)")
      }
    }
  }

  private func run(to stage: String, _ queue: DispatchQueue?, _ things: WeakThings) throws {
    let notify = TimelineEntry(
      at: .seconds(1), origin: .peripheral, action: .notify(AttributeHandle(15), [0, 71]), anchor: Anchor(.connection, delay: .seconds(1)))
    let end = TimelineEntry(
      at: .seconds(5), origin: .peripheral, action: .disconnect(.connectionTimeout), anchor: Anchor(.connection, delay: .seconds(5)))
    let air = VirtualAir(scenarios: [Devices.strap([notify, end])])
    try VirtualAir.$current.withValue(air) {
      let app = RecordingApp(queue: queue)
      app.whenOn = { $0.scanForPeripherals(withServices: nil) }
      app.whenFound = { manager, peripheral in
        manager.stopScan()
        if peripheral.state == .disconnected { manager.connect(peripheral) }
      }
      app.whenConnected = { $0.discoverServices(nil) }
      app.whenDiscovered = { [unowned app] in if let rate = app.characteristic("2A37") { $0.setNotifyValue(true, for: rate) } }
      if stage != "" { try air.run(until: app.has(stage)) }
      (things.air, things.app, things.manager, things.peripheral) = (air, app, app.manager, app.peripheral)
      things.characteristic = app.characteristic("2A37")
      app.peripheral?.discoverServices(nil)
    }
    air.close()
  }

  /// After the end no call comes, on whichever queue, whatever was under way; what is called does nothing.
  func testNoCallComesLate() throws {
    for queue in [nil, DispatchQueue(label: "app")] {
      let air = VirtualAir(scenarios: [Devices.strap()])
      let app = VirtualAir.$current.withValue(air) { RecordingApp(queue: queue) }
      app.whenOn = { $0.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]) }
      air.start(pace: AirPace(speed: 1000))
      while !queueSync(queue, { app.has("found", 100) }) { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.001)) }
      air.close()
      let calls = queueSync(queue) { app.calls.count }
      app.manager.stopScan()
      app.manager.connect(app.found[0])
      air.advance(by: .seconds(1))
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.02))
      XCTAssertEqual(queueSync(queue) { app.calls.count }, calls)
      XCTAssertFalse(air.verdict.sessions.contains { $0.link > 0 })
    }
  }

  private func queueSync<Result>(_ queue: DispatchQueue?, _ body: () -> Result) -> Result { queue?.sync(execute: body) ?? body() }

  /// The verdict and the log stay as they were.
  func testTheVerdictStays() throws {
    let air = VirtualAir(scenarios: [Devices.strap()])
    try VirtualAir.$current.withValue(air) {
      let app = RecordingApp.connecting()
      try air.run(until: app.has("discovered"))
      app.peripheral?.readValue(for: try XCTUnwrap(app.characteristic("2A38")))
      try air.run(until: app.has("value"))
    }
    let before = ("\(air.verdict)", air.log.text, air.verdict.sessions.count)
    air.close()
    air.close()
    XCTAssertEqual("\(air.verdict)", before.0)
    XCTAssertEqual(air.log.text, before.1)
    XCTAssertEqual(air.verdict.sessions.count, before.2)
    XCTAssertEqual(before.2, 1)
  }
}
