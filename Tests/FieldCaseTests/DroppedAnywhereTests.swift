import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// Links that are lost at any place of a conversation, and devices that are not there any more: simulators could not do it, so that apps
/// which wait for an answer for ever were found by their users.
final class DroppedAnywhereTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    private let isMended: Bool
    private(set) var isOver = false
    private var isWaiting = false

    init(isMended: Bool) { self.isMended = isMended }

    override func connect() {
      super.connect()
      isWaiting = true
      if isMended { after(60) { if self.isWaiting { self.giveUp() } } }
    }

    override func connected(_ peripheral: CBPeripheral) {
      isWaiting = false
      super.connected(peripheral)
    }

    override func ready() { read() }

    override func told(_ characteristic: CBCharacteristic, _ value: [UInt8]) {
      super.told(characteristic, value)
      switch value {
      case [0]: subscribe()
      case [2]: write([0xA1])
      case [0xA2]: write([0xA3], type: .withoutResponse)
      case [0xA4]: end()
      default: break
      }
    }

    /// The bug: whatever the app waits for, it goes on waiting.
    override func ended(_ error: NSError?) { if isMended, !isOver { connect() } }

    private func giveUp() {
      disconnect()
      end()
    }

    private func end() {
      guard !isOver else { return }
      isOver = true
      tell("over")
    }
  }

  override func makeAir() throws -> VirtualAir { VirtualAir(scenarios: [try scenario("dropped-anywhere")]) }

  private func run(_ air: VirtualAir, isMended: Bool) throws {
    let app = App(isMended: isMended)
    app.tell = { [weak air] in air?.mark($0) }
    try air.run(until: app.isOver)
  }

  func testAMendedAppStandsALossAnywhere() throws {
    let after = try sweep(.disconnect(.connectionTimeout), .disconnect(.remoteUserTerminatedConnection), .vanish) {
      try run($0, isMended: true)
    }
    let before = try sweep(.disconnect(.connectionTimeout), .vanish, at: .beforeEveryEntry, in: .thisProcess) {
      try run($0, isMended: true)
    }
    XCTAssertEqual(after.points.count, 3 * 7)
    XCTAssertEqual(before.points.count, 2 * 7)
  }

  /// The device is gone for 20 s after the link is lost, or for good.
  func testAMendedAppStandsADeviceThatStopsAdvertising() throws {
    for selection in [FaultPoint.Selection.everyEntry, .beforeEveryEntry] {
      try sweep(.stopAdvertising(.seconds(20)), .stopAdvertising(nil), at: selection, in: .thisProcess) { air in
        air.inject(.disconnect(.connectionTimeout), at: .before(.notification("FFE1", count: 4)))
        try run(air, isMended: true)
        // Nobody has connected to a device that was not there.
        var gone: AirInstant?
        for line in air.log.lines {
          switch line.event {
          case .fault(let fault):
            if case .stopAdvertising(let time) = fault.action {
              gone = time.map { line.time.advanced(by: $0) } ?? AirInstant(nanoseconds: .max)
            }
          case .connected: if let gone { XCTAssertGreaterThanOrEqual(line.time, gone) }
          default: break
          }
        }
      }
    }
  }

  func testAnAppThatWaitsForEverIsFoundAtEachPlace() throws {
    for selection in [FaultPoint.Selection.everyEntry, .beforeEveryEntry] {
      for action in [Fault.Action.disconnect(.connectionTimeout), .vanish] {
        let points = Sweep([action], at: selection, of: air.scenarios)
        let result = try run(points, in: .thisProcess) { try run($0, isMended: false) }
        // At the last entry the app has all that it wants.
        let stands = selection == .everyEntry ? 1 : 0
        XCTAssertEqual(result.count(of: .failed), result.points.count - stands, "\(action) \(selection)")
      }
    }
  }
}
