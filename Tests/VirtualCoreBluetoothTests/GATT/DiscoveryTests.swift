import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// Discovery, and what becomes of what was found (6.3, 6.5, 6.10).
final class DiscoveryTests: StrapTestCase {
  private func uuids(_ services: [CBService]?) -> [String]? { services?.map(\.uuid.uuidString) }

  private func plainlyConnected() throws -> (PlainCentral, CBPeripheral) {
    let app = PlainCentral()
    app.looksAtServices = false
    try air.run(until: app.calls.contains("connected"))
    return (app, try XCTUnwrap(app.peripheral))
  }

  /// 6.5 "Results of successive filtered discoveries accumulate in `services`".
  func testWhatIsFoundAccumulates() throws {
    let (app, peripheral) = try plainlyConnected()
    XCTAssertNil(peripheral.services)
    peripheral.discoverServices([CBUUID(string: "180F")])
    air.advance(by: .seconds(1))
    XCTAssertEqual(uuids(peripheral.services), ["180F"])
    let battery = try XCTUnwrap(peripheral.services?.first)
    peripheral.discoverServices([CBUUID(string: "180D"), CBUUID(string: "180F")])
    air.advance(by: .seconds(1))
    // In the order of their handles, and the object that is known stays.
    XCTAssertEqual(uuids(peripheral.services), ["180D", "180F"])
    XCTAssertTrue(peripheral.services?.last === battery)
    peripheral.discoverServices([])
    air.advance(by: .seconds(1))
    // 6.2 "nil and [] both mean no filter; [] for discoverServices too".
    XCTAssertEqual(uuids(peripheral.services), ["1800", "1801", "180D", "180F"])

    let heart = try XCTUnwrap(peripheral.services?[2])
    peripheral.discoverCharacteristics([CBUUID(string: "2A38")], for: heart)
    air.advance(by: .seconds(1))
    let location = try XCTUnwrap(heart.characteristics?.first)
    peripheral.discoverCharacteristics([CBUUID(string: "2A37"), CBUUID(string: "2A38")], for: heart)
    air.advance(by: .seconds(1))
    XCTAssertEqual(heart.characteristics?.map(\.uuid.uuidString), ["2A37", "2A38"])
    XCTAssertTrue(heart.characteristics?.last === location)
    XCTAssertTrue(location.service === heart)
    XCTAssertTrue(heart.peripheral === peripheral)
    XCTAssertEqual(app.calls.filter { $0.contains("Error") }, [])
  }

  /// A service that is asked for twice, in whatever form of its UUID, is there once.
  func testWhatIsNamedTwiceIsFoundOnce() throws {
    let (app, peripheral) = try plainlyConnected()
    let battery = ["180F", "180F", "0000180F-0000-1000-8000-00805F9B34FB"].map { CBUUID(string: $0) }
    XCTAssertEqual(requests { peripheral.discoverServices(battery) }.count, 2)
    XCTAssertEqual(uuids(peripheral.services), ["180F"])
    XCTAssertEqual(app.calls.filter { $0.hasPrefix("services") }.count, 1)
  }

  /// 6.5 "Zero matches → success with error nil, `services` possibly []".
  func testNothingFoundIsSuccess() throws {
    let (app, peripheral) = try plainlyConnected()
    let calls = calls(app) { peripheral.discoverServices([CBUUID(string: "1234")]) }
    XCTAssertEqual(calls.filter { !$0.hasPrefix("name") }, ["services"])
    XCTAssertEqual(peripheral.services, [])
    peripheral.discoverServices([CBUUID(string: "180F")])
    air.advance(by: .seconds(1))
    let battery = try XCTUnwrap(peripheral.services?.first)
    peripheral.discoverCharacteristics([CBUUID(string: "1234")], for: battery)
    air.advance(by: .seconds(1))
    XCTAssertEqual(battery.characteristics, [])
    XCTAssertFalse(app.calls.contains { $0.contains("Error") })
  }

  func testIncludedServices() throws {
    let (app, peripheral) = try connectedApp()
    let heart = try XCTUnwrap(peripheral.services?.first { $0.uuid.uuidString == "180D" })
    XCTAssertNil(heart.includedServices)
    XCTAssertEqual(calls(app) { peripheral.discoverIncludedServices([CBUUID(string: "FFA0")], for: heart) }, ["included 180D"])
    XCTAssertEqual(uuids(heart.includedServices), ["FFA0"])
    XCTAssertEqual(calls(app) { peripheral.discoverIncludedServices(nil, for: heart) }, ["included 180D"])
    XCTAssertEqual(uuids(heart.includedServices), ["180F", "FFA0"])
    // One that was found by itself is the same object; one that is only included is none of the peripheral's.
    XCTAssertTrue(heart.includedServices?.first === peripheral.services?.last)
    XCTAssertEqual(heart.includedServices?.map(\.isPrimary), [true, false])
    XCTAssertEqual(uuids(peripheral.services), ["1800", "1801", "180D", "180F"])
    let secondary = try XCTUnwrap(heart.includedServices?.last)
    peripheral.discoverCharacteristics(nil, for: secondary)
    air.advance(by: .seconds(1))
    let value = try XCTUnwrap(secondary.characteristics?.first)
    peripheral.readValue(for: value)
    air.advance(by: .seconds(1))
    XCTAssertEqual(value.value, Data([0xAA]))
    // What is included may turn out to be primary when it is discovered.
    let battery = try XCTUnwrap(peripheral.services?.first { $0.uuid.uuidString == "180F" })
    XCTAssertEqual(calls(app) { peripheral.discoverIncludedServices(nil, for: battery) }, ["included 180F"])
    XCTAssertEqual(battery.includedServices, [])
  }

  /// 4.7: "2900", "2902", "2903" are NSNumber, "2901" is String, others Data.
  func testDescriptorsHaveTheTypesOfTheirValues() throws {
    let (app, peripheral) = try connectedApp()
    let pulse = try XCTUnwrap(app.characteristics["2A37"])
    XCTAssertNil(pulse.descriptors)
    XCTAssertEqual(calls(app) { peripheral.discoverDescriptors(for: pulse) }, ["descriptors 2A37"])
    XCTAssertEqual(pulse.descriptors?.map(\.uuid.uuidString), ["2902", "2901", "2904", "2900"])
    let descriptors = try XCTUnwrap(pulse.descriptors)
    XCTAssertEqual(
      calls(app) { for descriptor in descriptors { peripheral.readValue(for: descriptor) } },
      ["2902", "2901", "2904", "2900"].map { "descriptor \($0)" })
    XCTAssertEqual(descriptors[0].value as? NSNumber, 0)
    XCTAssertEqual(descriptors[1].value as? String, "Pulse")
    XCTAssertEqual(descriptors[2].value as? Data, Data([4, 0, 0xAD, 0x27, 1, 0, 0, 0]))
    XCTAssertEqual(descriptors[3].value as? NSNumber, 1)
    XCTAssertTrue(descriptors[0].characteristic === pulse)
    _ = calls(app) { peripheral.discoverDescriptors(for: pulse) }
    XCTAssertTrue(pulse.descriptors?[1] === descriptors[1])
    let location = try XCTUnwrap(app.characteristics["2A38"])
    XCTAssertEqual(calls(app) { peripheral.discoverDescriptors(for: location) }, ["descriptors 2A38"])
    XCTAssertEqual(location.descriptors, [])
  }

  /// 6.3 "New CBService objects per connection"; "After didDisconnect … services, characteristics, descriptors are invalid".
  func testEachConnectionHasObjectsOfItsOwn() throws {
    let (app, peripheral) = try connectedApp()
    let (services, location) = (try XCTUnwrap(peripheral.services), try XCTUnwrap(app.characteristics["2A38"]))
    app.hangUp()
    try air.run(until: peripheral.state == .disconnected)
    XCTAssertNil(peripheral.services)
    app.connectAgain()
    try air.run(until: app.calls.filter { $0 == "discovered" }.count == 2)
    XCTAssertEqual(peripheral.services?.count, services.count)
    for (old, new) in zip(services, peripheral.services ?? []) { XCTAssertFalse(old === new) }
    XCTAssertEqual(calls(app) { peripheral.readValue(for: location) }, [])
    XCTAssertEqual(
      air.verdict.misuse, ["WARNING: \(location) is not a valid characteristic for peripheral \(peripheral)"])
    let heart = try XCTUnwrap(services.first { $0.uuid.uuidString == "180D" })
    XCTAssertEqual(calls(app) { peripheral.discoverCharacteristics(nil, for: heart) }, [])
    XCTAssertEqual(air.verdict.misuse.count, 2)
  }

  /// 6.3 "CONFLICT: after reconnect `services` … still usable": the other convention.
  func testServicesMayStayUsable() throws {
    air.phone.conventions.servicesAfterDisconnection = .kept
    let (app, peripheral) = try connectedApp()
    let location = try XCTUnwrap(app.characteristics["2A38"])
    app.hangUp()
    try air.run(until: peripheral.state == .disconnected)
    app.looksAtServices = false
    app.connectAgain()
    try air.run(until: app.calls.filter { $0 == "connected" }.count == 2)
    XCTAssertEqual(peripheral.services?.count, 4)
    XCTAssertEqual(calls(app) { peripheral.readValue(for: location) }.count, 1)
    XCTAssertEqual(location.value, Data([1]))
    XCTAssertEqual(air.verdict.misuse, [])
  }

  /// 6.5 "didModifyServices passes the invalidated services; handles to them are dead; app must rediscover".
  func testServicesThatChangedAreInvalid() throws {
    let air = VirtualAir(scenarios: [
      try StrapScenario.make("{ at: 3000, indicate: 6, value: \"10002f00\", answer: \"ok\", after: \"connection\", delay: 3000 }")
    ])
    try VirtualAir.$current.withValue(air) {
      let (app, peripheral) = try connectedApp(air)
      let (pulse, battery) = try (XCTUnwrap(app.characteristics["2A37"]), XCTUnwrap(app.characteristics["2A19"]))
      peripheral.setNotifyValue(true, for: pulse)
      air.advance(by: .seconds(1))
      XCTAssertTrue(pulse.isNotifying)
      try air.run(until: app.calls.contains { $0.hasPrefix("modified") })
      XCTAssertEqual(app.calls.last, "modified [\"180D\"]")
      XCTAssertEqual(uuids(peripheral.services), ["1800", "1801", "180F"])
      XCTAssertFalse(pulse.isNotifying)
      XCTAssertEqual(calls(app, air) { peripheral.readValue(for: pulse) }, [])
      XCTAssertEqual(calls(app, air) { peripheral.readValue(for: battery) }, ["value Battery Level"])
      XCTAssertEqual(air.verdict.misuse.count, 1)
      peripheral.discoverServices(nil)
      air.advance(by: .seconds(1))
      XCTAssertEqual(uuids(peripheral.services), ["1800", "1801", "180D", "180F"])
      XCTAssertFalse(app.characteristics["2A37"] === pulse)
      XCTAssertTrue(air.log.text.contains("> 1e"), "the indication is confirmed")
    }
  }

  /// A service that is said to end before it begins is no service, and nothing is done with it when services change.
  func testAnIncludedServiceThatEndsBeforeItBegins() throws {
    let air = VirtualAir(scenarios: [
      try StrapScenario.make("{ at: 3000, indicate: 6, value: \"0100ffff\", answer: \"ok\", after: \"connection\", delay: 3000 }")
    ])
    try VirtualAir.$current.withValue(air) {
      let (app, peripheral) = try connectedApp(air)
      // The answer to the first request for includes, whose end becomes 0x0002.
      let sent = air.log.lines.filter { if case .pdu = $0.event { true } else { false } }.count
      air.inject(try Fault("corrupt:6^0x30@pdu:\(sent + 2)"))
      peripheral.discoverIncludedServices(nil, for: try XCTUnwrap(peripheral.services?.first { $0.uuid.uuidString == "180D" }))
      try air.run(until: app.calls.contains { $0.hasPrefix("modified") })
      XCTAssertEqual(app.calls.filter { $0.hasPrefix("included") }, ["included 180D: CBError 0"])
    }
  }

  /// 6.5 "Bonded devices: GATT cached; device with Service Changed not bonded → not cached", "Services may already carry characteristics
  /// from cache at didDiscoverServices".
  func testWhatIsRemembered() throws {
    for (isBonded, convention, isRemembered) in [
      (true, VirtualPhone.Conventions.DiscoveryCache.bonded, true), (false, .bonded, false), (true, .never, false),
      (false, .bondedOrStatic, false), (true, .bondedOrStatic, true),
    ] {
      let air = VirtualAir(scenarios: [try StrapScenario.make(bonded: isBonded)])
      air.phone.conventions.discoveryCache = convention
      try VirtualAir.$current.withValue(air) {
        let (app, peripheral) = try connectedApp(air)
        app.hangUp()
        try air.run(until: peripheral.state == .disconnected)
        app.looksAtServices = false
        app.connectAgain()
        try air.run(until: app.calls.filter { $0 == "connected" }.count == 2)
        let sent = requests(air) { peripheral.discoverServices([CBUUID(string: "180D")]) }
        XCTAssertEqual(sent.contains { $0.hasPrefix("06") && $0.hasSuffix("0d18") }, !isRemembered)
        XCTAssertEqual(uuids(peripheral.services), ["180D"])
        let heart = try XCTUnwrap(peripheral.services?.first)
        XCTAssertEqual(heart.characteristics?.count, isRemembered ? 7 : nil)
        peripheral.discoverCharacteristics(nil, for: heart)
        air.advance(by: .seconds(1))
        XCTAssertEqual(heart.characteristics?.count, 7)
        let location = try XCTUnwrap(heart.characteristics?.first { $0.uuid.uuidString == "2A38" })
        peripheral.readValue(for: location)
        air.advance(by: .seconds(1))
        XCTAssertEqual(location.value, Data([1]))
      }
    }
  }

  /// What has changed is looked for anew.
  func testChangedServicesAreNotRemembered() throws {
    let air = VirtualAir(scenarios: [
      try StrapScenario.make(
        "{ at: 3000, indicate: 6, value: \"0100ffff\", answer: \"ok\", after: \"connection\", delay: 3000 }", bonded: true)
    ])
    try VirtualAir.$current.withValue(air) {
      let (app, peripheral) = try connectedApp(air)
      XCTAssertEqual(requests(air) { peripheral.discoverServices(nil) }, [])
      try air.run(until: app.calls.contains { $0.hasPrefix("modified") })
      XCTAssertEqual(peripheral.services, [])
      XCTAssertTrue(requests(air) { peripheral.discoverServices(nil) }.contains("100100ffff0028"))
    }
  }

  /// 6.9 "didModifyServices not implemented": "WARNING: The delegate for <CBPeripheral…> does not implement -[peripheral:didModifyServices:]".
  func testWhoDoesNotHearOfChangedServicesIsWarned() throws {
    let air = VirtualAir(scenarios: [
      try StrapScenario.make("{ at: 3000, indicate: 6, value: \"0100ffff\", answer: \"ok\", after: \"connection\", delay: 3000 }")
    ])
    try VirtualAir.$current.withValue(air) {
      let (app, peripheral) = try connectedApp(air)
      let deaf = DeafDelegate()
      peripheral.delegate = deaf
      air.advance(by: .seconds(5))
      XCTAssertEqual(air.verdict.misuse, ["WARNING: The delegate for \(peripheral) does not implement -[peripheral:didModifyServices:]"])
      XCTAssertEqual(peripheral.services, [])
      XCTAssertFalse(app.calls.contains { $0.hasPrefix("modified") })
    }
  }

  /// 6.2 "name: advertised name until the first connection; then cached GAP name wins; change → peripheralDidUpdateName".
  func testTheDevicesOwnNameWins() throws {
    let app = PlainCentral()
    app.looksAtServices = false
    try air.run(until: app.calls.contains("connected"))
    XCTAssertEqual(app.peripheral?.name, "Strap")
    try air.run(until: app.calls.contains { $0.hasPrefix("name") })
    XCTAssertEqual(app.calls.filter { $0.hasPrefix("name") }, ["name Strap Home"])
    // What the phone asks for itself is apart from what apps ask.
    XCTAssertTrue(air.log.text.contains("own > 080100ffff002a"))
    XCTAssertEqual(air.log.pdus(link: 1).map { $0.bytes.first }, [2, 3])
    app.hangUp()
    try air.run(until: app.peripheral?.state == .disconnected)
    app.scanAgain()
    air.advance(by: .seconds(1))
    XCTAssertEqual(app.peripheral?.name, "Strap Home")
    XCTAssertEqual(app.calls.filter { $0.hasPrefix("name") }.count, 1)
  }

  func testALongNameIsReadInParts() throws {
    let name = String(repeating: "Strap", count: 20)
    let device = try Scenario(
      reading: """
        { format: "understudy/1", device: { name: "Strap", mtu: 23, advertising: { data: "020106", interval: 100, rssi: -50 } },
          database: [ { handle: 1, service: "1800", end: 3 },
            { handle: 2, characteristic: "2A00", value: 3, properties: ["read"], content: "\(StrapScenario.hex(Array(name.utf8)))" } ],
          sessions: [ { entries: [] } ] }
        """)
    let air = VirtualAir(scenarios: [device])
    try VirtualAir.$current.withValue(air) {
      let (app, peripheral) = try connectedApp(air)
      XCTAssertEqual(peripheral.name, name)
      XCTAssertEqual(app.calls.filter { $0.hasPrefix("name") }.count, 1)
    }
  }
}

/// A delegate that knows no call.
private final class DeafDelegate: NSObject, CBPeripheralDelegate {}
