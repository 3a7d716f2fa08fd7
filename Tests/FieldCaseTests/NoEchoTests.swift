import CoreBluetooth
import Foundation
import ReplayTesting
import TestSupport
import XCTest

/// Users of simulators expected that what is written to a device comes back as a notification. Some devices do that, most do not: it takes a
/// rule of the scenario.
final class NoEchoTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    override func ready() { subscribe() }
    override func notifies(_ characteristic: CBCharacteristic, _ error: NSError?) {
      write([7])
      write([8], type: .withoutResponse)
    }
  }

  func testOnlyARuleEchoes() throws {
    for match in [MatchLevel.stateful, .perAttribute] {
      var scenario = try scenario("connection-fails")
      (scenario.match, scenario.faults, scenario.expectations) = (match, [], [])
      let (silent, air) = try run(scenario, { App() }, { $1.advance(by: .seconds(60)) })
      XCTAssertEqual(silent.delivered, [])
      XCTAssertEqual(air.pdus.count { $0.bytes[0] == 0x1B }, 0)
      XCTAssertEqual(air.pdus.count { $0.bytes[0] == 0x12 && $0.bytes[1] == 0x15 || $0.bytes[0] == 0x52 }, 2)

      let text = """
        { format: "understudy/1", rules: [ { on: { write: 0x0015 }, then: [ { notify: 0x0012, value: "{0..}", delay: 25 } ] } ] }
        """
      scenario.rules = try ScenarioDocument(reading: Array(text.utf8), file: "echo").scenario.rules
      let (echoing, other) = try run(scenario, { App() }, { $1.advance(by: .seconds(60)) })
      XCTAssertEqual(echoing.delivered, [[7], [8]])
      let command = try XCTUnwrap(other.pdus.first { $0.bytes[0] == 0x52 })
      let echo = try XCTUnwrap(other.pdus.last { $0.bytes[0] == 0x1B })
      XCTAssertEqual(echo.time.duration(since: command.time), .milliseconds(25))
    }
  }
}
