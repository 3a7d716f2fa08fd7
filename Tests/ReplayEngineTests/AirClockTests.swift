import ReplayEngine
import ReplayScenarios
import Testing

/// The air's time as a Swift clock.
struct AirClockTests {
  /// What is started in `body` belongs to the air.
  private static func onAir(_ body: (VirtualAir) async throws -> Void) async throws {
    let air = VirtualAir(scenarios: [.small([])])
    try await VirtualAir.$current.withValue(air) { try await body(air) }
  }

  @Test func sleepersWakeInTheOrderOfTheirTimes() async throws {
    try await Self.onAir { air in
      let order = Guarded<[Int]>([])
      let tasks = [30, 10, 20].map { seconds in
        Task {
          try await air.clock.sleep(for: .seconds(seconds))
          order.value += [seconds]
          return air.now
        }
      }
      try await air.run(until: order.value.count == 3)
      #expect(order.value == [10, 20, 30])
      for (task, seconds) in zip(tasks, [30, 10, 20] as [Int64]) {
        #expect(try await task.value >= AirInstant(nanoseconds: seconds * 1_000_000_000))
      }
      #expect(air.now == AirInstant(nanoseconds: 30_000_000_000))
      #expect(air.clock.now == air.now)
    }
  }

  /// Back-off as an app has it: each attempt waits twice as long.
  @Test func backOffTakesNoRealTime() async throws {
    try await Self.onAir { air in
      let attempts = Guarded<[Int64]>([])
      let task = Task {
        for attempt in 0..<6 {
          attempts.value += [air.now.nanoseconds / 1_000_000_000]
          try await air.clock.sleep(for: .seconds(1 << attempt))
        }
      }
      try await air.run(until: attempts.value.count == 6)
      #expect(attempts.value == [0, 1, 3, 7, 15, 31])
      task.cancel()
      _ = await task.result
    }
  }

  @Test func cancelledSleepersThrow() async throws {
    try await Self.onAir { air in
      let ends = Guarded<[String]>([])
      let task = Task {
        do { try await air.clock.sleep(for: .seconds(1000)) } catch { ends.value += ["\(error)"] }
      }
      let killer = Task {
        try await air.clock.sleep(for: .seconds(1))
        task.cancel()
      }
      await #expect(throws: AirIdle.self) { try await air.run(until: false) }
      #expect(ends.value == ["CancellationError()"])
      // One that was called off keeps the air from nothing.
      #expect(air.now == AirInstant(nanoseconds: 1_000_000_000))
      try await killer.value
    }
  }

  /// What is over is due at once, and one who is cancelled before never sleeps.
  @Test func nothingIsSleptThatIsOver() async throws {
    try await Self.onAir { air in
      let ends = Guarded<[String]>([])
      let early = Task {
        try await air.clock.sleep(until: .start.advanced(by: .seconds(-5)))
        ends.value += ["over"]
      }
      let cancelled = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        do { try await air.clock.sleep(for: .seconds(9)) } catch { ends.value += ["cancelled"] }
      }
      try await air.run(until: ends.value.count == 2)
      #expect(ends.value.sorted() == ["cancelled", "over"] && air.now == .start)
      try await early.value
      await cancelled.value
    }
  }

  @Test func instants() {
    let moment = AirInstant.start.advanced(by: .milliseconds(1500))
    #expect(AirInstant.start.duration(to: moment) == .milliseconds(1500) && moment.duration(to: .start) == .milliseconds(-1500))
  }
}
