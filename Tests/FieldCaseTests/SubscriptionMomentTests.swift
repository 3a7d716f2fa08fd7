import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// Values that are told around the moment of the subscription.
///
/// Some devices tell their first value in the instant in which their CCCD is written, even before that write is answered: apps that begin to
/// listen when they hear of the subscription, or on their next screen, have lost it. And simulators of devices sent values before anybody had
/// subscribed, which no device may: such a value never comes.
final class SubscriptionMomentTests: FieldCase {
  private enum Way { case atOnce, whenSubscribed, onTheNextScreen, late }

  private final class App: FieldApp, @unchecked Sendable {
    private let way: Way
    private var isListening = false

    init(_ way: Way) { self.way = way }

    override func ready() {
      isListening = way == .atOnce || way == .late
      if way != .late { subscribe() }
    }

    override func notifies(_ characteristic: CBCharacteristic, _ error: NSError?) {
      if way == .whenSubscribed { isListening = true }
      if way == .onTheNextScreen { after(0.05) { self.isListening = true } }
    }

    override func told(_ characteristic: CBCharacteristic, _ value: [UInt8]) {
      guard isListening else { return }
      super.told(characteristic, value)
      tell("value")
    }
  }

  private func run(_ way: Way, _ scenario: Scenario) throws -> (values: [UInt8], air: VirtualAir) {
    let (app, air) = try run(scenario, { App(way) }, { $1.advance(by: .seconds(5)) })
    return (app.values, air)
  }

  func testAValueBeforeTheResponseAndOneRightAfter() throws {
    let scenario = try scenario("tells-at-subscription")
    for (way, delivered) in [(Way.whenSubscribed, [2, 3]), (.onTheNextScreen, [3])] as [(Way, [UInt8])] {
      let (values, air) = try run(way, scenario)
      XCTAssertEqual(values, delivered)
      assertFails(air, "the mark \"value\" 3 times: it came \(delivered.count == 1 ? "once" : "\(delivered.count) times")")
    }
    let (values, air) = try run(.atOnce, scenario)
    XCTAssertEqual(values, [1, 2, 3])
    assertVerdict(air)
    // The first was on its way before the Write Response.
    let told = air.pdus.map(\.bytes).filter { $0[0] == 0x13 || $0[0] == 0x1B }
    XCTAssertEqual(told, [[0x1B, 0x12, 0, 1], [0x13], [0x1B, 0x12, 0, 2], [0x1B, 0x12, 0, 3]])
  }

  /// Each moment by itself.
  func testEitherMoment() throws {
    for (anchor, lost) in [
      (Anchor.Cause.request("on"), [Way.whenSubscribed, .onTheNextScreen]), (.entry("on"), [.onTheNextScreen]),
    ] {
      var scenario = try scenario("tells-at-subscription")
      let entries = scenario.sessions[0].entries
      scenario.sessions[0].entries = entries.filter { $0.origin == .central || $0.anchor?.cause == anchor }
      XCTAssertEqual(scenario.sessions[0].entries.count, 2)
      scenario.expectations[0].count = 1
      for way in [Way.atOnce, .whenSubscribed, .onTheNextScreen] {
        let (values, air) = try run(way, scenario)
        XCTAssertEqual(air.verdict.passed, !lost.contains(way), "\(way)")
        XCTAssertEqual(values.count, lost.contains(way) ? 0 : 1)
      }
    }
  }

  /// A millisecond before the subscription nothing arrives, at the same moment and a millisecond after it does.
  func testAMillisecondBeforeTheSubscription() throws {
    let scenario = try scenario("tells-before-subscription")
    func run(_ scenario: Scenario) throws -> (values: [UInt8], air: VirtualAir) {
      let (app, air) = try self.run(scenario, { App(.late) }) { app, air in
        try air.run(until: app.isReady)
        air.advance(by: .milliseconds(1000))
        app.subscribe()
        air.advance(by: .seconds(5))
      }
      return (app.values, air)
    }
    let (values, air) = try run(scenario)
    XCTAssertEqual(values, [2, 3])
    let report = try XCTUnwrap(air.verdict.sessions.first)
    XCTAssertEqual(report.notSendable, [0])
    XCTAssertTrue(air.verdict.notes.contains { $0.contains("1 value was not sent, for nothing was subscribed") })
    assertFails(air, "a subscription to 0x0012 once within 500 ms: it came 0 times, and 1 later")
    let write = try XCTUnwrap(air.pdus.first { $0.bytes == [0x12, 0x13, 0, 1, 0] })
    let told = air.pdus.filter { $0.bytes[0] == 0x1B }.map { $0.time.duration(since: write.time) }
    XCTAssertEqual(told, [.zero, .milliseconds(1)])

    // A device that was seen to tell without a subscription does so here.
    var unasked = scenario
    unasked.device.sendsUnsubscribed = true
    let (all, other) = try run(unasked)
    XCTAssertEqual(all, [1, 2, 3])
    XCTAssertEqual(other.verdict.sessions.first?.notSendable, [])
    let first = try XCTUnwrap(other.pdus.first { $0.bytes[0] == 0x1B })
    let subscription = try XCTUnwrap(other.pdus.first { $0.bytes == [0x12, 0x13, 0, 1, 0] })
    XCTAssertEqual(subscription.time.duration(since: first.time), .milliseconds(1))
  }

  func testWhoSubscribesAtOnceHearsAll() throws {
    let (values, air) = try run(.atOnce, scenario("tells-before-subscription"))
    XCTAssertEqual(values.sorted(), [1, 2, 3])
    XCTAssertEqual(air.verdict.sessions.first?.notSendable, [])
    assertVerdict(air)
  }
}
