import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// What an app sees of faults through the framework's calls.
final class InjectedFaultTests: ReplayTestCase {
  private static let value = "5A0E0003-7C43-4D1B-9E0F-3B1D6E8A2C70"

  private static let scenario: Scenario = {
    let attribute = { (handle: UInt16, kind: Attribute.Kind, content: [UInt8]?) in
      Attribute(handle: AttributeHandle(handle), kind: kind, content: content)
    }
    return Scenario(
      device: Device(
        name: "Strap", advertising: Advertising(data: [2, 1, 6], scanResponse: nil, interval: .milliseconds(100), rssi: -55)),
      database: [
        attribute(1, .service(uuid: BluetoothUUID(0x180D as UInt16), primary: true, end: AttributeHandle(9)), nil),
        attribute(2, .characteristic(uuid: BluetoothUUID(0x2A38 as UInt16), properties: 0x0A, value: AttributeHandle(3)), [1]),
        attribute(4, .characteristic(uuid: BluetoothUUID(0x2A39 as UInt16), properties: 0x04, value: AttributeHandle(5)), [0]),
      ], sessions: [Session(entries: [])])
  }()

  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [Self.scenario], seed: 11) }

  private func fault(_ text: String) throws { air.inject(try Fault(text)) }

  private func read(_ app: PlainCentral, _ peripheral: CBPeripheral) {
    if let characteristic = app.characteristics["2A38"] { peripheral.readValue(for: characteristic) }
  }

  // MARK: - Links

  func testDisconnectionsAreToldWithTheirErrors() throws {
    for (action, words) in [
      ("disconnect:0x13", "disconnected: CBError 7"), ("disconnect:0x08", "disconnected: CBError 6"), ("vanish", "disconnected: CBError 6"),
      ("failEstablishment", "disconnected: CBError 10"), ("localDisconnect", "disconnected: nil"),
    ] {
      let air = try makeAir()
      air.inject(try Fault("\(action)@\(action == "failEstablishment" ? "phase:connecting" : "before:read:2A38")"))
      try VirtualAir.$current.withValue(air) {
        let app = PlainCentral()
        app.whenDiscovered = { self.read($0, $1) }
        try air.run(until: app.calls.contains { $0.hasPrefix("disconnected") })
        XCTAssertEqual(app.calls.last, words, action)
        XCTAssertFalse(app.calls.contains { $0.hasPrefix("value") }, action)
        XCTAssertEqual(air.verdict.firings.count, 1)
      }
    }
  }

  /// Section 6.3 of the sheet: "ATT transaction timeout 30 s: CBError 0 unknown".
  func testSilenceEndsTheLinkAfterThirtySeconds() throws {
    for trigger in ["before:read:2A38", "phase:mtu", "phase:discovery", "before:response:2A38"] {
      let air = try makeAir()
      air.inject(try Fault("silence@\(trigger)"))
      try VirtualAir.$current.withValue(air) {
        let app = PlainCentral()
        app.whenDiscovered = { self.read($0, $1) }
        try air.run(until: app.calls.contains { $0.hasPrefix("disconnected") })
        XCTAssertEqual(app.calls.last, "disconnected: CBError 0", trigger)
        let firing = try XCTUnwrap(air.verdict.firings.first)
        XCTAssertEqual(air.now.duration(since: firing.time), .seconds(30), trigger)
      }
    }
  }

  func testAnAnswerThatIsLostEndsTheLink() throws {
    try fault("drop@before:response:2A38")
    let app = PlainCentral()
    app.whenDiscovered = { self.read($0, $1) }
    try air.run(until: app.calls.contains { $0.hasPrefix("disconnected") })
    XCTAssertEqual(app.calls.last, "disconnected: CBError 0")
    XCTAssertTrue(air.log.text.contains("lost < 0b01"))
  }

  func testConnectionsAreRefused() throws {
    for (status, code) in [(0x3E, 10), (0x08, 6), (0x09, 11), (0x06, 14)] {
      let air = try makeAir()
      air.inject(try Fault("refuseConnection:\(status)@phase:connecting*2"))
      try VirtualAir.$current.withValue(air) {
        let app = PlainCentral()
        try air.run(until: app.calls.contains("connected"))
        XCTAssertEqual(app.calls, ["state 5", "failed: CBError \(code)", "failed: CBError \(code)", "connected"])
      }
    }
  }

  func testAConnectionIsLate() throws {
    try fault("delayConnection:5s@phase:connecting")
    let app = PlainCentral()
    try air.run(until: app.calls.contains("connected"))
    let firing = try XCTUnwrap(air.verdict.firings.first)
    XCTAssertEqual(air.now.duration(since: firing.time), .seconds(5))
  }

  /// An error that arrives as a request of no known kind is answered with an error, which arrives so, too.
  func testErrorsAboutErrorsDoNotStopTime() throws {
    try fault("corrupt:0^0x01@pdu:4*all")
    let app = PlainCentral()
    air.advance(by: .seconds(60))
    XCTAssertEqual(air.now, AirInstant(nanoseconds: 60_000_000_000))
    // Nothing that was asked for was answered for 30 s.
    XCTAssertTrue(app.calls.contains("disconnected: CBError 0"), "\(app.calls)")
    XCTAssertGreaterThan(air.verdict.firings.count, 900)
  }

  /// The indication of a move, and its confirmation, are PDUs at which the attributes are moved as well.
  func testAMoveAtEachPDUIsToldOnce() throws {
    let air = VirtualAir(scenarios: [try StrapScenario.make()])
    try VirtualAir.$current.withValue(air) {
      air.inject(try Fault("moveHandles:0x0050+3:serviceChanged@pdu:1*all"))
      let app = PlainCentral()
      air.advance(by: .seconds(1))
      XCTAssertTrue(app.calls.contains("connected"))
      XCTAssertEqual(air.log.text.components(separatedBy: " < 1d").count, 2)
    }
  }

  func testAnAppThatTriesAgainAtOnceDoesNotStopTime() throws {
    air.inject(.refuseConnection, at: .phase(.connecting), count: Fault.everyTime)
    let app = PlainCentral()
    air.advance(by: .milliseconds(300))
    XCTAssertEqual(air.now, AirInstant(nanoseconds: 300_000_000))
    // Ten from 1 ms on take no time, as do ten after each that waits for the next advertising, at 101 ms and 201 ms.
    let failed = app.calls.filter { $0.hasPrefix("failed") }
    XCTAssertEqual(failed.count, 32)
  }

  func testTenMissesInARowAreTen() throws {
    air.inject(.refuseConnection, at: .phase(.connecting), count: Fault.everyTime)
    let app = PlainCentral()
    try air.run(until: app.calls.filter { $0.hasPrefix("failed") }.count == 10)
    XCTAssertFalse(app.calls.contains("connected"))
  }

  // MARK: - Values

  func testErrorsReachTheApp() throws {
    for (code, words) in [("0x0e", "CBATTError 14"), ("0x80", "CBATTErrorDomain 128"), ("0x05", "CBATTError 5")] {
      let air = try makeAir()
      air.inject(try Fault("error:\(code)@before:read:2A38"))
      try VirtualAir.$current.withValue(air) {
        let app = PlainCentral()
        app.whenDiscovered = { self.read($0, $1) }
        try air.run(until: app.calls.contains { $0.hasPrefix("value") })
        XCTAssertEqual(app.calls.last?.hasSuffix(": \(words)"), true, app.calls.last ?? "")
      }
    }
  }

  func testAMovedAttributeIsAnotherOne() throws {
    try fault("moveHandles:0x0002+64@before:read:2A38")
    let app = PlainCentral()
    app.whenDiscovered = { app, peripheral in
      self.read(app, peripheral)
      self.read(app, peripheral)
    }
    try air.run(until: app.calls.filter { $0.hasPrefix("value") }.count == 2)
    XCTAssertEqual(app.calls.last?.hasSuffix(": CBATTError 1"), true, app.calls.last ?? "")
  }

  func testMovedAttributesAreDiscovered() throws {
    try fault("moveHandles:0x0002+64@phase:connecting")
    let app = PlainCentral()
    app.whenDiscovered = { self.read($0, $1) }
    try air.run(until: app.calls.contains { $0.hasPrefix("value") })
    XCTAssertEqual(app.characteristics["2A38"]?.value, Data([1]))
    XCTAssertTrue(air.log.text.contains("> 0a4300"))
  }

  func testALateMTUDoesNotDisturbDiscovery() throws {
    try fault("delayMTU:600ms@phase:mtu")
    air.inject(.duplicateMTU, at: .phase(.mtu))
    let app = PlainCentral()
    app.whenDiscovered = { self.read($0, $1) }
    try air.run(until: app.calls.contains { $0.hasPrefix("value") })
    XCTAssertEqual(app.calls.filter { $0 == "discovered" }.count, 1)
    XCTAssertEqual(app.characteristics["2A38"]?.value, Data([1]))
  }

  // MARK: - Security

  func testAKeyThatIsGoneEndsTheLink() throws {
    for (text, code) in [
      ("forgetBond@phase:encrypting", 14), ("failEncryption:0x06@phase:encrypting", 14),
      ("failEncryption:0x3d@phase:mtu", 15), ("failEncryption@phase:connecting", 0),
    ] {
      var scenario = Self.scenario
      scenario.sessions[0].entries = [
        TimelineEntry(at: .milliseconds(300), action: .link(.encrypt(.bonded)), answer: .ok, latency: .milliseconds(10))
      ]
      let air = VirtualAir(scenarios: [scenario])
      air.inject(try Fault(text))
      try VirtualAir.$current.withValue(air) {
        let app = PlainCentral()
        try air.run(until: app.calls.contains { $0.hasPrefix("disconnected") })
        XCTAssertEqual(app.calls.last, "disconnected: CBError \(code)", text)
        XCTAssertEqual(air.verdict.firings.count, 1)
      }
    }
  }

  func testAKeyThatIsGoneBeforeTheConnectionFailsIt() throws {
    var scenario = Self.scenario
    scenario.sessions[0].entries = [
      TimelineEntry(at: .milliseconds(300), action: .link(.encrypt(.bonded)), answer: .ok, latency: .milliseconds(10))
    ]
    for (lostPairing, words) in [
      (VirtualPhone.Conventions.LostPairing.failsToConnect, ["state 5", "failed: CBError 14"]),
      (.disconnects, ["state 5", "connected", "disconnected: CBError 14"]),
    ] {
      let air = VirtualAir(scenarios: [scenario])
      air.phone.conventions.lostPairing = lostPairing
      air.inject(try Fault("forgetBond@phase:connecting"))
      try VirtualAir.$current.withValue(air) {
        let app = PlainCentral()
        try air.run(until: app.calls.contains { $0.hasPrefix("failed") || $0.hasPrefix("disconnected") })
        XCTAssertEqual(app.calls.filter { $0 != "services" && $0 != "discovered" }.prefix(words.count), words[...])
      }
    }
  }

  func testTheFirstRequestMeetsWhatWasDueBeforeTheLink() throws {
    for (text, line) in [
      ("drop@phase:connecting", "lost > 02"), ("drop@phase:advertising", "lost > 02"), ("error:0x06@phase:connecting", "< 01020000"),
    ] {
      let air = try makeAir()
      air.inject(try Fault(text))
      try VirtualAir.$current.withValue(air) {
        let app = PlainCentral()
        try air.run(until: app.calls.contains { $0 == "discovered" || $0.hasPrefix("disconnected") })
        XCTAssertTrue(air.log.text.contains(line), air.log.text)
      }
    }
    try fault("delayMTU:70ms@phase:connecting")
    let app = PlainCentral()
    try air.run(until: app.calls.contains("discovered"))
    XCTAssertEqual(air.verdict.firings.count, 1)
  }

  // MARK: - Credits

  func testWritesWithoutResponseWait() throws {
    try fault("stallCredits:2s@time:1s")
    let app = PlainCentral()
    try air.run(until: app.calls.contains("discovered"))
    air.advance(by: .seconds(2))
    let (peripheral, characteristic) = try (XCTUnwrap(app.peripheral), XCTUnwrap(app.characteristics["2A39"]))
    XCTAssertFalse(peripheral.canSendWriteWithoutResponse)
    for number in UInt8(0)..<20 { peripheral.writeValue(Data([number]), for: characteristic, type: .withoutResponse) }
    try air.run(until: app.calls.contains("ready"))
    XCTAssertTrue(peripheral.canSendWriteWithoutResponse)
    let commands = air.log.lines.compactMap { line -> UInt8? in
      if case .pdu(true, let bytes, _) = line.event, bytes.first == 0x52 { bytes.last } else { nil }
    }
    // What a phone keeps goes out in order, what is more is dropped and told.
    XCTAssertEqual(commands, Array(0..<16))
    XCTAssertEqual(air.verdict.misuse.filter { $0.contains("found no room") }.count, 4)
    peripheral.writeValue(Data([99]), for: characteristic, type: .withoutResponse)
    air.runUntilIdle()
    XCTAssertTrue(air.log.text.contains("> 52050063"))
  }

  func testCreditsAreStalledForGood() throws {
    try fault("stallCredits@phase:discovery")
    let app = PlainCentral()
    try air.run(until: app.calls.contains("discovered"))
    air.advance(by: .seconds(100))
    XCTAssertEqual(app.peripheral?.canSendWriteWithoutResponse, false)
    XCTAssertFalse(app.calls.contains("ready"))
  }

  // MARK: - Radios

  func testBluetoothIsSwitchedOffAndOn() throws {
    try fault("powerOff:3s@before:read:2A38")
    let app = PlainCentral()
    app.whenDiscovered = { self.read($0, $1) }
    try air.run(until: app.calls.contains("state 4"))
    XCTAssertEqual(app.peripheral?.state, .disconnected)
    XCTAssertNil(app.peripheral?.services)
    let off = air.now
    try air.run(until: app.calls.filter { $0 == "connected" }.count == 2)
    // No call tells of the link's end, and what was asked gets no answer.
    XCTAssertEqual(
      app.calls.filter { !$0.hasPrefix("value") && $0 != "services" && $0 != "discovered" },
      ["state 5", "connected", "state 4", "state 5", "connected"])
    XCTAssertGreaterThanOrEqual(air.now.duration(since: off), .seconds(3))
    XCTAssertTrue(air.verdict.passed)
  }

  func testBluetoothIsOffFromTheStart() throws {
    air.inject(.powerOff(nil), at: .time(.milliseconds(1)))
    let app = PlainCentral()
    air.advance(by: .seconds(5))
    XCTAssertEqual(app.calls, ["state 4"])
  }

  func testTheSignalIsWeak() throws {
    try fault("rssi:-99@phase:discovery")
    let app = PlainCentral()
    app.whenDiscovered = { _, peripheral in peripheral.readRSSI() }
    try air.run(until: app.calls.contains { $0.hasPrefix("signal") })
    XCTAssertEqual(app.calls.last, "signal -99")
    XCTAssertEqual(app.signals.first, -55)
  }

  func testAnotherAddressIsAnotherDevice() throws {
    for (action, count) in [("rotateAddress", 2), ("rotateAddress:resolvable", 1)] {
      let air = try makeAir()
      air.inject(try Fault("\(action)@phase:discovery"))
      air.inject(try Fault("powerOff:1s@after:response:2A38"))
      try VirtualAir.$current.withValue(air) {
        let app = PlainCentral()
        app.whenDiscovered = { self.read($0, $1) }
        try air.run(until: app.calls.filter { $0 == "connected" }.count == 2)
        XCTAssertEqual(app.identifiers.count, count, action)
      }
    }
  }

  /// A phone's attempt to connect has no end: it waits until the device is there again.
  func testAConnectionWaitsForADeviceThatDoesNotAdvertise() throws {
    for (trigger, connected) in [("phase:advertising", 4), ("phase:connecting", 4), ("after:response:2A38", 1)] {
      let air = try makeAir()
      air.inject(try Fault("stopAdvertising:4s@\(trigger)"))
      // One that is over earlier changes nothing.
      air.inject(try Fault("stopAdvertising:1s@\(trigger)"))
      try VirtualAir.$current.withValue(air) {
        let app = PlainCentral()
        app.whenDiscovered = { self.read($0, $1) }
        try air.run(until: app.calls.contains("connected"))
        XCTAssertEqual(Int(air.now.nanoseconds / 1_000_000_000), connected == 4 ? 4 : 0, trigger)
        air.advance(by: .seconds(10))
        XCTAssertEqual(app.calls.filter { $0 == "connected" }.count, 1, trigger)
        XCTAssertEqual(air.verdict.faultsNotReached, [])
      }
    }
    let air = try makeAir()
    air.inject(try Fault("stopAdvertising@phase:connecting"))
    try VirtualAir.$current.withValue(air) {
      let app = PlainCentral()
      XCTAssertThrowsError(try air.run(until: app.calls.contains("connected"))) { error in
        XCTAssertTrue("\(error)".contains("the app waits for a connection to"), "\(error)")
      }
    }
  }

  func testASweepWorksWithAnyAction() throws {
    var scenario = Self.scenario
    scenario.sessions[0].entries = [
      TimelineEntry(at: .milliseconds(100), action: .read(AttributeHandle(3)), answer: .value([7]), latency: .milliseconds(10))
    ]
    for action in [Fault.Action.drop, .delay(.milliseconds(80)), .error(.unlikelyError), .silence, .disconnect(.connectionTimeout)] {
      for point in FaultPoint.all(action, at: .beforeEveryEntry, in: scenario) {
        let air = VirtualAir(scenarios: [scenario])
        air.inject(point)
        try VirtualAir.$current.withValue(air) {
          let app = PlainCentral()
          app.whenDiscovered = { self.read($0, $1) }
          try air.run(until: app.calls.contains { $0.hasPrefix("value") || $0.hasPrefix("disconnected") })
          XCTAssertEqual(air.verdict.faultsFired, [point.fault])
          XCTAssertTrue(air.verdict.passed)
        }
      }
    }
  }
}
