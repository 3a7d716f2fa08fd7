import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

@testable import DocumentSamplesAzerbaijani

/// The samples of the document about peripherals: they get one that is connected.
final class PeripheralSampleTests: ReplayTestCase {
  private static let heartRate = BluetoothUUID(0x2A37 as UInt16)

  /// One service, and one characteristic that can be read, written either way, and followed.
  static let scenario: Scenario = {
    let value = AttributeHandle(3)
    return Scenario(
      device: Device(name: "Strap", mtu: 185),
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0x180D as UInt16), primary: true, end: AttributeHandle(4))),
        Attribute(handle: AttributeHandle(2), kind: .characteristic(uuid: heartRate, properties: 0x1E, value: value)),
        Attribute(handle: AttributeHandle(4), kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
      ],
      sessions: [
        Session(entries: [
          TimelineEntry(at: .milliseconds(500), action: .read(value), answer: .value(Array("72 bpm".utf8))),
          TimelineEntry(
            id: "on", at: .milliseconds(600), action: .write(AttributeHandle(4), [1, 0]), answer: .ok, latency: .milliseconds(30)),
          TimelineEntry(
            at: .milliseconds(800), origin: .peripheral, action: .notify(value, Array("73 bpm".utf8)),
            anchor: Anchor(.entry("on"), delay: .milliseconds(170))),
          TimelineEntry(at: .seconds(1), action: .write(value, [1]), answer: .ok),
          TimelineEntry(at: .milliseconds(1100), action: .writeCommand(value, [2])),
          TimelineEntry(at: .milliseconds(1200), action: .write(AttributeHandle(4), [0, 0]), answer: .ok),
        ])
      ])
  }()

  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [Self.scenario]) }

  /// Who scans and connects, which none of these samples does.
  private func connected() throws -> (PlainCentral, CBPeripheral) {
    let app = PlainCentral()
    var isDiscovered = false
    app.whenDiscovered = { _, _ in isDiscovered = true }
    try air.run(until: isDiscovered)
    return (app, try XCTUnwrap(app.peripheral))
  }

  /// Rows 3 to 6 of section 5. What was asked first is answered first.
  func testBLEViewController() throws {
    let (app, peripheral) = try connected()
    let recorder = CallRecorder(peripheral, BLEViewController())
    peripheral.discoverServices(nil)
    air.runUntilIdle()
    XCTAssertEqual(recorder.calls, Self.callsOfTheViewController)
    XCTAssertEqual(app.characteristics["2A37"]?.value, Data("73 bpm".utf8))
    XCTAssertEqual(app.characteristics["2A37"]?.isNotifying, true)
    XCTAssertEqual(air.verdict.misuse, [])
    assertVerdict(air)
  }

  private static let callsOfTheViewController = [
    "didDiscoverServices 180D", "didDiscoverCharacteristicsFor 180D", "didUpdateValueFor 2A37",
    "didUpdateNotificationStateFor 2A37 true", "didUpdateValueFor 2A37",
  ]

  /// Rows 6 to 8: a value is told, a write with response is, one without is not.
  func testBLEService() throws {
    let (app, peripheral) = try connected()
    let recorder = CallRecorder(peripheral, BLEViewController())
    let service = BLEService(peripheral: peripheral)
    service.readHeartRate()
    service.writeWithResponse(data: Data([1]))
    service.writeWithoutResponse(data: Data([2]))
    air.runUntilIdle()
    XCTAssertEqual(recorder.calls, ["didUpdateValueFor 2A37", "didWriteValueFor 2A37"])
    XCTAssertEqual(app.characteristics["2A37"]?.value, Data("72 bpm".utf8), "row 7: not what was written")
    XCTAssertEqual(air.verdict.sessions.first?.consumed, 3)
    XCTAssertEqual(air.verdict.misuse, [])
  }

  /// Row 5, and its end.
  func testNotificationManager() throws {
    let (app, peripheral) = try connected()
    let sample = NotificationManager()
    let recorder = CallRecorder(peripheral, sample)
    sample.subscribeToAllNotifications(peripheral: peripheral)
    air.runUntilIdle()
    sample.unsubscribeFromAll()
    air.runUntilIdle()
    XCTAssertEqual(
      recorder.calls,
      ["didUpdateNotificationStateFor 2A37 true", "didUpdateValueFor 2A37", "didUpdateNotificationStateFor 2A37 false"])
    XCTAssertEqual(app.characteristics["2A37"]?.isNotifying, false)
    XCTAssertEqual(air.verdict.misuse, [])
  }
}
