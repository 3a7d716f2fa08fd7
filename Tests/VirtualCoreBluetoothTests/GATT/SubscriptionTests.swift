import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// Notifications and indications (6.6).
final class SubscriptionTests: StrapTestCase {
  /// "setNotify chooses notification when both properties are there".
  func testNotificationsAreChosen() throws {
    let (app, peripheral) = try connectedApp()
    for (name, request) in [("FFE1", "121f000100"), ("FFE4", "1226000200"), ("2A37", "1215000100")] {
      let characteristic = try XCTUnwrap(app.characteristics[name])
      XCTAssertFalse(characteristic.isNotifying)
      let sent = requests { peripheral.setNotifyValue(true, for: characteristic) }
      XCTAssertEqual(sent.last, request)
      XCTAssertTrue(characteristic.isNotifying)
      XCTAssertEqual(app.calls.last, "notifying \(name) true")
      XCTAssertEqual(requests { peripheral.setNotifyValue(false, for: characteristic) }.last?.suffix(4), "0000")
      XCTAssertEqual(app.calls.last, "notifying \(name) false")
    }
  }

  /// "setNotify to the present state → immediate success callback".
  func testWhatIsSoAlreadySucceedsAtOnce() throws {
    let (app, peripheral) = try connectedApp()
    let pulse = try XCTUnwrap(app.characteristics["2A37"])
    var made: [String] = []
    XCTAssertEqual(requests { made = calls(app) { peripheral.setNotifyValue(false, for: pulse) } }, [])
    XCTAssertEqual(made, ["notifying 2A37 false"])
    peripheral.setNotifyValue(true, for: pulse)
    air.advance(by: .seconds(1))
    XCTAssertEqual(requests { made = calls(app) { peripheral.setNotifyValue(true, for: pulse) } }, [])
    XCTAssertEqual(made, ["notifying 2A37 true"])
  }

  func testRequestsInARowAreTakenInTurn() throws {
    let (app, peripheral) = try connectedApp()
    let pulse = try XCTUnwrap(app.characteristics["2A37"])
    var made: [String] = []
    let sent = requests {
      made = calls(app) { for enabled in [true, true, false, true] { peripheral.setNotifyValue(enabled, for: pulse) } }
    }
    XCTAssertEqual(sent.filter { $0.hasPrefix("12") }, ["1215000100", "1215000000", "1215000100"])
    XCTAssertEqual(made, [true, true, false, true].map { "notifying 2A37 \($0)" })
    XCTAssertTrue(pulse.isNotifying)
  }

  /// "setNotify errors: ATT 6 without notify/indicate property; ATT 10 without CCCD".
  func testWhatCannotNotify() throws {
    let (app, peripheral) = try connectedApp()
    let (location, lacking) = try (XCTUnwrap(app.characteristics["2A38"]), XCTUnwrap(app.characteristics["FFE2"]))
    XCTAssertEqual(
      calls(app) { peripheral.setNotifyValue(true, for: location) }, ["notifying 2A38 false: CBATTError 6"])
    for _ in 0..<2 {
      XCTAssertEqual(
        calls(app) { peripheral.setNotifyValue(true, for: lacking) }, ["notifying FFE2 false: CBATTError 10"])
    }
    XCTAssertFalse(lacking.isNotifying)
  }

  func testARefusedSubscriptionIsNone() throws {
    let (app, peripheral) = try connectedApp()
    let pulse = try XCTUnwrap(app.characteristics["2A37"])
    air.inject(try Fault("error:0x80@phase:subscribing"))
    XCTAssertEqual(calls(app) { peripheral.setNotifyValue(true, for: pulse) }, ["notifying 2A37 false: CBATTErrorDomain 128"])
    XCTAssertEqual(calls(app) { peripheral.setNotifyValue(true, for: pulse) }, ["notifying 2A37 true"])
  }

  /// "isNotifying false after disconnect": subscriptions are lost with the connection.
  func testSubscriptionsEndWithTheConnection() throws {
    for convention in [VirtualPhone.Conventions.ServicesAfterDisconnection.forgotten, .kept] {
      let air = try makeAir()
      air.phone.conventions.servicesAfterDisconnection = convention
      try VirtualAir.$current.withValue(air) {
        let (app, peripheral) = try connectedApp(air)
        let pulse = try XCTUnwrap(app.characteristics["2A37"])
        peripheral.setNotifyValue(true, for: pulse)
        air.advance(by: .seconds(1))
        XCTAssertTrue(pulse.isNotifying)
        app.hangUp()
        try air.run(until: peripheral.state == .disconnected)
        XCTAssertFalse(pulse.isNotifying)
        app.connectAgain()
        try air.run(until: app.calls.filter { $0 == "discovered" }.count == 2)
        air.advance(by: .milliseconds(1))
        let again = try XCTUnwrap(app.characteristics["2A37"])
        XCTAssertEqual(again === pulse, convention == .kept)
        XCTAssertFalse(again.isNotifying)
        XCTAssertEqual(requests(air) { peripheral.setNotifyValue(true, for: again) }.last, "1215000100")
        XCTAssertTrue(again.isNotifying)
      }
    }
  }
}
