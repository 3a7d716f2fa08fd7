import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// A device may have one indication unconfirmed. Where its confirmation is lost, it may tell nothing any more, and the link stays up: the
/// device waited for ever, and so did the app.
final class UnconfirmedIndicationTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    private let isMended: Bool
    private var calls = 0

    init(isMended: Bool) { self.isMended = isMended }

    override func ready() {
      subscribe()
      watch()
    }

    override func told(_ characteristic: CBCharacteristic, _ value: [UInt8]) {
      super.told(characteristic, value)
      tell("value")
      watch()
    }

    override func ended(_ error: NSError?) { connect() }

    /// The mended app does not trust a link over which nothing comes for 40 s.
    private func watch() {
      calls += 1
      let call = calls
      if isMended { after(40) { if self.calls == call, (self.values.last ?? 0) < 3 { self.disconnect() } } }
    }
  }

  func testOneWaitsForTheOther() throws {
    var scenario = try scenario("unconfirmed-indication")
    scenario.faults = []
    let (app, air) = try run(scenario, { App(isMended: false) }, { $1.advance(by: .seconds(60)) })
    XCTAssertEqual(app.values, [1, 2, 3, 4])
    assertVerdict(air)
    let opcodes = air.pdus.map(\.bytes[0]).filter { $0 == 0x1D || $0 == 0x1E }
    XCTAssertEqual(opcodes, (0..<4).flatMap { _ in [0x1D, 0x1E] as [UInt8] })
  }

  func testAConfirmationThatNeverComesEndsTheStream() throws {
    let scenario = try scenario("unconfirmed-indication")
    let (wrong, silent) = try run(scenario, { App(isMended: false) }) { app, air in
      air.advance(by: .seconds(600))
      XCTAssertTrue(app.isReady)
    }
    XCTAssertEqual(wrong.values, [1])
    assertFails(silent, "the mark \"value\" 3 times within 120000 ms: it came once")
    XCTAssertTrue(silent.verdict.notes.contains { $0.contains("had not answered an earlier one for 30 s") }, "\(silent.verdict)")
    XCTAssertEqual(silent.pdus.count { $0.bytes[0] == 0x1D }, 1)

    let (app, air) = try run(scenario, { App(isMended: true) }, { $1.advance(by: .seconds(600)) })
    XCTAssertEqual(app.values, [1, 1, 2, 3, 4])
    XCTAssertEqual(app.connections, 2)
    assertVerdict(air)
  }
}
