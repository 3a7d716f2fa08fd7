import CoreBluetooth
import ReplayTesting
import XCTest

/// Section 6.3 of the sheet: connect and disconnect.
final class ConnectionTests: ReplayTestCase {
  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [Devices.strap()]) }

  private func onAir(_ scenarios: Scenario..., body: (VirtualAir) throws -> Void) throws {
    let air = VirtualAir(scenarios: scenarios)
    defer { air.close() }
    try VirtualAir.$current.withValue(air) { try body(air) }
  }

  /// An app that has found the first device and does nothing with it.
  private func appWithPeripheral(_ air: VirtualAir, options: [String: Any]? = nil) throws -> (RecordingApp, CBPeripheral) {
    let app = RecordingApp(options: options)
    app.whenOn = { $0.scanForPeripherals(withServices: nil) }
    try air.run(until: app.has("found"))
    app.manager.stopScan()
    air.advance(by: .milliseconds(1))
    app.calls = []
    return (app, try XCTUnwrap(app.peripheral))
  }

  /// "connect has no timeout; ends by connect, cancel or release of the object"; the documents' 30 s are a setting.
  func testAConnectionWaitsForEver() throws {
    for (limit, calls) in [(nil, [String]()), (Duration.seconds(30), ["failed CBError 6"])] {
      try onAir(Devices.strap()) { air in
        air.phone.connectionTimeout = limit
        let (app, peripheral) = try appWithPeripheral(air)
        air.inject(.delayConnection(.seconds(3600)), at: .phase(.connecting))
        app.manager.connect(peripheral)
        air.advance(by: .milliseconds(29_999))
        XCTAssertEqual(app.calls, [])
        XCTAssertEqual(peripheral.state, .connecting)
        air.advance(by: .milliseconds(1))
        XCTAssertEqual(app.calls, calls)
        air.advance(by: .seconds(4000))
        XCTAssertEqual(app.calls, limit == nil ? ["connected"] : calls)
        XCTAssertEqual(peripheral.state, limit == nil ? .connected : .disconnected)
      }
    }
  }

  /// "Cancel of a pending connect also gives didDisconnect(error nil), not didFailToConnect"
  func testAPendingConnectionIsCancelled() throws {
    let (app, peripheral) = try appWithPeripheral(air)
    air.inject(.delayConnection(.seconds(3600)), at: .phase(.connecting))
    app.manager.connect(peripheral)
    air.advance(by: .seconds(1))
    app.manager.cancelPeripheralConnection(peripheral)
    XCTAssertEqual(peripheral.state, .disconnecting)
    air.advance(by: .seconds(4000))
    XCTAssertEqual(app.calls.count, 1)
    XCTAssertTrue(app.has("ended nil"))
    XCTAssertEqual(peripheral.state, .disconnected)
  }

  /// Section 5, row 9: "cancelPeripheralConnection: state disconnecting → didDisconnect error nil"; "Cancel is non-blocking; queued
  /// commands may or may not finish".
  func testAConnectionIsCancelled() throws {
    let app = RecordingApp.connecting()
    try air.run(until: app.has("discovered"))
    let peripheral = try XCTUnwrap(app.peripheral)
    app.manager.cancelPeripheralConnection(peripheral)
    app.manager.cancelPeripheralConnection(peripheral)
    XCTAssertEqual(peripheral.state, .disconnecting)
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.calls.filter { $0.hasPrefix("ended") }.count, 1)
    XCTAssertTrue(app.has("ended nil"))
  }

  /// An app that cancels and connects again at once is told of both.
  func testConnectWhileDisconnecting() throws {
    let app = RecordingApp.connecting()
    try air.run(until: app.has("discovered"))
    let peripheral = try XCTUnwrap(app.peripheral)
    app.calls = []
    app.manager.cancelPeripheralConnection(peripheral)
    app.manager.connect(peripheral)
    try air.run(until: app.has("discovered"))
    XCTAssertEqual(app.calls.map { $0.prefix(9) }, ["ended nil", "connected", "services ", "discovere"])
    XCTAssertEqual(peripheral.state, .connected)
    // And one that thinks better of it is told of the link and of the attempt.
    app.calls = []
    app.manager.cancelPeripheralConnection(peripheral)
    app.manager.connect(peripheral)
    app.manager.cancelPeripheralConnection(peripheral)
    air.advance(by: .seconds(10))
    XCTAssertEqual(app.calls.map { $0.prefix(9) }, ["ended nil", "ended nil"])
    XCTAssertEqual(peripheral.state, .disconnected)
  }

  /// "Cancel does not ensure link drop when another app holds it; the app still sees a disconnect"
  func testAnotherManagerKeepsTheLink() throws {
    let (one, other) = (RecordingApp.connecting(), RecordingApp.connecting())
    try air.run(until: one.has("discovered") && other.has("discovered"))
    XCTAssertEqual(air.verdict.sessions.count, 1)
    one.manager.cancelPeripheralConnection(try XCTUnwrap(one.peripheral))
    air.advance(by: .seconds(1))
    XCTAssertTrue(one.has("ended nil"))
    XCTAssertFalse(other.has("ended"))
    let value = try XCTUnwrap(other.characteristic("2A38"))
    try XCTUnwrap(other.peripheral).readValue(for: value)
    try air.run(until: other.has("value 2A38 01"))
    other.manager.cancelPeripheralConnection(try XCTUnwrap(other.peripheral))
    try air.run(until: other.has("ended nil"))
    XCTAssertTrue(air.log.text.contains("disconnected"))
  }

  /// Values go to whoever subscribed; the descriptor is written once, and cleared by the last.
  func testManagersShareSubscriptions() throws {
    let notify = { (time: Int) in
      TimelineEntry(
        at: .milliseconds(time), origin: .peripheral, action: .notify(AttributeHandle(15), [0, 70]),
        anchor: Anchor(.connection, delay: .milliseconds(time)))
    }
    try onAir(Devices.strap([notify(1000), notify(2000), notify(3000)])) { air in
      let (one, other) = (RecordingApp.connecting(), RecordingApp.connecting())
      try air.run(until: one.has("discovered") && other.has("discovered"))
      let (first, second) = (try XCTUnwrap(one.characteristic("2A37")), try XCTUnwrap(other.characteristic("2A37")))
      first.service?.peripheral?.setNotifyValue(true, for: first)
      try air.run(until: one.has("value 2A37"))
      XCTAssertFalse(other.has("value"))
      second.service?.peripheral?.setNotifyValue(true, for: second)
      try air.run(until: other.has("value 2A37"))
      first.service?.peripheral?.setNotifyValue(false, for: first)
      try air.run(until: other.has("value 2A37", 2))
      XCTAssertTrue(one.has("value", 2) && !one.has("value", 3))
      XCTAssertTrue(one.has("subscribed false nil") && !first.isNotifying && second.isNotifying)
      let writes = air.log.lines.filter { if case .pdu(true, let bytes, _) = $0.event { bytes.first == 0x12 } else { false } }
      XCTAssertEqual(writes.count, 1)
    }
  }

  /// A manager that leaves a link takes what it subscribed to along: another one is told nothing that it did not ask for.
  func testAManagerThatLeavesUnsubscribes() throws {
    let notify = { (time: Int) in
      TimelineEntry(
        at: .milliseconds(time), origin: .peripheral, action: .notify(AttributeHandle(15), [0, 70]),
        anchor: Anchor(.connection, delay: .milliseconds(time)))
    }
    try onAir(Devices.strap([notify(1000), notify(2000)])) { air in
      let (one, other) = (RecordingApp.connecting(), RecordingApp.connecting())
      try air.run(until: one.has("discovered") && other.has("discovered"))
      let peripheral = try XCTUnwrap(one.peripheral)
      peripheral.setNotifyValue(true, for: try XCTUnwrap(one.characteristic("2A37")))
      try air.run(until: one.has("value 2A37"))
      one.manager.cancelPeripheralConnection(peripheral)
      air.advance(by: .seconds(3))
      XCTAssertTrue(one.has("ended nil"))
      XCTAssertFalse(other.has("value") || other.has("ended"))
      let writes = air.log.lines.compactMap { if case .pdu(true, let bytes, _) = $0.event, bytes.first == 0x12 { bytes } else { nil } }
      XCTAssertEqual(writes, [[0x12, 16, 0, 1, 0], [0x12, 16, 0, 0, 0]])
    }
  }

  /// "retrieveConnectedPeripherals includes links of other apps; the app must still call connect; that completes fast" (6.7)
  func testLinksOfOtherApps() throws {
    let app = RecordingApp()
    air.advance(by: .milliseconds(100))
    let heartRate = [CBUUID(string: "180D")]
    XCTAssertEqual(app.manager.retrieveConnectedPeripherals(withServices: heartRate), [])
    air.phone.connectOtherApp()
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "1810")]), [])
    let peripheral = try XCTUnwrap(app.manager.retrieveConnectedPeripherals(withServices: heartRate).first)
    XCTAssertEqual(peripheral.state, .disconnected)
    let before = air.now
    app.manager.connect(peripheral)
    try air.run(until: app.has("connected"))
    XCTAssertEqual(air.now, before)
    app.manager.cancelPeripheralConnection(peripheral)
    try air.run(until: app.has("ended nil"))
    XCTAssertEqual(app.manager.retrieveConnectedPeripherals(withServices: heartRate).count, 1)
    air.phone.disconnectOtherApp()
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.manager.retrieveConnectedPeripherals(withServices: heartRate).count, 0)
  }

  /// `CBConnectPeripheralOptionStartDelayKey`: the connection is begun later, and can be cancelled before.
  func testAConnectionBeginsLater() throws {
    let (app, peripheral) = try appWithPeripheral(air)
    let before = air.now
    app.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 5])
    XCTAssertEqual(peripheral.state, .connecting)
    try air.run(until: app.has("connected"))
    XCTAssertEqual(air.now.duration(since: before), .seconds(5))
    app.manager.cancelPeripheralConnection(peripheral)
    try air.run(until: app.has("ended nil"))
    app.calls = []
    app.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 5])
    air.advance(by: .seconds(1))
    app.manager.cancelPeripheralConnection(peripheral)
    air.advance(by: .seconds(100))
    XCTAssertEqual(app.calls.count, 1)
  }

  /// A connection that is to begin later goes with the radio, as any other does.
  func testAConnectionThatBeginsLaterGoesWithTheRadio() throws {
    let (app, peripheral) = try appWithPeripheral(air)
    app.manager.connect(peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 5])
    air.advance(by: .seconds(1))
    air.phone.state = .poweredOff
    air.advance(by: .seconds(1))
    XCTAssertEqual(peripheral.state, .disconnected)
    air.phone.state = .poweredOn
    air.advance(by: .seconds(100))
    XCTAssertFalse(app.has("connected"))
    app.manager.connect(peripheral)
    try air.run(until: app.has("connected"))
  }

  /// The table of disconnect errors by reason: "local cancel (0x16)", "remote user terminated 0x13 (0x14, 0x15 by analogy", "supervision timeout
  /// 0x08", "failed to be established 0x3E", "connection limit 0x09 (HCI side inferred)", "MIC failure 0x3D, encryption timeout",
  /// "key missing 0x06 (HCI side inferred)"; any other is unknown.
  func testErrorsByReason() throws {
    for (reason, words) in [
      (HCIErrorCode.connectionTerminatedByLocalHost, "nil"), (.remoteUserTerminatedConnection, "CBError 7"),
      (.remoteDeviceLowResources, "CBError 7"), (.remoteDevicePowerOff, "CBError 7"), (.connectionTimeout, "CBError 6"),
      (.connectionFailedToBeEstablished, "CBError 10"), (.connectionLimitExceeded, "CBError 11"),
      (.terminatedDueToMICFailure, "CBError 15"),
      (.pinOrKeyMissing, "CBError 14"), (HCIErrorCode(rawValue: 0x1F), "CBError 0"),
    ] {
      try onAir(Devices.hangingUp(after: .seconds(1), reason: reason)) { air in
        let app = RecordingApp.connecting()
        try air.run(until: app.has("ended"))
        XCTAssertTrue(app.has("ended \(words) at"), "\(reason): \(app.calls)")
      }
    }
  }

  /// "didFailToConnect is rare (<1 % iOS 11; 0.002 % iOS 12, code 0)": without a fault, or a recorded failure, it never comes.
  func testConnectionsFailOnlyByFaults() throws {
    let (app, peripheral) = try appWithPeripheral(air)
    app.whenConnected = { [unowned app] in app.manager.cancelPeripheralConnection($0) }
    app.whenEnded = { [unowned app] in if !app.has("connected", 500) { $0.connect($1) } }
    app.manager.connect(peripheral)
    try air.run(until: app.has("ended", 500))
    XCTAssertFalse(app.has("failed"))
  }

  /// "failed to be established 0x3E … iOS often retries silently"
  func testAFailedEstablishmentIsRetried() throws {
    for (convention, calls) in [
      (VirtualPhone.Conventions.FailedEstablishment.told, ["failed CBError 10", "failed CBError 10", "connected"]),
      (.retried, ["connected"]),
    ] {
      try onAir(Devices.strap()) { air in
        air.phone.conventions.failedEstablishment = convention
        air.inject(.refuseConnection(.connectionFailedToBeEstablished), at: .phase(.connecting), count: 2)
        let (app, peripheral) = try appWithPeripheral(air)
        app.whenEnded = { $0.connect($1) }
        app.manager.connect(peripheral)
        try air.run(until: app.has("connected"))
        XCTAssertEqual(app.calls, calls)
      }
    }
  }

  /// "Pairing lost arrives at didFailToConnect, code 14 … CONFLICT on domain"
  func testALostPairing() throws {
    for (domain, words) in [
      (VirtualPhone.Conventions.LostPairingDomain.manager, "CBError 14"), (.attribute, "CBATTErrorDomain 14"),
    ] {
      var scenario = Devices.strap()
      scenario.sessions[0].bonded = true
      try onAir(scenario) { air in
        air.phone.conventions.lostPairingDomain = domain
        air.inject(.forgetBond, at: .phase(.connecting))
        let app = RecordingApp.connecting()
        try air.run(until: app.has("failed"))
        XCTAssertEqual(app.calls.last, "failed \(words)")
      }
    }
  }

  /// "After didDisconnect no further CBPeripheralDelegate calls; services, characteristics, descriptors are invalid"
  func testNothingIsToldAfterTheEnd() throws {
    try onAir(Devices.hangingUp(after: .seconds(1))) { air in
      let app = RecordingApp.connecting()
      try air.run(until: app.has("discovered"))
      let (peripheral, value) = (try XCTUnwrap(app.peripheral), try XCTUnwrap(app.characteristic("2A38")))
      app.whenEnded = { _, peripheral in peripheral.readValue(for: value) }
      air.inject(try Fault("drop@before:response:2A38"))
      peripheral.readValue(for: value)
      try air.run(until: app.has("ended"))
      let calls = app.calls
      air.advance(by: .seconds(60))
      XCTAssertEqual(app.calls, calls)
      XCTAssertTrue(app.calls.last?.hasPrefix("ended CBError 7") ?? false)
      XCTAssertEqual(air.verdict.misuse.count, 1)
    }
  }

  /// "New CBService objects per connection"; "CONFLICT: after reconnect services nil until discovery vs still usable"
  func testServicesAfterReconnecting() throws {
    for (convention, isKept) in [
      (VirtualPhone.Conventions.ServicesAfterDisconnection.forgotten, false), (.kept, true),
    ] {
      try onAir(Devices.strap()) { air in
        air.phone.conventions.servicesAfterDisconnection = convention
        let app = RecordingApp.connecting()
        try air.run(until: app.has("discovered"))
        let peripheral = try XCTUnwrap(app.peripheral)
        let before = try XCTUnwrap(peripheral.services?.last)
        app.whenEnded = { $0.connect($1) }
        app.whenConnected = { _ in }
        app.manager.cancelPeripheralConnection(peripheral)
        try air.run(until: app.has("connected", 2))
        XCTAssertEqual(peripheral.services?.last === before, isKept)
        peripheral.discoverServices(nil)
        try air.run(until: app.has("discovered", 2))
        XCTAssertEqual(peripheral.services?.map(\.uuid.uuidString), ["1800", "180D"])
        XCTAssertEqual(peripheral.services?.last === before, isKept)
        if isKept {
          peripheral.readValue(for: try XCTUnwrap(before.characteristics?.first))
          try air.run(until: app.has("value 2A38 01"))
        }
      }
    }
  }

  /// An app that lets go of a peripheral and at once retrieves it connects with the new object when the old one's connection is gone.
  func testAPeripheralIsRetrievedWhileItsConnectionGoes() throws {
    for delay in [Duration.zero, .seconds(5)] {
      try onAir(Devices.strap()) { air in
        air.inject(.delayConnection(delay), at: .phase(.connecting))
        let app = RecordingApp.connecting()
        try air.run(until: app.peripheral.map { $0.state != .disconnected } ?? false)
        if delay == .zero { try air.run(until: app.has("discovered")) }
        air.advance(by: .milliseconds(1))
        let identifier = try XCTUnwrap(app.peripheral).identifier
        app.found = []
        let again = try XCTUnwrap(app.manager.retrievePeripherals(withIdentifiers: [identifier]).first)
        app.manager.connect(again)
        air.advance(by: .seconds(10))
        XCTAssertEqual(again.state, .connected)
        XCTAssertEqual(air.verdict.misuse.count, 1)
      }
    }
  }

  /// "App must hold the CBPeripheral strongly, else pending connect is dropped" (6.2); 6.9 "peripheral released
  /// while connecting", "peripheral released while connected".
  func testAPeripheralThatNobodyKeeps() throws {
    try onAir(Devices.strap()) { air in
      let app = RecordingApp()
      app.whenOn = { $0.scanForPeripherals(withServices: nil) }
      try air.run(until: app.has("found"))
      app.manager.stopScan()
      air.inject(.delayConnection(.seconds(5)), at: .phase(.connecting))
      app.manager.connect(app.found[0])
      app.found = []
      air.advance(by: .seconds(10))
      XCTAssertFalse(app.has("connected"))
      XCTAssertEqual(air.verdict.misuse.count, 1)
      let line = air.verdict.misuse.first ?? ""
      XCTAssertTrue(line.hasPrefix("API MISUSE: Cancelling connection for unused peripheral <CBPeripheral: identifier"), line)
      XCTAssertTrue(line.hasSuffix(", Did you forget to keep a reference to it?"), line)
    }
    try onAir(Devices.strap()) { air in
      let app = RecordingApp.connecting()
      try air.run(until: app.has("discovered"))
      app.found = []
      air.advance(by: .seconds(1))
      let line = air.verdict.misuse.first ?? ""
      XCTAssertTrue(line.hasPrefix("API MISUSE: Forcing disconnection of unused peripheral <CBPeripheral: identifier"), line)
      XCTAssertTrue(line.hasSuffix(". Did you forget to cancel the connection?"), line)
      XCTAssertTrue(air.log.text.contains("disconnected"))
    }
  }
}
