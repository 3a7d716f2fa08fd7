import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// A bonded app wrote the CCCD once, as the specification lets it, and some devices forgot that with the link: after the next connection
/// nothing came any more.
final class ForgottenSubscriptionTests: FieldCase {
  private enum Way { case onceForAll, onEachConnection, whenItIsSilent }

  private final class App: FieldApp, @unchecked Sendable {
    private let way: Way
    private var hasSubscribed = false

    init(_ way: Way) { self.way = way }

    override func ready() {
      if way == .onEachConnection || !hasSubscribed { subscribe() }
      hasSubscribed = true
      let count = delivered.count
      if way == .whenItIsSilent { after(10) { if self.delivered.count == count { self.subscribe() } } }
    }

    override func told(_ characteristic: CBCharacteristic, _ value: [UInt8]) {
      super.told(characteristic, value)
      tell("value \(value[0])")
    }

    override func ended(_ error: NSError?) { connect() }
  }

  private func run(_ way: Way, keepsSubscriptions: Bool) throws -> (values: [UInt8], air: VirtualAir) {
    var scenario = try scenario("forgotten-subscription")
    scenario.device.keepsSubscriptions = keepsSubscriptions
    let (app, air) = try run(scenario, { App(way) }, { $1.advance(by: .seconds(60)) })
    return (app.values, air)
  }

  func testADeviceThatForgets() throws {
    let (values, wrong) = try run(.onceForAll, keepsSubscriptions: false)
    XCTAssertEqual(values, [1])
    assertFails(wrong, "the mark \"value 3\" once: it came 0 times")
    XCTAssertEqual(wrong.verdict.sessions.last?.notSendable, [0, 1])
    for (way, told) in [(Way.onEachConnection, [1, 2, 3]), (.whenItIsSilent, [1, 3])] as [(Way, [UInt8])] {
      let (values, air) = try run(way, keepsSubscriptions: false)
      XCTAssertEqual(values, told)
      assertVerdict(air)
    }
  }

  func testADeviceThatRemembers() throws {
    for way in [Way.onceForAll, .onEachConnection, .whenItIsSilent] {
      let (values, air) = try run(way, keepsSubscriptions: true)
      XCTAssertEqual(values, [1, 2, 3], "\(way)")
      assertVerdict(air)
    }
  }
}
