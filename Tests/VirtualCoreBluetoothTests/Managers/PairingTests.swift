import CoreBluetooth
import ReplayTesting
import XCTest

/// Section 6.6 of the sheet, "Encryption: read error 15 while the pair dialog shows, later 5; no API tells the dialog is shown or refused":
/// prompts that a test answers.
final class PairingTests: ReplayTestCase {
  private func onAir(_ scenario: Scenario, body: (VirtualAir) throws -> Void) throws {
    let air = VirtualAir(scenarios: [scenario])
    defer { air.close() }
    try VirtualAir.$current.withValue(air) { try body(air) }
  }

  private func reading(_ air: VirtualAir) throws -> RecordingApp {
    let app = RecordingApp.connecting()
    app.whenDiscovered = { peripheral in
      for characteristic in peripheral.services?.last?.characteristics ?? [] where characteristic.uuid.uuidString == "2A38" {
        peripheral.readValue(for: characteristic)
      }
    }
    return app
  }

  func testAReadWaitsForThePairing() throws {
    for error in [ATTErrorCode.insufficientAuthentication, .insufficientEncryption] {
      try onAir(Devices.protected(error)) { air in
        let prompts = Guarded<[PairingPrompt]>([])
        air.phone.onPairingPrompt { prompt in
          prompts.withValue { $0.append(prompt) }
          return .after(.seconds(3), .agree)
        }
        let app = try reading(air)
        try air.run(until: app.has("value"))
        XCTAssertEqual(app.calls.last, "value 2A38 07")
        XCTAssertEqual(prompts.value.count, 1)
        XCTAssertEqual(prompts.value.first?.identifier, app.peripheral?.identifier)
        XCTAssertEqual(prompts.value.first?.name, "Strap")
        XCTAssertEqual(prompts.value.first?.method, .numericComparison)
        XCTAssertGreaterThan(air.now.duration(since: .start), .seconds(3))
        XCTAssertTrue(air.verdict.passed)
        XCTAssertEqual(air.verdict.sessions.first?.unused.count, 0)
      }
    }
  }

  func testTheUserRefuses() throws {
    try onAir(Devices.protected()) { air in
      air.phone.onPairingPrompt { _ in .refuse }
      let app = try reading(air)
      try air.run(until: app.has("value"))
      XCTAssertEqual(app.calls.last, "value 2A38 CBATTError 5")
      XCTAssertEqual(app.peripheral?.state, .connected)
    }
  }

  /// After 30 s a pairing has failed, and an answer that comes later changes nothing.
  func testThePromptIsLeftAlone() throws {
    for answer in [PairingAnswer.ignore, .after(.seconds(31), .agree)] {
      try onAir(Devices.protected()) { air in
        air.phone.onPairingPrompt { _ in answer }
        let app = try reading(air)
        air.advance(by: .seconds(29))
        XCTAssertFalse(app.has("value"))
        air.advance(by: .seconds(5))
        XCTAssertEqual(app.calls.last, "value 2A38 CBATTError 5")
        XCTAssertEqual(app.peripheral?.state, .connected)
      }
    }
  }

  /// The other side of the row: errors while the dialog shows.
  func testErrorsWhileTheUserIsAsked() throws {
    try onAir(Devices.protected()) { air in
      air.phone.conventions.pairing = .failsMeanwhile
      air.phone.onPairingPrompt { _ in .after(.seconds(3), .agree) }
      let app = try reading(air)
      try air.run(until: app.has("value"))
      XCTAssertEqual(app.calls.last, "value 2A38 CBATTError 15")
      air.advance(by: .seconds(10))
      let value = try XCTUnwrap(app.characteristic("2A38"))
      app.peripheral?.readValue(for: value)
      try air.run(until: app.has("value", 2))
      XCTAssertEqual(app.calls.last, "value 2A38 07")
    }
    try onAir(Devices.protected()) { air in
      air.phone.conventions.pairing = .never
      let app = try reading(air)
      try air.run(until: app.has("value"))
      XCTAssertEqual(app.calls.last, "value 2A38 CBATTError 5")
    }
  }

  /// A device that was never seen to pair is not asked to.
  func testADeviceThatDoesNotPair() throws {
    let read = TimelineEntry(
      at: .milliseconds(500), action: .read(Devices.value), answer: .error(.insufficientEncryption), latency: .milliseconds(10))
    try onAir(Devices.strap([read])) { air in
      air.phone.onPairingPrompt { _ in
        XCTFail("nobody is to be asked")
        return .refuse
      }
      let app = try reading(air)
      try air.run(until: app.has("value"))
      XCTAssertEqual(app.calls.last, "value 2A38 CBATTError 15")
      XCTAssertEqual(air.log.text.components(separatedBy: "> 0a0d00").count, 2)
    }
  }

  /// A peripheral that has lost the bond in the middle of a link is paired with anew.
  func testPairingAnew() throws {
    var scenario = Devices.protected()
    scenario.sessions[0].bonded = true
    try onAir(scenario) { air in
      let count = Guarded(0)
      air.phone.onPairingPrompt { _ in
        count.withValue { $0 += 1 }
        return .agree
      }
      let app = try reading(air)
      try air.run(until: app.has("value"))
      XCTAssertEqual(count.value, 1)
      air.inject(.forgetBond, at: .time(.seconds(5)))
      air.advance(by: .seconds(10))
      let value = try XCTUnwrap(app.characteristic("2A38"))
      app.peripheral?.readValue(for: value)
      try air.run(until: app.has("value", 2))
      XCTAssertEqual(app.calls.last, "value 2A38 07")
      XCTAssertEqual(count.value, 2)
    }
  }

  /// "ANCS: `ancsAuthorized` + didUpdateANCSAuthorizationFor; the callback fires when the grant changes for a peripheral connected with RequiresANCS";
  /// "RequiresANCS makes iOS bond" (6.7)
  func testNotificationsOfThePhone() throws {
    try onAir(Devices.protected()) { air in
      let count = Guarded(0)
      air.phone.onPairingPrompt { _ in
        count.withValue { $0 += 1 }
        return .agree
      }
      let app = RecordingApp.connecting(options: [CBConnectPeripheralOptionRequiresANCS: true])
      try air.run(until: app.has("discovered"))
      air.advance(by: .seconds(1))
      XCTAssertEqual(count.value, 1)
      let peripheral = try XCTUnwrap(app.peripheral)
      XCTAssertFalse(peripheral.ancsAuthorized)
      for isGranted in [true, true, false] {
        air.phone.setANCSAuthorization(isGranted, for: peripheral.identifier)
        air.advance(by: .seconds(1))
        XCTAssertEqual(peripheral.ancsAuthorized, isGranted)
      }
      XCTAssertEqual(app.calls.filter { $0.hasPrefix("ancs") }, ["ancs true", "ancs false"])
    }
    try onAir(Devices.strap()) { air in
      let app = RecordingApp.connecting()
      try air.run(until: app.has("discovered"))
      air.phone.setANCSAuthorization(true, for: try XCTUnwrap(app.peripheral?.identifier))
      air.advance(by: .seconds(1))
      XCTAssertFalse(app.has("ancs"))
    }
  }
}
