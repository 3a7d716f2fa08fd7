import CoreBluetooth
import Foundation
import HeartApp
import ReplayTesting
import XCTest

/// A disconnection at every entry, with every reason that an app can tell apart.
final class InjectedDisconnectionTests: ReplayTestCase {
  static let errors: [(HCIErrorCode, CBError.Code)] = [
    (.remoteUserTerminatedConnection, .peripheralDisconnected), (.remoteDeviceLowResources, .peripheralDisconnected),
    (.remoteDevicePowerOff, .peripheralDisconnected), (.connectionTimeout, .connectionTimeout),
    (.connectionFailedToBeEstablished, .connectionFailed), (.connectionLimitExceeded, .connectionLimitReached),
    (.terminatedDueToMICFailure, .encryptionTimedOut), (.pinOrKeyMissing, .peerRemovedPairingInformation),
  ]

  static let strap = Result { try HeartFromCaptureTests.scenario("heart-strap") }

  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try Self.strap.get()], seed: 7) }

  func testEveryEntryWithEveryReason() throws {
    var runs = 0
    for (reason, code) in Self.errors {
      for selection in [FaultPoint.Selection.everyEntry, .beforeEveryEntry] {
        for point in FaultPoint.all(.disconnect(reason), at: selection, in: try Self.strap.get()) {
          let air = try makeAir()
          air.inject(point)
          try VirtualAir.$current.withValue(air) {
            let app = HeartCentral()
            // Once the fault has fired the app comes back; where it ends the last session it comes back to the same one.
            try air.run(until: air.verdict.faultsFired.count == 1 && app.isReconnected || app.isIdle)
            XCTAssertEqual(air.verdict.faultsFired, [point.fault])
            let told = app.disconnections.compactMap { ($0 as? CBError)?.code }
            let ends = air.log.lines.compactMap { line -> HCIErrorCode? in
              if case .disconnected(let reason) = line.event { reason } else { nil }
            }
            XCTAssertEqual(
              told, ends.compactMap { end in Self.errors.first { $0.0 == end }?.1 }, "\(point): the app is told what happened")
            // The strap ends its first session by itself with 0x13; a fault of the same reason in the second comes on top.
            let natural = ends.filter { $0 == .remoteUserTerminatedConnection }.count
            XCTAssertEqual(
              told.filter { $0 == code }.count,
              code == .peripheralDisconnected ? max(1, natural + (reason == .remoteUserTerminatedConnection ? 0 : 1)) : 1, "\(point)")
            XCTAssertTrue(air.verdict.passed, "\(point): \(air.verdict)")
            runs += 1
          }
        }
      }
    }
    XCTAssertGreaterThan(runs, 400)
  }

  func testAFailedConnectionIsTold() throws {
    for (reason, code) in [
      (HCIErrorCode.connectionFailedToBeEstablished, CBError.Code.connectionFailed), (.connectionTimeout, .connectionTimeout),
      (.connectionLimitExceeded, .connectionLimitReached), (.pinOrKeyMissing, .peerRemovedPairingInformation),
    ] {
      let air = try makeAir()
      air.inject(.disconnect(reason), at: .phase(.connecting))
      try VirtualAir.$current.withValue(air) {
        let app = HeartCentral()
        try air.run(until: app.isIdle)
        XCTAssertEqual(app.failedConnections.compactMap { ($0 as? CBError)?.code }, [code])
        XCTAssertEqual(air.verdict.faultsFired.count, 1)
        XCTAssertEqual(app.heartRates.count, 20, "the second attempt plays the first session")
        XCTAssertTrue(air.verdict.passed)
      }
    }
  }

  func testEveryPhase() throws {
    // The strap is neither written in parts nor encrypted.
    for phase in Fault.Phase.allCases where ![.connecting, .longWrite, .encrypting].contains(phase) {
      let air = try makeAir()
      air.inject(.disconnect(.connectionTimeout), at: .phase(phase))
      try VirtualAir.$current.withValue(air) {
        let app = HeartCentral()
        try air.run(until: app.isIdle || app.isReconnected)
        XCTAssertEqual(air.verdict.faultsFired.count, 1, "\(phase)")
        XCTAssertEqual((app.disconnections.first as? CBError)?.code, .connectionTimeout, "\(phase)")
      }
    }
  }

  func testPDUNumberAndTime() throws {
    for trigger in [Fault.Trigger.pdu(1), .pdu(2), .pdu(35), .time(.milliseconds(700)), .time(.seconds(2))] {
      let air = try makeAir()
      air.inject(.disconnect(.remoteDevicePowerOff), at: trigger)
      try VirtualAir.$current.withValue(air) {
        let app = HeartCentral()
        try air.run(until: app.isIdle || app.isReconnected)
        XCTAssertEqual(air.verdict.faultsFired.count, 1, "\(trigger)")
        XCTAssertEqual((app.disconnections.first as? CBError)?.code, .peripheralDisconnected)
        if case .pdu(let number) = trigger { XCTAssertEqual(air.log.pdus(link: 1).count, number) }
      }
    }
  }

  func testAnotherMTU() throws {
    for mtu in [23, 64, 527] {
      let air = try makeAir()
      air.centralMTU = mtu
      try VirtualAir.$current.withValue(air) {
        let app = HeartCentral()
        try air.run(until: app.isIdle)
        XCTAssertEqual(app.manufacturer, "Understudy Works")
        XCTAssertEqual(app.heartRates.count, 20)
        XCTAssertEqual(air.verdict.notes, [])
        XCTAssertTrue(air.verdict.passed)
      }
    }
  }
}
