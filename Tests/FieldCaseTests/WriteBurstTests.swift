import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// Writes without response that are sent faster than there is room for them are dropped without a word, on the phone: files arrived with
/// holes in them. Nothing told how many were lost, nor which.
final class WriteBurstTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    private let asksForRoom: Bool
    private var rest = (UInt8(0)..<100).map { $0 }
    private(set) var readiness = 0

    init(asksForRoom: Bool) { self.asksForRoom = asksForRoom }

    override func ready() { flush() }
    override func roomAgain() {
      readiness += 1
      flush()
    }

    private func flush() {
      while !rest.isEmpty, !asksForRoom || device?.canSendWriteWithoutResponse == true {
        write([rest.removeFirst()], type: .withoutResponse)
      }
    }
  }

  private func run(asksForRoom: Bool, room: Int = 4, _ timing: LinkTiming = .recorded) throws -> (app: App, air: VirtualAir) {
    try run(
      scenario("write-burst"),
      prepare: { air in
        air.timing = timing
        air.phone.commandRoom = room
        air.phone.conventions.writesWithoutRoom = .dropped
      }, { App(asksForRoom: asksForRoom) }, { $1.advance(by: .seconds(30)) })
  }

  private func sent(_ air: VirtualAir) -> [UInt8] { air.pdus.filter { $0.bytes[0] == 0x52 }.compactMap(\.bytes.last) }

  func testWhoDoesNotAskLosesAllThatFindsNoRoom() throws {
    for timing in [LinkTiming.recorded, .connectionEvents] {
      let (_, air) = try run(asksForRoom: false, timing)
      XCTAssertEqual(sent(air), [0, 1, 2, 3])
      assertFails(air, "a write to 0x0015 100 times: it came 4 times")
      // The report has the number of each.
      let lost = air.verdict.misuse.compactMap { $0.firstMatch(of: /write (\d+) of the connection, to FFE2, found no room/)?.1 }
      XCTAssertEqual(lost, (5...100).map { "\($0)" })
      XCTAssertTrue(air.verdict.notes.contains { $0.contains("response-less write 57 of the connection") })
    }
  }

  func testWhoWaitsForRoomLosesNothing() throws {
    for timing in [LinkTiming.recorded, .connectionEvents] {
      for room in [1, 4, 7] {
        let (app, air) = try run(asksForRoom: true, room: room, timing)
        XCTAssertEqual(sent(air), (0..<100).map { $0 })
        XCTAssertEqual(app.readiness, 100 / room, "it is told each time that there is room again")
        XCTAssertEqual(air.verdict.misuse, [])
        assertVerdict(air)
      }
    }
  }
}
