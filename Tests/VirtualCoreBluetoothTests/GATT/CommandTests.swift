import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// Writes without response and the room for them (6.6).
final class CommandTests: StrapTestCase {
  private func connected(_ air: VirtualAir? = nil) throws -> (PlainCentral, CBPeripheral, CBCharacteristic) {
    let (app, peripheral) = try connectedApp(air)
    return (app, peripheral, try XCTUnwrap(app.characteristics["2A39"]))
  }

  private func sent(_ air: VirtualAir) -> [Int] {
    air.log.lines.compactMap { line in
      if case .pdu(true, let bytes, _) = line.event, bytes.first == 0x52 { bytes.dropFirst(3).first.map { Int($0) } } else { nil }
    }
  }

  /// "canSendWriteWithoutResponse false → sends are best-effort and may be dropped; becomes true and peripheralIsReady fires when flushed".
  func testRoomIsFilledInTheMiddleOfABurst() throws {
    let (app, peripheral, control) = try connected()
    XCTAssertTrue(peripheral.canSendWriteWithoutResponse)
    var written: UInt8 = 0
    let made = calls(app) {
      while peripheral.canSendWriteWithoutResponse {
        peripheral.writeValue(Data([written]), for: control, type: .withoutResponse)
        written += 1
      }
      XCTAssertEqual(written, 16)
    }
    XCTAssertEqual(made, ["ready"])
    XCTAssertTrue(peripheral.canSendWriteWithoutResponse)
    XCTAssertEqual(sent(air), Array(0..<16))
    // Without a full queue there is nothing to tell.
    XCTAssertEqual(calls(app) { peripheral.writeValue(Data([99]), for: control, type: .withoutResponse) }, [])
  }

  /// "… sends are best-effort and may be dropped": sent unless the other convention holds.
  func testWhoDoesNotAskMayLoseWrites() throws {
    for (convention, count) in [(VirtualPhone.Conventions.WritesWithoutRoom.sent, 100), (.dropped, 16)] {
      let air = try makeAir()
      air.phone.conventions.writesWithoutRoom = convention
      try VirtualAir.$current.withValue(air) {
        let (app, peripheral, control) = try connected(air)
        let made = calls(app, air) {
          for number in UInt8(0)..<100 { peripheral.writeValue(Data([number]), for: control, type: .withoutResponse) }
          XCTAssertFalse(peripheral.canSendWriteWithoutResponse)
        }
        XCTAssertEqual(made, ["ready"])
        XCTAssertEqual(sent(air), Array(0..<count))
        XCTAssertEqual(air.verdict.misuse.filter { $0.contains("found no room") }.count, 100 - count)
      }
    }
  }

  /// How much the phone keeps can be set, and what was dropped is told by its number.
  func testLostWritesAreNumbered() throws {
    let air = try makeAir()
    air.phone.conventions.writesWithoutRoom = .dropped
    air.phone.commandRoom = 3
    try VirtualAir.$current.withValue(air) {
      let (app, peripheral, control) = try connected(air)
      for _ in 0..<2 {
        _ = calls(app, air) { for number in UInt8(0)..<5 { peripheral.writeValue(Data([number]), for: control, type: .withoutResponse) } }
      }
      XCTAssertEqual(sent(air), [0, 1, 2, 0, 1, 2])
      let lost = air.verdict.misuse.compactMap {
        $0.firstMatch(of: /response-less write (\d+) of the connection, to 2A39, found no room/)?.1
      }
      XCTAssertEqual(lost, ["4", "5", "9", "10"])
    }
  }

  /// An app that asks and waits for the callback loses nothing, whatever the link's pace.
  func testAPacedAppLosesNothing() throws {
    for timing in [LinkTiming.recorded, .connectionEvents] {
      let air = try makeAir()
      air.timing = timing
      air.phone.conventions.writesWithoutRoom = .dropped
      try VirtualAir.$current.withValue(air) {
        let (app, peripheral, control) = try connected(air)
        var next: UInt8 = 0
        let pump = {
          while next < 100, peripheral.canSendWriteWithoutResponse {
            peripheral.writeValue(Data([next]), for: control, type: .withoutResponse)
            next += 1
          }
        }
        app.whenReady = pump
        let began = air.now
        pump()
        try air.run(until: next == 100)
        air.advance(by: .seconds(2))
        XCTAssertEqual(sent(air), Array(0..<100))
        XCTAssertEqual(app.calls.filter { $0 == "ready" }.count, 6)
        XCTAssertEqual(air.verdict.misuse, [])
        XCTAssertGreaterThan(air.now, began)
      }
    }
  }

  /// On a link that takes time, room comes when the peripheral has what was written.
  func testRoomComesWhenTheWritesHaveArrived() throws {
    air.timing = .connectionEvents
    let (app, peripheral, control) = try connected()
    for number in UInt8(0)..<16 { peripheral.writeValue(Data([number]), for: control, type: .withoutResponse) }
    let began = air.now
    air.advance(by: .milliseconds(1))
    XCTAssertFalse(peripheral.canSendWriteWithoutResponse)
    XCTAssertFalse(app.calls.contains("ready"))
    try air.run(until: app.calls.contains("ready"))
    XCTAssertTrue(peripheral.canSendWriteWithoutResponse)
    XCTAssertGreaterThan(air.now.duration(since: began), .milliseconds(1))
  }

  /// "Longer `.withoutResponse` data: truncated in Nordic's mock; on device dropped/undefined. CONFLICT".
  func testALongCommandIsDroppedOrCut() throws {
    for (convention, lengths) in [(VirtualPhone.Conventions.LongWritesWithoutResponse.dropped, [182]), (.truncated, [182, 182])] {
      let air = try makeAir()
      air.phone.conventions.longWritesWithoutResponse = convention
      try VirtualAir.$current.withValue(air) {
        let (app, peripheral, control) = try connected(air)
        let sent = requests(air) {
          peripheral.writeValue(Data(count: 182), for: control, type: .withoutResponse)
          peripheral.writeValue(Data(count: 183), for: control, type: .withoutResponse)
        }
        XCTAssertEqual(sent.map { $0.count / 2 - 3 }, lengths)
        XCTAssertEqual(air.verdict.misuse.filter { $0.contains("was dropped") }.count, 2 - lengths.count)
        XCTAssertTrue(peripheral.canSendWriteWithoutResponse)
        XCTAssertFalse(app.calls.contains { $0.hasPrefix("written") })
      }
    }
  }

  /// "`.withoutResponse` on a characteristic without the property: dropped, WARNING log"; 6.9 "WWR without property".
  func testACommandNeedsTheProperty() throws {
    let (app, peripheral, _) = try connected()
    let long = try XCTUnwrap(app.characteristics["FFE3"])
    XCTAssertEqual(requests { peripheral.writeValue(Data([1]), for: long, type: .withoutResponse) }, [])
    XCTAssertEqual(
      air.verdict.misuse,
      ["WARNING: Characteristic \(long) does not specify the \"Write Without Response\" property - ignoring response-less write"])
    XCTAssertTrue(air.verdict.passed)
  }

  /// "Quirks: false until first write (macOS 11.0–11.2…); about five polls false (tinygo#435); peripheralIsReady may never fire".
  func testQuirksOfReadiness() throws {
    func polls(_ readiness: VirtualPhone.Conventions.Readiness, _ body: (PlainCentral, CBPeripheral, CBCharacteristic, VirtualAir) -> Void)
      throws
    {
      let air = try makeAir()
      air.phone.conventions.readiness = readiness
      try VirtualAir.$current.withValue(air) {
        let (app, peripheral, control) = try connected(air)
        body(app, peripheral, control, air)
      }
    }
    try polls(.notUntilFirstWrite) { _, peripheral, control, _ in
      for _ in 0..<9 { XCTAssertFalse(peripheral.canSendWriteWithoutResponse) }
      peripheral.writeValue(Data([1]), for: control, type: .withoutResponse)
      XCTAssertTrue(peripheral.canSendWriteWithoutResponse)
    }
    try polls(.notForFirstPolls) { _, peripheral, _, _ in
      XCTAssertEqual((0..<7).map { _ in peripheral.canSendWriteWithoutResponse }, [false, false, false, false, false, true, true])
    }
    try polls(.neverCalled) { app, peripheral, control, air in
      for number in UInt8(0)..<20 { peripheral.writeValue(Data([number]), for: control, type: .withoutResponse) }
      XCTAssertFalse(peripheral.canSendWriteWithoutResponse)
      air.advance(by: .seconds(1))
      XCTAssertTrue(peripheral.canSendWriteWithoutResponse)
      XCTAssertFalse(app.calls.contains("ready"))
    }
  }
}
