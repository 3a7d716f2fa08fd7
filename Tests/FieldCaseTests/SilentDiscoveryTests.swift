import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// The device vanished while an app looked at what it has, and the call that the app had made of it all never returned.
final class SilentDiscoveryTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    private let isMended: Bool
    private(set) var outcome: String?

    init(isMended: Bool) { self.isMended = isMended }

    override func connected(_ peripheral: CBPeripheral) {
      super.connected(peripheral)
      if isMended { after(10) { self.finish("no answer") } }
    }

    override func servicesFound() {
      if let service = device?.services?.first(where: { $0.uuid == FieldApp.service }) {
        device?.discoverIncludedServices(nil, for: service)
      }
    }

    override func includedServicesFound() { super.servicesFound() }
    override func ready() { if let stream = characteristic(FieldApp.stream) { device?.discoverDescriptors(for: stream) } }
    override func descriptorsFound() { subscribe() }
    override func notifies(_ characteristic: CBCharacteristic, _ error: NSError?) { finish("set up") }
    override func ended(_ error: NSError?) { if isMended { finish("link lost") } }

    private func finish(_ outcome: String) {
      guard self.outcome == nil else { return }
      self.outcome = outcome
      tell("over")
      if outcome == "no answer" { disconnect() }
    }
  }

  private func run(_ fault: String?, isMended: Bool) throws -> (app: App, air: VirtualAir) {
    var scenario = try scenario("silent-discovery")
    scenario.faults = fault.map { [$0] } ?? []
    return try run(scenario, { App(isMended: isMended) }, { $1.advance(by: .seconds(120)) })
  }

  /// The triggers of the six phases, as the requests of an undisturbed run tell them.
  private func phases() throws -> [String] {
    let (app, air) = try run(nil, isMended: false)
    XCTAssertEqual(app.outcome, "set up")
    assertVerdict(air)
    let requests = air.pdus.filter { $0.fromCentral && [0x04, 0x06, 0x08, 0x10].contains($0.bytes[0]) }.map(\.bytes)
    func first(_ opcode: UInt8, _ type: [UInt8] = []) throws -> String {
      let place = try XCTUnwrap(requests.firstIndex { $0[0] == opcode && $0.suffix(type.count) == type[...] })
      return "phase:discovery#\(place + 1)"
    }
    return [
      "phase:mtu", try first(0x10), try first(0x08, [0x02, 0x28]), try first(0x08, [0x03, 0x28]), try first(0x04), "phase:subscribing",
    ]
  }

  func testSilenceInEachPhase() throws {
    let phases = try phases()
    XCTAssertEqual(Set(phases).count, 6)
    for phase in phases {
      for (action, outcome) in [("silence", "no answer"), ("vanish", "link lost"), ("disconnect:0x08", "link lost")] {
        let wrong = try run("\(action)@\(phase)", isMended: false)
        XCTAssertNil(wrong.app.outcome)
        assertFails(wrong.air, "the mark \"over\" once within 20000 ms: it came 0 times")
        if action == "silence" {
          // The phone gives the link up itself, but no sooner than ATT lets it (Core 5.4, Vol 3, Part F, 3.3.3).
          let pdu = try XCTUnwrap(wrong.air.pdus.last { $0.fromCentral })
          let end = try XCTUnwrap(wrong.air.log.lines.last { if case .disconnected = $0.event { true } else { false } })
          XCTAssertEqual(end.time.duration(since: pdu.time), .seconds(30), phase)
        }
        let (app, air) = try run("\(action)@\(phase)", isMended: true)
        XCTAssertEqual(app.outcome, outcome, "\(action)@\(phase)")
        XCTAssertEqual(air.verdict.faultsNotReached, [])
        assertVerdict(air)
      }
    }
  }

  /// A device that fell silent does not tell values either, and one that only lost its answer does.
  func testNothingComesAnyMore() throws {
    for (action, comes) in [("silence", false), ("drop", true)] {
      var scenario = try scenario("silent-discovery")
      scenario.device.sendsUnsubscribed = true
      scenario.sessions = [
        Session(
          entries: (5...9).map { second in
            TimelineEntry(
              at: .seconds(second), origin: .peripheral, action: .notify(AttributeHandle(0x13), [UInt8(second)]),
              anchor: Anchor(.connection, delay: .seconds(second)))
          })
      ]
      scenario.faults = ["\(action)@phase:discovery"]
      let air = try run(scenario, { App(isMended: true) }, { $1.advance(by: .seconds(120)) }).air
      XCTAssertEqual(air.verdict.faultsNotReached, [])
      XCTAssertEqual(air.pdus.count { $0.bytes[0] == 0x1B }, comes ? 5 : 0, action)
    }
  }

  func testTheScenarioAsItIs() throws {
    let scenario = try scenario("silent-discovery")
    assertFails(try run(scenario, { App(isMended: false) }, { $1.advance(by: .seconds(120)) }).air, "the mark \"over\" once")
    assertVerdict(try run(scenario, { App(isMended: true) }, { $1.advance(by: .seconds(120)) }).air)
  }
}
