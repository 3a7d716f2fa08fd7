import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// A link that was lost in the middle of a long write, or a part that was refused, left its parts behind: later writes were put together with
/// them, or an app that tried the old value again overwrote the newer one with it.
final class LongWriteCutTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    private let isMended: Bool
    private var queue: [[UInt8]] = []
    private var inFlight: [UInt8]?
    private var latest: [UInt8] = []

    init(isMended: Bool) { self.isMended = isMended }

    func save(_ value: [UInt8]) {
      latest = value
      queue.append(value)
      flush()
    }

    override func ready() { flush() }
    override func ended(_ error: NSError?) {
      requeue()
      connect()
    }

    override func written(_ characteristic: CBCharacteristic, _ error: NSError?) {
      if error != nil { requeue() }
      inFlight = nil
      if queue.isEmpty { read() } else { flush() }
    }

    override func told(_ characteristic: CBCharacteristic, _ value: [UInt8]) {
      super.told(characteristic, value)
      if value == latest { tell("saved") }
    }

    private func flush() {
      guard isReady, inFlight == nil, !queue.isEmpty else { return }
      let next = queue.removeFirst()
      inFlight = next
      write(next)
    }

    private func requeue() {
      guard let value = inFlight else { return }
      inFlight = nil
      // The bug: what failed is done again after what came later.
      if !isMended { queue.append(value) } else if queue.isEmpty { queue = [value] }
    }
  }

  private let long = [UInt8](repeating: 0xAA, count: 60)

  /// The user saves a long value, and right after that another.
  private func run(_ fault: String, then next: [UInt8], isMended: Bool) throws -> (app: App, air: VirtualAir) {
    var scenario = try scenario("long-write-cut")
    scenario.faults = [fault]
    return try run(scenario, { App(isMended: isMended) }) { app, air in
      try air.run(until: app.isReady)
      app.save(long)
      app.save(next)
      air.advance(by: .seconds(60))
    }
  }

  func testTheLinkIsLostBetweenTwoParts() throws {
    // Sixty bytes are four parts at the MTU of 23.
    for moment in ["before", "after"] {
      for part in 1...4 {
        let fault = "disconnect:0x08@\(moment):preparedWrite:FFE2#\(part)"
        let wrong = try run(fault, then: [0xBB], isMended: false)
        assertFails(wrong.air, "the mark \"saved\" once: it came 0 times")
        XCTAssertEqual(wrong.app.delivered.last, long, "the older value")

        let (app, air) = try run(fault, then: [0xBB], isMended: true)
        assertVerdict(air)
        XCTAssertEqual(app.delivered, [[0xBB]], fault)
        XCTAssertEqual(app.connections, 2)
        // The write after it is a plain one, and nothing of the parts is executed.
        XCTAssertEqual(air.pdus.filter { $0.link == 2 && [0x12, 0x16, 0x18].contains($0.bytes[0]) }.map(\.bytes), [[0x12, 0x15, 0, 0xBB]])
      }
    }
  }

  func testAPartIsRefused() throws {
    let (other, shorter) = ([UInt8](repeating: 0xCC, count: 80), [UInt8](repeating: 0xDD, count: 40))
    for fault in ["error:0x09@before:preparedWrite:FFE2#3", "error:0x80@before:response:FFE2#4", "error:0x0d@before:write:FFE2"] {
      for next in [other, shorter, [0xBB]] {
        let wrong = try run(fault, then: next, isMended: false)
        assertFails(wrong.air, "the mark \"saved\" once: it came 0 times")

        let (app, air) = try run(fault, then: next, isMended: true)
        assertVerdict(air)
        XCTAssertEqual(app.delivered, [next], fault)
        XCTAssertEqual(air.verdict.faultsNotReached, [], fault)
        XCTAssertEqual(app.errors.count, 1)
      }
    }
  }

  /// Of what was executed nothing is left for the long write after it.
  func testOneLongWriteAfterTheOther() throws {
    let shorter = [UInt8](repeating: 0xDD, count: 40)
    var scenario = try scenario("long-write-cut")
    scenario.faults = []
    for isMended in [false, true] {
      let (app, air) = try run(scenario, { App(isMended: isMended) }) { app, air in
        try air.run(until: app.isReady)
        app.save(long)
        app.save(shorter)
        air.advance(by: .seconds(60))
      }
      assertVerdict(air)
      XCTAssertEqual(app.delivered, [shorter])
    }
  }
}
