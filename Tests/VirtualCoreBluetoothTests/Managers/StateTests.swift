import CoreBluetooth
import ReplayTesting
import XCTest

/// Section 6.1 of the sheet: state, queue, misuse.
final class StateTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [Devices.strap()]) }

  /// "nil queue = main queue; every delegate call comes on the given queue"
  func testCallsComeOnTheGivenQueue() throws {
    final class App: NSObject, CBCentralManagerDelegate {
      let key = DispatchSpecificKey<Bool>()
      let queue: DispatchQueue?
      var isRight: [Bool] = []
      var manager: CBCentralManager?
      init(_ queue: DispatchQueue?) {
        self.queue = queue
        super.init()
        queue?.setSpecific(key: key, value: true)
        manager = CBCentralManager(delegate: self, queue: queue)
      }
      func centralManagerDidUpdateState(_ central: CBCentralManager) {
        isRight.append(queue == nil ? Thread.isMainThread : DispatchQueue.getSpecific(key: key) == true)
        central.scanForPeripherals(withServices: nil)
      }
      func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
      ) { isRight.append(queue == nil ? Thread.isMainThread : DispatchQueue.getSpecific(key: key) == true) }
    }
    let (own, main) = (App(DispatchQueue(label: "own")), App(nil))
    air.advance(by: .seconds(1))
    XCTAssertEqual(own.isRight, [true, true, true])
    XCTAssertEqual(main.isRight, [true, true, true])
  }

  /// "First didUpdateState is always asynchronous after init"; section 5, row 0: "Init returns first, state reads unknown".
  func testTheFirstStateComesLater() throws {
    for delay in [50, 500] {
      let air = try makeAir()
      air.phone.firstStateDelay = .milliseconds(delay)
      VirtualAir.$current.withValue(air) {
        let app = RecordingApp()
        XCTAssertEqual(app.manager.state, .unknown)
        air.advance(by: .milliseconds(delay - 1))
        XCTAssertEqual(app.calls, [])
        air.advance(by: .milliseconds(1))
        XCTAssertEqual(app.calls, ["state poweredOn"])
      }
    }
  }

  /// "Commands below poweredOn are ignored and log API MISUSE"; "retrieve… calls return [] unless poweredOn (since iOS
  /// 13)"; the line of 6.9 "command while not powered on".
  func testCommandsBelowPoweredOnAreIgnored() throws {
    let identifier = UUID()
    air.phone.state = .poweredOff
    let app = RecordingApp()
    air.advance(by: .seconds(1))
    app.manager.scanForPeripherals(withServices: nil)
    app.manager.stopScan()
    app.manager.registerForConnectionEvents()
    XCTAssertEqual(app.manager.retrievePeripherals(withIdentifiers: [identifier]), [])
    XCTAssertEqual(app.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")]), [])
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.calls, ["state poweredOff"])
    XCTAssertFalse(app.manager.isScanning)
    XCTAssertEqual(air.verdict.misuse.count, 5)
    for line in air.verdict.misuse {
      XCTAssertTrue(line.hasPrefix("API MISUSE: <CBCentralManager> can only accept this command while in the powered on state"), line)
    }
  }

  /// "state < poweredOn: scan ends, links end"; "Radio switched off: no didDisconnect on iOS ≥ 10/11; peripheral.state reads disconnected; a
  /// later cancel logs misuse and gives no callback"; "isScanning is false when state < poweredOn".
  func testTheRadioIsSwitchedOff() throws {
    let app = RecordingApp.connecting()
    try air.run(until: app.has("discovered"))
    app.manager.scanForPeripherals(withServices: nil)
    XCTAssertTrue(app.manager.isScanning)
    let peripheral = try XCTUnwrap(app.peripheral)
    app.calls = []
    air.phone.state = .poweredOff
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.calls.filter { !$0.hasPrefix("found") }, ["state poweredOff"])
    XCTAssertEqual(peripheral.state, .disconnected)
    XCTAssertNil(peripheral.services)
    XCTAssertFalse(app.manager.isScanning)
    let before = app.calls
    app.manager.cancelPeripheralConnection(peripheral)
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.calls, before)
    XCTAssertEqual(air.verdict.misuse.count, 1)
    // The objects stay valid: only a state below poweredOff ends that.
    app.whenOn = { _ in }
    air.phone.state = .poweredOn
    air.advance(by: .seconds(1))
    app.manager.connect(peripheral)
    try air.run(until: app.has("connected"))
    XCTAssertEqual(air.verdict.misuse.count, 1)
  }

  /// The other side of the row: "iOS 9 did". The table of errors has "radio off: no callback".
  func testAnOlderPhoneTellsOfTheLinks() throws {
    air.phone.conventions.radioOff = .disconnects
    let app = RecordingApp.connecting()
    try air.run(until: app.has("discovered"))
    app.calls = []
    air.phone.state = .poweredOff
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.calls.map { $0.prefix(8) }, ["ended CB", "state po"])
  }

  /// "state < poweredOff (resetting/unauthorized/unsupported/unknown): every CBPeripheral from this manager is invalid and must be
  /// re-retrieved", against "Nordic mock forgets its peripherals at any state other than poweredOn".
  func testPeripheralsAreInvalidated() throws {
    let below: [CBManagerState] = [.resetting, .unauthorized, .unsupported, .unknown]
    for (invalidation, state, isValid) in below.map({ (VirtualPhone.Conventions.Invalidation.belowPoweredOff, $0, false) })
      + [(.belowPoweredOff, .poweredOff, true), (.unlessPoweredOn, .poweredOff, false), (.unlessPoweredOn, .resetting, false)]
    {
      let air = try makeAir()
      air.phone.conventions.invalidation = invalidation
      try VirtualAir.$current.withValue(air) {
        let app = RecordingApp.connecting()
        try air.run(until: app.has("discovered"))
        let peripheral = try XCTUnwrap(app.peripheral)
        (app.calls, app.whenOn) = ([], { _ in })
        air.phone.state = state
        air.advance(by: .seconds(1))
        XCTAssertEqual(app.calls, ["state \(state)"])
        XCTAssertEqual(peripheral.state, .disconnected)
        air.phone.authorization = .allowedAlways
        air.phone.state = .poweredOn
        air.advance(by: .seconds(1))
        app.manager.connect(peripheral)
        air.advance(by: .seconds(1))
        XCTAssertEqual(app.has("connected"), isValid, "\(invalidation) \(state)")
        XCTAssertEqual(air.verdict.misuse.count, isValid ? 0 : 1)
        let again = try XCTUnwrap(app.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first)
        XCTAssertEqual(again === peripheral, isValid)
        app.manager.connect(again)
        try air.run(until: app.has("connected"))
      }
    }
  }

  /// "states and authorization and their changes at run time": a user who takes the permission away, and gives it back.
  func testTheUserDecides() throws {
    air.phone.authorization = .notDetermined
    let app = RecordingApp()
    air.advance(by: .seconds(1))
    XCTAssertEqual(CBCentralManager.authorization, .notDetermined)
    XCTAssertEqual(app.calls, [])
    XCTAssertEqual(app.manager.state, .unknown)
    for (authorization, state) in [
      (CBManagerAuthorization.allowedAlways, CBManagerState.poweredOn), (.denied, .unauthorized), (.allowedAlways, .poweredOn),
      (.restricted, .unauthorized),
    ] {
      app.calls = []
      air.phone.authorization = authorization
      air.advance(by: .seconds(1))
      XCTAssertEqual(app.calls, ["state \(state)"])
      XCTAssertEqual(app.manager.state, state)
      XCTAssertEqual(CBCentralManager.authorization, authorization)
      XCTAssertEqual(air.phone.state, state)
    }
  }

  /// Connections go with the permission as with the radio, those that are being made, too; with it they can be made again.
  func testConnectionsGoWithThePermission() throws {
    for options in [nil, [CBConnectPeripheralOptionEnableAutoReconnect: true], [CBConnectPeripheralOptionStartDelayKey: 5]]
      as [[String: Any]?]
    {
      for isPending in [true, false] {
        let air = try makeAir()
        try VirtualAir.$current.withValue(air) {
          if isPending { air.inject(.delayConnection(.seconds(5)), at: .phase(.connecting)) }
          let app = RecordingApp.connecting(options: options)
          try air.run(until: isPending ? app.peripheral?.state == .connecting : app.has("discovered"))
          let peripheral = try XCTUnwrap(app.peripheral)
          (app.whenOn, app.calls) = ({ _ in }, [])
          air.phone.authorization = .denied
          air.advance(by: .seconds(1))
          XCTAssertEqual(peripheral.state, .disconnected)
          XCTAssertEqual(app.calls.filter { !$0.hasPrefix("found") }, ["state unauthorized"])
          air.phone.authorization = .allowedAlways
          air.advance(by: .seconds(20))
          XCTAssertFalse(app.has("connected"))
          let again = try XCTUnwrap(app.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first)
          app.manager.connect(again)
          try air.run(until: app.has("connected"))
        }
      }
    }
  }

  /// The same state is told once.
  func testAStateThatIsKnownIsNotToldAgain() throws {
    let app = RecordingApp()
    for state in [CBManagerState.poweredOn, .poweredOff, .poweredOff, .resetting, .poweredOn, .poweredOn] {
      air.phone.state = state
      air.advance(by: .seconds(1))
    }
    XCTAssertEqual(app.calls, ["state poweredOn", "state poweredOff", "state resetting", "state poweredOn"])
  }

  /// In place of key-value observation: `state` and `isScanning` as sequences.
  func testChangesCanBeFollowed() throws {
    let app = RecordingApp()
    let (states, scanning) = (app.manager.stateUpdates, app.manager.isScanningUpdates)
    air.advance(by: .seconds(1))
    app.manager.scanForPeripherals(withServices: nil)
    air.phone.state = .poweredOff
    air.advance(by: .seconds(1))
    app.made = nil
    air.advance(by: .seconds(1))
    let seen = XCTestExpectation()
    Task.detached {
      var (all, flags): ([CBManagerState], [Bool]) = ([], [])
      for await state in states { all.append(state) }
      for await flag in scanning { flags.append(flag) }
      XCTAssertEqual(all, [.unknown, .poweredOn, .poweredOff])
      XCTAssertEqual(flags, [false, true, false])
      seen.fulfill()
    }
    wait(for: [seen], timeout: 60)
  }

  /// An app's tasks go on while time does so by itself.
  func testTasksGoOnByTheRealClock() throws {
    let isDone = Guarded(false)
    air.start(pace: AirPace(speed: 1000))
    let app = RecordingApp()
    Task { [air] in
      try await air.clock.sleep(for: .seconds(1))
      await Task.yield()
      isDone.value = true
    }
    try air.run(until: isDone.value && app.has("state"))
    air.stop()
  }
}
