import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// A device may have one indication unconfirmed. Where the confirmation does not come for 30 s, it ends the link: an app that takes the end
/// of its link for the end of the stream waits for ever.
final class UnconfirmedIndicationTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    private let isMended: Bool
    private(set) var end: NSError?

    init(isMended: Bool) { self.isMended = isMended }

    override func ready() { subscribe() }

    override func told(_ characteristic: CBCharacteristic, _ value: [UInt8]) {
      super.told(characteristic, value)
      tell("value")
    }

    override func ended(_ error: NSError?) {
      end = error
      if isMended { connect() }
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

  func testAConfirmationThatNeverComesEndsTheLink() throws {
    let scenario = try scenario("unconfirmed-indication")
    let (wrong, ended) = try run(scenario, { App(isMended: false) }) { $1.advance(by: .seconds(600)) }
    XCTAssertEqual(wrong.values, [1])
    XCTAssertEqual(wrong.end?.domain, CBErrorDomain)
    XCTAssertEqual(wrong.end?.code, CBError.peripheralDisconnected.rawValue)
    assertFails(ended, "the mark \"value\" 3 times within 120000 ms: it came once")
    XCTAssertTrue(ended.verdict.notes.contains { $0.contains("had not answered an indication or a request for 30 s") }, "\(ended.verdict)")
    let indications = ended.pdus.filter { $0.bytes[0] == 0x1D }
    XCTAssertEqual(indications.count, 1)
    let end = try XCTUnwrap(
      ended.log.lines.first { if case .disconnected(.remoteUserTerminatedConnection) = $0.event { true } else { false } })
    XCTAssertEqual(end.time.duration(since: try XCTUnwrap(indications.first).time), .seconds(30))

    let (app, air) = try run(scenario, { App(isMended: true) }, { $1.advance(by: .seconds(600)) })
    XCTAssertEqual(app.values, [1, 1, 2, 3, 4])
    XCTAssertEqual(app.connections, 2)
    assertVerdict(air)
  }
}
