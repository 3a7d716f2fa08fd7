import Dispatch
import Foundation
import ReplayEngine
import ReplayScenarios
import Testing

/// Whoever runs an air evaluates its condition where it is itself.
struct IsolationTests {
  private static func air() -> VirtualAir {
    let air = VirtualAir(scenarios: [.small([])])
    for second in 1...5 { air.after(.seconds(second), on: .main) {} }
    return air
  }

  /// Runs its jobs on one queue, so that it can be seen who runs.
  private final class QueueExecutor: SerialExecutor {
    static let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "executor")
    init() { queue.setSpecific(key: Self.key, value: true) }
    func enqueue(_ job: UnownedJob) { queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) } }
    static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
  }

  private actor Test {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var places: [Bool] = []

    func run(_ air: VirtualAir) async throws -> [Bool] {
      try await air.run(until: isOver(air))
      return places
    }

    private func isOver(_ air: VirtualAir) -> Bool {
      places.append(QueueExecutor.isHere)
      return air.now >= AirInstant(nanoseconds: 5_000_000_000)
    }
  }

  private actor Plain {
    private var count = 0

    func run(_ air: VirtualAir) async throws -> Int {
      try await air.run(until: isOver(air))
      return count
    }

    private func isOver(_ air: VirtualAir) -> Bool {
      count += 1
      return air.now >= AirInstant(nanoseconds: 5_000_000_000)
    }
  }

  @Test func anActorKeepsItsExecutor() async throws {
    let places = try await Test().run(Self.air())
    #expect(places.count >= 5 && places.allSatisfy { $0 })
    #expect(try await Plain().run(Self.air()) >= 5)
  }

  @MainActor @Test func theMainActorStaysOnMain() async throws {
    let (air, places, key) = (Self.air(), Guarded<[Bool]>([]), DispatchSpecificKey<Bool>())
    // Where a test runs, another thread than the main one may serve the main queue.
    DispatchQueue.main.setSpecific(key: key, value: true)
    func isOver() -> Bool {
      places.value += [Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true]
      return air.now >= AirInstant(nanoseconds: 5_000_000_000)
    }
    try await air.run(until: isOver())
    #expect(places.value.count >= 5 && places.value.allSatisfy { $0 })
  }

  /// The synchronous form stays on its thread; on the main one XCTest runs it.
  @Test func theSynchronousFormStaysOnItsThread() async throws {
    let air = Self.air()
    let places: Result<[Bool], any Error> = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Result { try Self.places(air) }) }
    }
    #expect(try places.get().count >= 5 && places.get().allSatisfy { $0 })
  }

  private static func places(_ air: VirtualAir) throws -> [Bool] {
    let thread = Thread.current
    var places: [Bool] = []
    func isOver() -> Bool {
      places.append(Thread.current == thread)
      return air.now >= AirInstant(nanoseconds: 5_000_000_000)
    }
    try air.run(until: isOver())
    return places
  }

  /// A task may run its own air, on its own thread.
  @Test func aTaskRunsItsAir() async throws {
    let air = Self.air()
    await VirtualAir.$current.withValue(air) {
      let inner = Task {
        let other = Task { try await air.clock.sleep(for: .seconds(3)) }
        Self.runHere(air)
        try await other.value
        return air.now
      }
      let end = await inner.result
      #expect((try? end.get()) == AirInstant(nanoseconds: 5_000_000_000))
    }
  }

  private static func runHere(_ air: VirtualAir) { air.runUntilIdle() }
}
