import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// Fast notifications came out of order: not over the air, but in apps that handed each to a queue of its own. And where a device's own
/// numbers show that one has overtaken another, an app has to notice.
final class BurstOrderTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    override func ready() { subscribe() }

    override func told(_ characteristic: CBCharacteristic, _ value: [UInt8]) {
      // The bug: every tenth takes longer to decode, and the others do not wait for it.
      if !isMended, value[0] % 10 == 0 { after(0.01) { self.keep(value) } } else { keep(value) }
    }

    private func keep(_ value: [UInt8]) {
      delivered.append(value)
      guard delivered.count == 200 else { return }
      tell(values == (0..<200).map { $0 } ? "in order" : "out of order")
    }
  }

  private func run(_ scenario: Scenario, isMended: Bool) throws -> (app: App, air: VirtualAir) {
    try run(scenario, { App(isMended: isMended) }, { $1.advance(by: .seconds(10)) })
  }

  private func told(_ air: VirtualAir) -> [UInt8] { air.pdus.filter { $0.bytes[0] == 0x1B }.compactMap(\.bytes.last) }

  func testTwoHundredAtOneMoment() throws {
    let scenario = try scenario("burst")
    for isMended in [false, true] {
      let (app, air) = try run(scenario, isMended: isMended)
      XCTAssertEqual(told(air), (0..<200).map { $0 })
      let times = Set(air.pdus.filter { $0.bytes[0] == 0x1B }.map(\.time))
      XCTAssertEqual(times.count, 1)
      XCTAssertEqual(app.delivered.count, 200)
      if isMended { assertVerdict(air) } else { assertFails(air, "the mark \"in order\" once: it came 0 times") }
    }
  }

  /// With the pace of a link the order is the same.
  func testTheOrderOfALinkWithConnectionEvents() throws {
    let (app, air) = try run(scenario("burst"), prepare: { $0.timing = .connectionEvents }, { App(isMended: true) }) {
      $1.advance(by: .seconds(60))
    }
    XCTAssertEqual(app.values, (0..<200).map { $0 })
    assertVerdict(air)
  }

  func testOneThatOvertakesAnotherIsNoticed() throws {
    for place in [1, 2, 100, 199] {
      var scenario = try scenario("burst")
      scenario.faults = ["reorder@before:notification:FFE1#\(place)"]
      scenario.expectations = [Expectation(.mark("out of order"))]
      let (app, air) = try run(scenario, isMended: true)
      assertVerdict(air)
      var expected = (UInt8(0)..<200).map { $0 }
      expected.swapAt(place - 1, place)
      XCTAssertEqual(app.values, expected)
    }
  }
}
