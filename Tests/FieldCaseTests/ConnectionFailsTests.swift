import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// On many phones a first attempt to connect fails with a status that says nothing, and a second one works. Apps that gave up at the first
/// failure never connected; apps that tried again at once, and for ever, kept radio and battery busy.
final class ConnectionFailsTests: FieldCase {
  private enum Way { case storms, givesUpAtOnce, backsOff }

  private final class App: FieldApp, @unchecked Sendable {
    private let way: Way
    private var failures = 0

    init(_ way: Way) { self.way = way }

    override func ready() { failures = 0 }

    override func ended(_ error: NSError?) {
      failures += 1
      switch way {
      case .storms: connect()
      case .backsOff where failures < 5: after(Double(1 << (failures - 1))) { self.connect() }
      case .backsOff, .givesUpAtOnce: tell("no connection")
      }
    }
  }

  func testTheFirstTwoAttemptsFail() throws {
    for status in ["0x3e", "0x08", "0x0c"] {
      var scenario = try scenario("connection-fails")
      scenario.faults = ["refuseConnection:\(status)@phase:connecting*2"]
      func run(_ way: Way) throws -> VirtualAir { try self.run(scenario, { App(way) }, { $1.advance(by: .seconds(30)) }).air }

      assertFails(
        try run(.storms), "an attempt to connect no sooner than 900 ms after another: it came after 0 ms, at", "(not again at once)")
      assertFails(try run(.givesUpAtOnce), "an attempt to connect 3 times within 10000 ms: it came once", "a connection once")
      let air = try run(.backsOff)
      assertVerdict(air)
      // The phone is told the status of the fault.
      let statuses = air.log.lines.compactMap { if case .connectionFailed(_, let status) = $0.event { status } else { nil } }
      XCTAssertEqual(statuses.map { "\($0)".prefix(4) }, [Substring(status), Substring(status)])
      XCTAssertEqual(zip(air.attempts.dropFirst(), air.attempts).map { ($0 - $1).rounded() }, [1, 2])
    }
  }

  /// A connection that comes up and is gone at once is no better than one that failed, however the phone tells of it.
  func testTheFirstTwoConnectionsAreGoneAtOnce() throws {
    for convention in [VirtualPhone.Conventions.FailedEstablishment.told, .retried] {
      var scenario = try scenario("connection-fails")
      scenario.faults = ["failEstablishment@phase:connecting*2"]
      scenario.expectations.removeAll { $0.event == .connect }
      func run(_ way: Way) throws -> VirtualAir {
        try self.run(
          scenario, prepare: { $0.phone.conventions.failedEstablishment = convention }, { App(way) }, { $1.advance(by: .seconds(30)) }
        ).air
      }
      assertFails(try run(.storms), "an attempt to connect no sooner than 900 ms after another: it came after 0 ms, at")
      assertFails(try run(.givesUpAtOnce), "an attempt to connect 3 times")
      assertVerdict(try run(.backsOff))
    }
  }

  func testAnAppGivesUpOnce() throws {
    var scenario = try scenario("connection-fails")
    scenario.faults = ["refuseConnection:0x3e@phase:connecting*10"]
    scenario.expectations = [
      Expectation(.attempt, count: 5, atMost: 5, apart: .milliseconds(900)), Expectation(.connect, count: 0, atMost: 0),
      Expectation(.mark("no connection"), atMost: 1),
    ]
    func run(_ way: Way) throws -> VirtualAir { try self.run(scenario, { App(way) }, { $1.advance(by: .seconds(600)) }).air }

    assertFails(
      try run(.storms), "an attempt to connect at most 5 times: it came 11 times", "a connection at most 0 times",
      "the mark \"no connection\" once")
    assertFails(try run(.givesUpAtOnce), "an attempt to connect 5 times: it came once")
    assertVerdict(try run(.backsOff))
  }

  /// Who looks around for two seconds before the first attempt has done nothing wrong.
  func testAnAppThatTakesItsTime() throws {
    final class Slow: FieldApp, @unchecked Sendable {
      private var attempts = 0
      override func connect() {
        attempts += 1
        after([2, 1, 2][min(attempts, 3) - 1]) { super.connect() }
      }
      override func ended(_ error: NSError?) { connect() }
    }
    assertVerdict(try run(scenario("connection-fails"), { Slow() }, { $1.advance(by: .seconds(30)) }).air)
  }

  /// Who begins late and then storms is found as well.
  func testAnAppThatStormsLater() throws {
    final class Late: FieldApp, @unchecked Sendable {
      private var attempts = 0
      override func connect() {
        attempts += 1
        if attempts == 1 { after(2) { super.connect() } } else { super.connect() }
      }
      override func ended(_ error: NSError?) { connect() }
    }
    let air = try run(scenario("connection-fails"), { Late() }, { $1.advance(by: .seconds(30)) }).air
    assertFails(air, "an attempt to connect no sooner than 900 ms after another: it came after 0 ms, at 2.")
  }

  /// A connection that was not established has not used up what the device does on the first one.
  func testWhatWasNotEstablishedIsNoSession() throws {
    var scenario = try scenario("connection-fails")
    scenario.faults = ["failEstablishment@phase:connecting*2"]
    scenario.expectations = []
    scenario.sessions = ([0x13, 0x15] as [UInt8]).map { reason in
      let end = TimelineEntry(
        at: .seconds(1), origin: .peripheral, action: .disconnect(HCIErrorCode(rawValue: reason)),
        anchor: Anchor(.connection, delay: .seconds(1)))
      return Session(entries: [end])
    }
    let air = try run(scenario, { App(.backsOff) }, { $1.advance(by: .seconds(20)) }).air
    XCTAssertEqual(air.verdict.sessions.prefix(4).map(\.session), [0, 0, 0, 1])
  }

  /// Who tries for ever, or has a clock of its own that ticks on, lets no air come to rest: a test that waits for more is stopped.
  func testAnAppThatNeverComesToRest() throws {
    final class Ticking: FieldApp, @unchecked Sendable {
      func tick() { after(1) { self.tick() } }
    }
    var scenario = try scenario("connection-fails")
    scenario.faults = ["refuseConnection:0x3e@phase:connecting*all"]
    func assertStopped(_ app: FieldApp, _ air: VirtualAir) {
      XCTAssertThrowsError(try air.run(until: app.isReady)) {
        guard let error = $0 as? AirRestless else { return XCTFail("\($0)") }
        XCTAssertEqual(error.limit, .seconds(60))
        XCTAssertTrue("\(error)".contains("went on for 60 s"), "\(error)")
      }
      XCTAssertLessThan(air.now.duration(since: .start), .seconds(62))
    }
    try run(scenario, prepare: { $0.runLimit = .seconds(60) }, { App(.storms) }, assertStopped)
    try run(scenario, prepare: { $0.runLimit = .seconds(60) }, { Ticking() }) { app, air in
      app.tick()
      assertStopped(app, air)
    }
  }
}
