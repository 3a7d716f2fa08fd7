import BackoffApp
import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// The terminal app with three devices in range: a conversation, losses, refusals.
final class DeviceTerminalCases: ReplayTestCase {
  override var failsOnMisuse: Bool { true }

  override func makeAir() throws -> VirtualAir {
    try VirtualAir(.project("serial-bridge"), .project("heart-strap"), .project("thermo-logger"), seed: 7)
  }

  // MARK: - A conversation

  private let bridge = CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
  private let input = CBUUID(string: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E")
  private let output = CBUUID(string: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")

  func testTalksWithTheBridge() throws {
    let app = DeviceTerminal(service: bridge)
    var heard = 0
    func hear(_ lines: String...) throws {
      try air.run(until: (app.values[output]?.count ?? 0) >= heard + lines.count)
      let all = app.values[output] ?? []
      XCTAssertEqual(all[heard...].map { String(decoding: $0, as: UTF8.self) }, lines.map { $0 + "\n" })
      heard = all.count
    }
    // The user takes a moment for each line.
    func write(_ line: String) {
      air.advance(by: .milliseconds(60))
      app.write(Data((line + "\n").utf8), to: input)
    }
    func send(_ line: String) {
      air.advance(by: .milliseconds(60))
      app.send(Data((line + "\n").utf8), to: input)
    }

    try hear("ready")
    write("version")
    try hear("bridge 2.0")
    write("uptime")
    try hear("uptime 00:14:07")
    write("ports!")
    try hear("A 115200 8N1", "B 9600 7E1")
    write("log 3")
    try hear("log 1 boot", "log 2 port A open", "log 3 host attached")
    write("echo!")
    try hear("echo")
    write("set A 57600")
    try hear("ok")
    send("uptime")
    try hear("uptime 00:14:07")
    XCTAssertEqual(app.written, Array(repeating: input, count: 6))
    // At this the recorded bridge fell silent; a second later the app is back.
    send("version")
    try hear("ready")
    XCTAssertEqual(app.disconnections.map { ($0 as? CBError)?.code }, [.connectionTimeout])
    XCTAssertEqual(air.waits, [1])
    write("stats!")
    try hear("rx 4096", "tx 1280", "err 0")
    write("bogus")
    try hear("error: unknown command")
    write("version")
    try hear("bridge 2.0")
    app.stop()
    try air.run(until: !app.isConnected)
    air.runUntilIdle()

    XCTAssertEqual(air.waits, [1], "an app that has hung up does not come back")
    XCTAssertEqual(app.errors.count, 0)
    assertVerdict(air)
    for session in air.verdict.sessions { XCTAssertEqual(session.unused, [], "link \(session.link)") }
  }

  func testSendsWhenThereIsRoom() throws {
    air.phone.conventions.writesWithoutRoom = .dropped
    air.inject(.stallCredits(.seconds(3)), at: .after(.notification(output.uuidString)))
    let app = DeviceTerminal(service: bridge)
    try air.run(until: app.values[output]?.count == 1)
    let stalled = air.now
    // More than the phone has room for.
    for _ in 0..<20 { app.send(Data("uptime\n".utf8), to: input) }
    try air.run(until: app.values[output]?.count == 2)
    XCTAssertGreaterThanOrEqual(air.now.duration(since: stalled), .seconds(3))
    air.runUntilIdle()
    XCTAssertEqual(air.log.pdus(link: 1).count { $0.fromCentral && $0.bytes.first == 0x52 }, 20)
    assertVerdict(air)
  }

  // MARK: - Coming back

  private let strap = CBUUID(string: "180D")
  private let thermometer = CBUUID(string: "1809")

  func testWaitsTwiceAsLongEachTimeUntilAConnectionHolds() throws {
    air.inject(.disconnect(.connectionTimeout), at: .after(.notification("2A37", count: 3)))
    air.inject(.refuseConnection, at: .phase(.connecting, count: 2), count: 8)
    air.inject(.disconnect(.connectionTimeout), at: .time(.seconds(400)))
    let app = DeviceTerminal(service: strap)
    try air.run(until: app.disconnections.count == 2)
    try air.run(until: app.isReady)
    XCTAssertEqual(air.waits, [1, 2, 4, 8, 16, 32, 60, 60, 60, 1])
    XCTAssertEqual(app.failedConnections.map { ($0 as? CBError)?.code }, Array(repeating: .connectionFailed, count: 8))
    XCTAssertEqual(air.verdict.faultsNotReached, [])
    assertVerdict(air)
  }

  func testAConnectionThatDoesNotHoldCountsAsNone() throws {
    // Three links that last 9 s, and one that lasts 11 s.
    for second in [9, 19, 30, 45] { air.inject(.disconnect(.connectionTimeout), at: .time(.seconds(second))) }
    let app = DeviceTerminal(service: thermometer)
    try air.run(until: app.disconnections.count == 4)
    try air.run(until: app.isReady)
    XCTAssertEqual(air.waits, [1, 2, 4, 1])
    assertVerdict(air)
  }

  func testBluetoothThatComesBackEndsTheWaiting() throws {
    air.inject(.refuseConnection, at: .phase(.connecting), count: Fault.everyTime)
    // The fifth attempt would be due after 15 s.
    air.inject(.powerOff(.seconds(2)), at: .time(.seconds(10)))
    let app = DeviceTerminal(service: thermometer)
    try air.run(until: app.failedConnections.count == 5)
    XCTAssertEqual(air.now, AirInstant(nanoseconds: 12_000_000_000))
    try air.run(until: app.failedConnections.count == 9)
    XCTAssertEqual(Array(air.waits.prefix(3)), [1, 2, 4])
    XCTAssertEqual(Array(air.waits.dropFirst(4)), [1, 2, 4, 8], "the attempt that had been planned is void")
    assertVerdict(air)
  }

  func testAnAppThatIsStoppedWhileItWaitsTriesNoMore() throws {
    air.inject(.refuseConnection, at: .phase(.connecting), count: Fault.everyTime)
    let app = DeviceTerminal(service: strap)
    try air.run(until: app.failedConnections.count == 5)
    app.stop()
    air.advance(by: .seconds(600))
    XCTAssertEqual(app.failedConnections.count, 5)
    XCTAssertEqual(air.waits, [1, 2, 4, 8])
  }

  func testEachRunIsTheSame() throws {
    var logs: Set<String> = []
    for _ in 0..<5 {
      let air = try makeAir()
      defer { air.close() }
      air.inject(.refuseConnection, at: .phase(.connecting), count: Fault.everyTime, probability: 0.5)
      air.inject(.disconnect(.connectionTimeout), at: .after(.notification("2A37")), count: Fault.everyTime, probability: 0.25)
      try VirtualAir.$current.withValue(air) {
        let app = DeviceTerminal(service: strap)
        try air.run(until: app.disconnections.count == 3)
      }
      XCTAssertEqual(air.findings, [])
      logs.insert(air.log.text)
    }
    XCTAssertEqual(logs.count, 1)
  }

  // MARK: - Error answers

  func testTheThermometersRefusalsReachTheApp() throws {
    let (interval, command) = (CBUUID(string: "2A21"), CBUUID(string: "8D2B0003-19E6-4C0A-B2F4-60C7A95D3E18"))
    let app = DeviceTerminal(service: thermometer)
    try air.run(until: app.isReady)
    app.read(command)
    app.write(Data([0, 0]), to: interval)
    app.write(Data([5, 0]), to: interval)
    app.read(interval)
    try air.run(until: app.values[interval] != nil)
    XCTAssertEqual(app.errors.count, 2)
    XCTAssertEqual((app.errors.first as? CBATTError)?.code, .readNotPermitted)
    let refused = try XCTUnwrap(app.errors.last) as NSError
    XCTAssertEqual(refused.domain, CBATTErrorDomain)
    XCTAssertEqual(refused.code, 0x80)
    XCTAssertEqual(app.written, [interval])
    XCTAssertEqual(app.values[interval], [Data([5, 0])])
    XCTAssertTrue(app.isConnected)
    assertVerdict(air)
  }
}
