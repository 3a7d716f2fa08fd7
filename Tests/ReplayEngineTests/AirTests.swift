import Dispatch
import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

struct AirTests {
  private func air() -> VirtualAir { VirtualAir(scenarios: [.small([.notify(10, [1], after: .connection, 10)])]) }

  /// Connects a central that hands on what comes to its queue.
  private class Face: AirCentral, @unchecked Sendable {
    var name: String { "" }
    func waits(in air: AirCore) -> [String] { [] }
    let seen = Guarded<[String]>([])
    let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func handle(_ event: AirEvent, in air: AirCore) {
      let text: String
      switch event {
      case .connected(let link, _):
        text = "connected"
        air.send(hex("12 0400 0100"), on: link)
      case .received(_, let bytes, _): text = Hexadecimal.encode(bytes)
      default: text = "other"
      }
      air.calls.append(DelegateCall(queue: queue, name: name) { self.seen.value.append("\(text) \(VirtualAir.current != nil)") })
    }
  }

  /// One that tells what it waits for.
  private final class Patient: Face, @unchecked Sendable {
    override var name: String { "didHear" }
    override func waits(in air: AirCore) -> [String] { ["better times", "a train"] }
  }

  private func connect(_ face: Face, _ air: VirtualAir) {
    air.watch(face.queue)
    air.enqueue { $0.connect(face, to: 0) }
  }

  @Test func anIdleAirSaysWhatIsMissing() {
    let air = air()
    let error = #expect(throws: AirIdle.self) { try air.run(until: false) }
    #expect(error?.description.contains("was a manager made inside this air?") == true)
    #expect(error?.description.contains("no central waits for anything") == true)
    let face = Face(DispatchQueue(label: "face"))
    connect(face, air)
    let second = #expect(throws: AirIdle.self) { try air.run(until: false) }
    #expect(second?.description.contains("the last event was: 0.010000000 1 < 1b030001") == true, "\(second?.description ?? "")")
    air.enqueue { $0.startScanning(face) }
    let third = #expect(throws: AirIdle.self) { try air.run(until: false) }
    #expect(third?.description.contains("a central is scanning") == true)
  }

  @Test func anIdleAirSaysWhatTheAppWaitsFor() {
    let air = air()
    let face = Patient(DispatchQueue(label: "face"))
    connect(face, air)
    air.enqueue { $0.attach(face) }
    let error = #expect(throws: AirIdle.self) { try air.run(until: false) }
    #expect(error?.lastCall == "didHear" && error?.waitsFor == ["better times", "a train"])
    #expect(error?.time == AirInstant(nanoseconds: 10_000_000))
    let text = error?.description ?? ""
    #expect(text.contains("the last call was didHear; the app waits for better times, a train"), "\(text)")
    #expect(!text.contains("no central waits"))
  }

  @Test func stepsOneMomentAtATime() {
    let air = air()
    let face = Face(DispatchQueue(label: "face"))
    connect(face, air)
    let steps = (0..<5).map { _ in air.step() }
    #expect(steps.map { $0.map(\.time.nanoseconds) } == [[0, 0], [0], [10_000_000], [], []])
    #expect(face.seen.value.count == 3)
  }

  @Test func aConditionThatHoldsNeedsNoTime() throws {
    let air = air()
    try air.run(until: true)
    #expect(air.now == .start)
  }

  @Test func nothingHappensOutsideARun() {
    let air = air()
    let face = Face(DispatchQueue(label: "face"))
    connect(face, air)
    #expect(air.log.lines.isEmpty)
    #expect(face.seen.value == [])
    air.runUntilIdle()
    #expect(face.seen.value == ["connected true", "13 true", "1b030001 true"])
    #expect(air.now.nanoseconds == 10_000_000)
  }

  @Test func theAsyncFormDoesTheSame() async throws {
    let air = air()
    let face = Face(DispatchQueue(label: "face"))
    connect(face, air)
    try await air.run(until: face.seen.value.count == 3)
    #expect(face.seen.value == ["connected true", "13 true", "1b030001 true"])
    await #expect(throws: AirIdle.self) { try await air.run(until: false) }
  }

  @MainActor @Test func theAsyncFormKeepsTheCallersActor() async throws {
    let air = air()
    let face = Face(.main)
    connect(face, air)
    try await air.run(until: face.seen.value.count == 3)
    #expect(air.now.nanoseconds == 10_000_000)
  }

  @Test func timeGoesAsFarAsIsAsked() {
    let air = air()
    let face = Face(DispatchQueue(label: "face"))
    connect(face, air)
    air.advance(by: .milliseconds(9))
    #expect(face.seen.value.count == 2)
    #expect(air.now.nanoseconds == 9_000_000)
    air.advance(by: .milliseconds(1))
    #expect(face.seen.value.count == 3)
  }

  @Test func twoAirsDoNotSeeEachOther() {
    let (one, other) = (air(), air())
    let face = Face(DispatchQueue(label: "face"))
    connect(face, one)
    one.runUntilIdle()
    other.runUntilIdle()
    #expect(other.log.lines.isEmpty)
    #expect(other.now == .start)
    VirtualAir.$current.withValue(one) {
      #expect(VirtualAir.find() === one)
      VirtualAir.$current.withValue(other) { #expect(VirtualAir.find() === other) }
    }
    let queue = DispatchQueue(label: "adopted")
    other.adopt(queue)
    queue.sync { #expect(VirtualAir.find() === other) }
  }

  /// A call that goes on over other queues is waited for before time goes on.
  @Test func nestedQueuesAreWaitedFor() throws {
    let air = air()
    let (outer, inner) = (DispatchQueue(label: "outer"), DispatchQueue(label: "inner"))
    air.watch(outer)
    air.watch(inner)
    let order = Guarded<[String]>([])
    let face = Face(outer)
    air.enqueue { core in
      core.calls.append(
        DelegateCall(queue: outer) {
          inner.async {
            outer.async {
              order.value.append("nested at \(air.now)")
              air.enqueue { $0.connect(face, to: 0) }
            }
          }
        })
    }
    air.enqueue { $0.setTimer(face, at: AirInstant(nanoseconds: 1_000_000_000), id: 1) }
    try air.run(until: face.seen.value.count >= 3)
    #expect(order.value == ["nested at 0.000000000"])
    #expect(air.log.lines.first?.time == .start)
  }
}
