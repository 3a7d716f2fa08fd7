import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// Reads and writes that are answered (6.6, 3.2), and what is refused.
final class ValueTests: StrapTestCase {
  /// 6.6 "Long value reads are assembled below the API (Read Blob); one callback".
  func testALongValueIsOneCall() throws {
    for mtu in [23, 185, 527] {
      let air = try makeAir()
      air.centralMTU = mtu
      try VirtualAir.$current.withValue(air) {
        let (app, peripheral) = try connectedApp(air)
        let long = try XCTUnwrap(app.characteristics["FFE3"])
        XCTAssertEqual(calls(app, air) { peripheral.readValue(for: long) }, ["value FFE3"])
        XCTAssertEqual(long.value, Data(StrapScenario.long))
        let short = try XCTUnwrap(app.characteristics["2A38"])
        XCTAssertEqual(requests(air) { peripheral.readValue(for: short) }, ["0a1a00"])
      }
    }
  }

  /// 6.6 "`.withResponse` writes longer than MTU−3 become Prepare/Execute automatically, up to 512; one callback"; 5.7 "`value` is not the
  /// written data".
  func testALongWriteIsPrepared() throws {
    let (app, peripheral) = try connectedApp()
    let long = try XCTUnwrap(app.characteristics["FFE3"])
    for (count, opcodes) in [(182, ["12"]), (183, ["16", "16", "18"]), (512, ["16", "16", "16", "18"])] {
      let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      var made: [String] = []
      let sent = requests { made = calls(app) { peripheral.writeValue(data, for: long, type: .withResponse) } }
      XCTAssertEqual(made, ["written FFE3"])
      XCTAssertEqual(sent.map { String($0.prefix(2)) }, opcodes)
      XCTAssertNil(long.value)
    }
    peripheral.readValue(for: long)
    air.advance(by: .seconds(1))
    XCTAssertEqual(long.value?.count, 512)
  }

  /// 3.2: a longer one gets `invalidAttributeValueLength`, and nothing is sent.
  func testAWriteOfMoreThanAnAttributeHoldsFails() throws {
    let (app, peripheral) = try connectedApp()
    let long = try XCTUnwrap(app.characteristics["FFE3"])
    var made: [String] = []
    let sent = requests { made = calls(app) { peripheral.writeValue(Data(count: 513), for: long, type: .withResponse) } }
    XCTAssertEqual(made, ["written FFE3: CBATTError 13"])
    XCTAssertEqual(sent, [])
  }

  /// 6.6 "maximumWriteValueLength: `.withResponse` 512; `.withoutResponse` MTU−3 … may read 20 just after connect and rise".
  func testTheLongestWriteFollowsTheMTU() throws {
    for mtu in [23, 185, 517, 527] {
      let air = try makeAir()
      air.centralMTU = mtu
      air.inject(try Fault("delayMTU:600ms@phase:mtu"))
      try VirtualAir.$current.withValue(air) {
        let app = PlainCentral()
        try air.run(until: app.calls.contains("connected"))
        XCTAssertEqual(app.peripheral?.maximumWriteValueLength(for: .withoutResponse), 20)
        try air.run(until: app.calls.contains("discovered"))
        XCTAssertEqual(app.peripheral?.maximumWriteValueLength(for: .withoutResponse), mtu - 3)
        XCTAssertEqual(app.peripheral?.maximumWriteValueLength(for: .withResponse), 512)
      }
    }
  }

  /// 6.6 "Read results and notifications share didUpdateValueFor"; 5.6 "value set before the call".
  func testReadsAndNotificationsAreTheSameCall() throws {
    let air = VirtualAir(scenarios: [
      try StrapScenario.make(
        """
        { at: 500, write: 0x15, value: "0100", answer: "ok", id: "on" },
        { at: 600, notify: 0x14, value: "0048", after: "on", delay: 100 },
        """)
    ])
    try VirtualAir.$current.withValue(air) {
      let (app, peripheral) = try connectedApp(air)
      let pulse = try XCTUnwrap(app.characteristics["2A37"])
      XCTAssertEqual(
        calls(app, air) { peripheral.setNotifyValue(true, for: pulse) }, ["notifying 2A37 true", "value Heart Rate Measurement"])
      XCTAssertEqual(pulse.value, Data([0, 0x48]))
      let location = try XCTUnwrap(app.characteristics["2A38"])
      XCTAssertEqual(calls(app, air) { peripheral.readValue(for: location) }, ["value Body Sensor Location"])
    }
  }

  /// 6.6 "`.withResponse` → exactly one didWriteValueFor (iOS 10 bug)", none for the other kind; a descriptor's write has a call of its own.
  func testWritesAreAnsweredOnce() throws {
    let (app, peripheral) = try connectedApp()
    let control = try XCTUnwrap(app.characteristics["2A39"])
    XCTAssertEqual(
      calls(app) { peripheral.writeValue(Data([1]), for: control, type: .withResponse) }, ["written Heart Rate Control Point"])
    XCTAssertEqual(calls(app) { peripheral.writeValue(Data([1]), for: control, type: .withoutResponse) }, [])
    let pulse = try XCTUnwrap(app.characteristics["2A37"])
    peripheral.discoverDescriptors(for: pulse)
    air.advance(by: .seconds(1))
    let name = try XCTUnwrap(pulse.descriptors?[1])
    XCTAssertEqual(calls(app) { peripheral.writeValue(Data("Puls".utf8), for: name) }, ["written descriptor 2901"])
  }

  /// 6.6 "Writing the CCCD as descriptor raises NSInternalInconsistencyException": the test goes on, and its verdict fails.
  func testWritingTheConfigurationRaises() throws {
    let (app, peripheral) = try connectedApp()
    let pulse = try XCTUnwrap(app.characteristics["2A37"])
    peripheral.discoverDescriptors(for: pulse)
    air.advance(by: .seconds(1))
    let configuration = try XCTUnwrap(pulse.descriptors?.first { $0.uuid.uuidString == CBUUIDClientCharacteristicConfigurationString })
    var made: [String] = []
    XCTAssertEqual(requests { made = calls(app) { peripheral.writeValue(Data([1, 0]), for: configuration) } }, [])
    XCTAssertEqual(made, [])
    XCTAssertFalse(air.verdict.passed)
    XCTAssertEqual(air.verdict.failures.count, 1)
    XCTAssertTrue(air.verdict.failures[0].hasPrefix("EXCEPTION: NSInternalInconsistencyException: Client Characteristic Configuration"))
  }

  /// 6.6 "readRSSI → didReadRSSI; only while connected".
  func testTheSignalIsReadWhileConnected() throws {
    let (app, peripheral) = try connectedApp()
    XCTAssertNil(peripheral.rssi)
    XCTAssertEqual(calls(app) { peripheral.readRSSI() }, ["signal -50"])
    XCTAssertEqual(peripheral.rssi, -50)
    app.hangUp()
    try air.run(until: peripheral.state == .disconnected)
    XCTAssertEqual(calls(app) { peripheral.readRSSI() }, [])
    XCTAssertEqual(air.verdict.misuse.count, 1)
    XCTAssertTrue(air.verdict.misuse[0].contains("can only accept commands while in the connected state"))
  }

  /// 3.2 "codes outside the list … reach the app as NSError in the same domain with that raw code".
  func testEveryErrorByteReachesTheApp() throws {
    for code in [0x01, 0x02, 0x11, 0x12, 0x72, 0x80, 0xFC, 0xFF] {
      let air = try makeAir()
      air.inject(try Fault("error:\(code)@before:read:2A38"))
      try VirtualAir.$current.withValue(air) {
        let (app, peripheral) = try connectedApp(air)
        let location = try XCTUnwrap(app.characteristics["2A38"])
        let made = calls(app, air) { peripheral.readValue(for: location) }
        let kind = code <= 0x11 ? "CBATTError" : "CBATTErrorDomain"
        XCTAssertEqual(made, ["value Body Sensor Location: \(kind) \(code)"])
      }
    }
  }

  /// 6.6 "write-without-response does not start pairing".
  func testACommandStartsNoPairing() throws {
    let (app, peripheral) = try connectedApp()
    let asked = Guarded(0)
    air.phone.onPairingPrompt { _ in
      asked.value += 1
      return .agree
    }
    air.inject(try Fault("error:0x0f@before:write:2A39"))
    let control = try XCTUnwrap(app.characteristics["2A39"])
    peripheral.writeValue(Data([1]), for: control, type: .withoutResponse)
    air.advance(by: .seconds(1))
    XCTAssertEqual(asked.value, 0)
  }
}
