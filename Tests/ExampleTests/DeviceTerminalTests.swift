import BackoffApp
import CoreBluetooth
import Foundation
import ReplayTesting
import Testing

/// The terminal app in Swift Testing: each device in another part than in the XCTest cases.
@MainActor @Suite struct DeviceTerminalTests {
  private static let bridge = CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
  private static let strap = CBUUID(string: "180D")
  private static let note = CBUUID(string: "8D2B0002-19E6-4C0A-B2F4-60C7A95D3E18")
  private static let command = CBUUID(string: "8D2B0004-19E6-4C0A-B2F4-60C7A95D3E18")

  @Test(.air(.project("thermo-logger"), failsOnMisuse: true)) func theHappyPath() async throws {
    let air = try VirtualAir.required
    let app = DeviceTerminal(service: CBUUID(string: "1809"))
    try await air.run(until: app.isReady)
    app.read(CBUUID(string: "2A1D"))
    app.read(Self.note)
    try await air.run(until: app.values[Self.note]?.count == 1)
    #expect(app.values[CBUUID(string: "2A1D")] == [Data([2])])
    let before = try #require(app.values[Self.note]?.first)
    #expect(before.count > 22, "longer than one PDU")
    app.write(Data(before.reversed()), to: Self.note)
    app.read(Self.note)
    app.send(Data("\u{1}lunch".utf8), to: Self.command)
    try await air.run(until: app.values[Self.note]?.count == 2 && app.values[CBUUID(string: "2A1C")]?.count == 8)
    #expect(app.written == [Self.note])
    #expect(app.errors.isEmpty)
    app.stop()
    try await air.run(until: !app.isConnected)
    #expect(air.waits == [])
    #expect(air.verdict.passed, "\(air.verdict)")
  }

  @Test(.air(.project("serial-bridge"), failsOnMisuse: true)) func waitsTwiceAsLongEachTimeUntilAConnectionHolds() async throws {
    let air = try VirtualAir.required
    air.inject(.refuseConnection, at: .phase(.connecting), count: 9)
    air.inject(.disconnect(.connectionTimeout), at: .time(.seconds(300)))
    let app = DeviceTerminal(service: Self.bridge)
    try await air.run(until: app.disconnections.count == 1)
    try await air.run(until: app.isReady)
    #expect(air.waits == [1, 2, 4, 8, 16, 32, 60, 60, 60, 1])
    #expect(app.failedConnections.count == 9)
    #expect(air.verdict.passed, "\(air.verdict)")
  }

  @Test(
    .air(.project("heart-strap")),
    arguments: try FaultPoint.all(.disconnect(.connectionTimeout), of: .project("heart-strap")))
  func survivesALossAnywhere(point: FaultPoint) async throws {
    let air = try VirtualAir.required
    air.inject(point)
    let app = DeviceTerminal(service: Self.strap)
    // The strap hangs up by itself in the first recorded session; in the second it stays.
    try await air.run(until: !app.disconnections.isEmpty && app.isReady)
    #expect(app.isConnected)
    #expect(app.errors.isEmpty)
    #expect(air.verdict.passed, "\(air.verdict)")
  }

  @Test(.air(.project("heart-strap"), failsOnMisuse: true)) func errorAnswersReachTheApp() async throws {
    let air = try VirtualAir.required
    let point = CBUUID(string: "2A39")
    air.inject(.error(.unlikelyError), at: .before(.read("2A38")))
    air.inject(.error(.init(rawValue: 0x80)), at: .before(.write("2A39")))
    let app = DeviceTerminal(service: Self.strap)
    try await air.run(until: app.isReady)
    app.read(CBUUID(string: "2A38"))
    app.write(Data([1]), to: point)
    app.write(Data([1]), to: point)
    try await air.run(until: app.written == [point])
    #expect(app.errors.map { ($0 as NSError).domain } == [CBATTErrorDomain, CBATTErrorDomain])
    #expect(app.errors.map { ($0 as NSError).code } == [0x0E, 0x80])
    #expect(app.isConnected)
    #expect(air.verdict.passed, "\(air.verdict)")
  }
}
