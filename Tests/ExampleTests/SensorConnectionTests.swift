import CoreBluetooth
import Foundation
import ReplayTesting
import SensorConnection
import TestSupport
import Testing

/// The example with async functions against the project's scenarios.
@MainActor @Suite struct SensorConnectionTests {
  private static func air(_ name: String) throws -> VirtualAir {
    try VirtualAir(.project(name))
  }

  /// Runs `body` as the app's task until it is over, and hands on what it throws.
  private func run(_ air: VirtualAir, _ body: @escaping @MainActor (SensorConnection) async throws -> Void) async throws {
    try await VirtualAir.$current.withValue(air) {
      let app = SensorConnection()
      let outcome = Guarded<Result<Void, any Error>?>(nil)
      let task = Task { @MainActor in
        do {
          try await body(app)
          outcome.value = .success(())
        } catch { outcome.value = .failure(error) }
      }
      try await air.run(until: outcome.value != nil)
      _ = await task.value
      try outcome.value?.get()
    }
  }

  @Test func theHappyPath() async throws {
    let air = try Self.air("heart-strap")
    try await run(air) { app in
      try await app.connect(to: CBUUID(string: "180D"))
      try await app.discover()
      #expect(try await app.read(CBUUID(string: "2A29")) == Data("Understudy Works".utf8))
      #expect(try await app.read(CBUUID(string: "2A38")) == Data([1]))
      var rates: [UInt8] = []
      for try await value in try await app.notifications(of: CBUUID(string: "2A37")) {
        rates.append([UInt8](value)[1])
        if rates.count == 8 { break }
      }
      #expect(rates == [69, 71, 72, 71, 72, 73, 75, 76])
      try await app.write(Data([1]), to: CBUUID(string: "2A39"))
      try app.send(Data([0x01, 0x10, 0x05]), to: CBUUID(string: "5A0E0002-7C43-4D1B-9E0F-3B1D6E8A2C70"))
      try await app.disconnect()
      #expect(!app.isConnected)
    }
    #expect(air.verdict.passed, "\(air.verdict)")
    #expect(air.verdict.misuse == [])
  }

  @Test func aLostLinkEndsTheStreamAndWhatWaits() async throws {
    let air = try Self.air("heart-strap")
    air.inject(.disconnect(.connectionTimeout), at: .after(.notification("2A37", count: 3)))
    try await run(air) { app in
      try await app.connect(to: CBUUID(string: "180D"))
      try await app.discover()
      var count = 0
      do {
        for try await _ in try await app.notifications(of: CBUUID(string: "2A37")) { count += 1 }
        Issue.record("the stream ended without an error")
      } catch { #expect((error as? CBError)?.code == .connectionTimeout) }
      #expect(count == 3)
      await #expect(throws: SensorConnection.Failure.notConnected) { try await app.read(CBUUID(string: "2A38")) }
      // Nothing is left behind: the next connection is as the first.
      try await app.connect(to: CBUUID(string: "180D"))
      #expect(app.isConnected)
    }
    #expect(air.verdict.passed, "\(air.verdict)")
  }

  @Test func aRefusedConnectionThrows() async throws {
    let air = try Self.air("serial-bridge")
    air.inject(.refuseConnection, at: .phase(.connecting))
    try await run(air) { app in
      let service = CBUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
      do {
        try await app.connect(to: service)
        Issue.record("the connection came up")
      } catch { #expect((error as? CBError)?.code == .connectionFailed) }
      try await app.connect(to: service)
      try await app.discover()
      #expect(app.isConnected)
    }
  }

  @Test func errorAnswersAreThrown() async throws {
    let air = try Self.air("thermo-logger")
    try await run(air) { app in
      try await app.connect(to: CBUUID(string: "1809"))
      try await app.discover()
      do {
        _ = try await app.read(CBUUID(string: "8D2B0003-19E6-4C0A-B2F4-60C7A95D3E18"))
        Issue.record("the read was answered")
      } catch { #expect((error as? CBATTError)?.code == .readNotPermitted) }
      await #expect(throws: SensorConnection.Failure.notFound(CBUUID(string: "2A37"))) { try await app.read(CBUUID(string: "2A37")) }
    }
  }

  @Test func aCancelledStepThrowsAndIsFree() async throws {
    let air = try Self.air("heart-strap")
    air.inject(.delayConnection(.seconds(60)), at: .phase(.connecting))
    try await run(air) { app in
      let first = Task { @MainActor in try await app.connect(to: CBUUID(string: "180D")) }
      try await Task.sleep(for: .seconds(5))
      first.cancel()
      let result = await first.result
      #expect(throws: CancellationError.self) { try result.get() }
      try await app.connect(to: CBUUID(string: "180D"))
      #expect(app.isConnected)
    }
  }
}
