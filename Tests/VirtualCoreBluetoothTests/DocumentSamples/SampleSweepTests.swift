import CoreBluetooth
import Foundation
import ReplayTesting
import TestSupport
import XCTest

@testable import DocumentSamplesAzerbaijani
@testable import DocumentSamplesPersian
@testable import DocumentSamplesTurkish
@testable import DocumentSamplesUzbek

/// The documents' classes, as they stand there, with a fault wherever one may come: `docs/document-samples.md` lists what breaks them.
///
/// `UNDERSTUDY_UPDATE_GOLDEN=1` writes that list anew.
final class SampleSweepTests: ReplayTestCase {
  /// The device, where it is not the strap of the capture.
  private var device: Scenario?

  override func makeAir() throws -> VirtualAir {
    VirtualAir(scenarios: [try device ?? HeartFromCaptureTests.scenario("heart-strap")], seed: 3)
  }

  /// What a user of a sample would say of it.
  private struct Complaint: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// What goes wrong before and while services are looked for, and once all is well.
  private static let faults =
    ["refuseConnection:0x3e@phase:connecting", "failEstablishment@phase:connecting", "powerOff:5000ms@phase:advertising"]
    + ["disconnect:0x08", "disconnect:0x13", "vanish", "silence", "powerOff:5000ms"].flatMap { action in
      ["phase:mtu", "phase:discovery", "phase:discovery#3", "phase:discovery#6", "time:60000ms"].map { "\(action)@\($0)" }
    } + ["forgetBond@phase:connecting", "rotateAddress@time:60000ms", "delay:40000ms@phase:discovery", "corrupt@phase:discovery*all~0.2"]

  /// How a sample stands them; nothing is first.
  private func table(_ faults: [String] = faults, _ body: (VirtualAir) throws -> Void) throws -> [String] {
    let points = try faults.map { FaultPoint(try Fault($0), name: "heart-strap") }
    let plain = try run(Sweep("nothing", points: [FaultPoint(try Fault("drop@pdu:1*0"), name: "")], seed: 3), in: .thisProcess, body)
    let result = try run(Sweep("samples", points: points, seed: 3), body)
    // A fault that a sample does not come to says nothing of it.
    let reached = result.points.filter { $0.outcome != .notReached }
    return (plain.points.map { ("nothing", $0) } + reached.map { ("`\($0.point.fault)`", $0) }).map { fault, point in
      "| \(fault) | \(point.outcome.isFailure ? "**\(point.failures.first ?? "\(point.outcome)")**" : "stands it") |"
    }
  }

  // MARK: - The samples

  /// A device that is connected, with its services known; whatever happened before.
  private static func expectServices(_ peripheral: CBPeripheral?, in air: VirtualAir) throws {
    guard let peripheral else { throw Complaint("no device is found") }
    guard peripheral.state == .connected else { throw Complaint("the device stays \(words(peripheral.state))") }
    guard peripheral.services?.count == 6 else { throw Complaint("the services are not known") }
  }

  private static func words(_ state: CBPeripheralState) -> String {
    switch state {
    case .disconnected: "disconnected"
    case .connecting: "connecting"
    case .connected: "connected"
    case .disconnecting: "disconnecting"
    @unknown default: "\(state)"
    }
  }

  private func central<App: CBCentralManagerDelegate>(_ make: () -> App, connect: (App, CBPeripheral) -> Void) throws -> [String] {
    try table { air in
      let app = make()
      let manager = try XCTUnwrap(CallRecorder.stored("centralManager", of: app) as CBCentralManager?)
      air.advance(by: .seconds(1))
      // The user picks the device as soon as there is one.
      air.advance(by: .seconds(7))
      let found: [CBPeripheral] = CallRecorder.stored("discoveredPeripherals", of: app) ?? []
      if let first = found.first { connect(app, first) }
      air.advance(by: .seconds(120))
      try Self.expectServices(found.first, in: air)
      withExtendedLifetime(manager) {}
    }
  }

  func testBLECentral() throws {
    let tables = [
      try central({ DocumentSamplesUzbek.BLECentral() }, connect: { $0.connect(to: $1) }),
      try central({ DocumentSamplesPersian.BLECentral() }, connect: { $0.connect(to: $1) }),
      try central({ DocumentSamplesTurkish.BLECentral() }, connect: { $0.connect(to: $1) }),
    ]
    XCTAssertEqual(tables[0], tables[1])
    XCTAssertEqual(tables[0], tables[2])
    try expect(tables[0], of: "BLECentral", "connects to the first device")
  }

  func testBLEController() throws {
    let table = try table { air in
      let app = BLEController()
      let manager = try XCTUnwrap(CallRecorder.stored("centralManager", of: app) as CBCentralManager?)
      let recorder = CallRecorder(manager, app)
      air.advance(by: .seconds(120))
      try Self.expectServices(recorder.peripherals.first, in: air)
    }
    try expect(table, of: "BLEController", "leaves it alone; it connects by itself")
  }

  func testBLEConnection() throws {
    let table = try table { air in
      struct App: @unchecked Sendable { let connection = BLEConnection() }
      let app = App()
      air.advance(by: .seconds(1))
      app.connection.scan()
      air.advance(by: .seconds(7))
      guard let strap = app.connection.found else { throw Complaint("no device is found") }
      let progress = Guarded("`connect` never returns")
      let task = Task {
        do {
          try await app.connection.connect(to: strap)
          progress.value = "`discoverServices` never returns"
          try await app.connection.discoverServices()
          progress.value = "done"
        } catch { progress.value = "an error is thrown" }
      }
      air.advance(by: .seconds(120))
      task.cancel()
      guard ["done", "an error is thrown"].contains(progress.value) else { throw Complaint(progress.value) }
      if progress.value == "done", strap.state != .connected { throw Complaint("the link is lost, and nobody is told") }
    }
    try expect(table, of: "BLEConnection", "awaits `connect`, then `discoverServices`; is content with an error that is thrown")
  }

  func testBLECentralWithRestoration() throws {
    let table = try table { air in
      let options: [String: Any] = [CBCentralManagerOptionRestoreIdentifierKey: "com.app.blecentral"]
      let before = RecordingApp.connecting(managerOptions: options)
      air.advance(by: .seconds(30))
      air.phone.terminateApp()
      let app = DocumentSamplesUzbek.BLECentralWithRestoration()
      let manager = try XCTUnwrap(CallRecorder.stored("centralManager", of: app) as CBCentralManager?)
      let recorder = CallRecorder(manager, app)
      air.advance(by: .seconds(90))
      guard let peripheral = recorder.peripherals.first else { throw Complaint("no device is given back") }
      try Self.expectServices(peripheral, in: air)
      withExtendedLifetime(before) {}
    }
    try expect(
      table, of: "BLECentralWithRestoration", "had connected with another manager; then, 30 s after the start, the system ended the app")
  }

  func testBLEManager() throws {
    UserDefaults.standard.register(defaults: ["isCentral": true])
    defer { UserDefaults.standard.register(defaults: ["isCentral": false]) }
    let result = try run(Sweep("nothing", points: [FaultPoint(try Fault("drop@pdu:1*0"), name: "")], seed: 3), in: .thisProcess) { air in
      air.failOn = .misuse
      let app = DocumentSamplesUzbek.startProgram()
      air.advance(by: .seconds(10))
      let manager = try XCTUnwrap(CallRecorder.stored("centralManager", of: app) as CBCentralManager?)
      if !manager.isScanning {
        throw Complaint("it never scans: the call came before the state was `poweredOn`, and there is no delegate to tell of that")
      }
    }
    try expect(["| nothing | **\(result.points.first?.failures.first ?? "")** |"], of: "BLEManager", "starts its program as a central")
  }

  // MARK: - The samples that get a connected device

  private static let faultsOfUse = [
    "error:0x0e@before:read:2A37", "error:0x05@before:read:2A37", "disconnect:0x08@before:read:2A37", "silence@before:read:2A37",
    "disconnect:0x08@phase:subscribing", "silence@phase:subscribing", "disconnect:0x08@after:notification:2A37",
    "powerOff:5000ms@time:22000ms",
    "moveHandles:1+3@time:22000ms", "disconnect:0x08@time:22000ms",
  ]

  /// A device that some other class has connected, and whose services and characteristics are known.
  private func connected(_ body: (CBPeripheral, VirtualAir) throws -> Void) throws -> [String] {
    device = PeripheralSampleTests.scenario
    return try table(Self.faultsOfUse) { air in
      air.failOn = .misuse
      let host = PlainCentral()
      host.whenDiscovered = { _, _ in }
      air.advance(by: .seconds(20))
      let peripheral = try XCTUnwrap(host.peripheral)
      try withExtendedLifetime(host) { try body(peripheral, air) }
    }
  }

  private static func characteristic(_ uuid: String, of peripheral: CBPeripheral) -> CBCharacteristic? {
    peripheral.services?.lazy.flatMap { $0.characteristics ?? [] }.first { $0.uuid == CBUUID(string: uuid) }
  }

  func testBLEViewController() throws {
    let table = try connected { peripheral, air in
      let sample = BLEViewController()
      peripheral.delegate = sample
      peripheral.discoverServices(nil)
      // A peripheral does not keep its delegate.
      withExtendedLifetime(sample) { air.advance(by: .seconds(5)) }
      if Self.characteristic("2A37", of: peripheral)?.value == nil { throw Complaint("there is no value, and nobody is told why") }
      if Self.characteristic("2A37", of: peripheral)?.isNotifying != true { throw Complaint("notifications end, and nobody is told") }
    }
    try expect(table, of: "BLEViewController", "makes it the delegate of a connected device and looks for its services")
  }

  func testNotificationManager() throws {
    let table = try connected { peripheral, air in
      let sample = NotificationManager()
      peripheral.delegate = sample
      sample.subscribeToAllNotifications(peripheral: peripheral)
      air.advance(by: .seconds(5))
      sample.unsubscribeFromAll()
      air.advance(by: .seconds(1))
    }
    try expect(table, of: "NotificationManager", "subscribes to all of a connected device, and unsubscribes five seconds later")
  }

  // MARK: - The list

  private static let list = Repository.root.appending(path: "docs/document-samples.md")

  /// Holds a table against its section of the list.
  private func expect(_ table: [String], of sample: String, _ user: String, file: StaticString = #filePath, line: UInt = #line) throws {
    let heading = "## `\(sample)`"
    let section =
      ([heading, "", "Its user: \(user).", "", "| what goes wrong | how it stands |", "|---|---|"] + table).joined(separator: "\n") + "\n"
    var text = try String(contentsOf: Self.list, encoding: .utf8)
    guard let start = text.range(of: heading)?.lowerBound else {
      return XCTFail("the list has no section of \(sample)", file: file, line: line)
    }
    let rest = text[start...].dropFirst(heading.count)
    let end = rest.range(of: "\n## ")?.lowerBound ?? text.endIndex
    if ProcessInfo.processInfo.environment["UNDERSTUDY_UPDATE_GOLDEN"] != nil {
      text.replaceSubrange(start..<end, with: section)
      try text.write(to: Self.list, atomically: true, encoding: .utf8)
    } else {
      XCTAssertEqual(String(text[start..<end]), section, file: file, line: line)
    }
  }
}
