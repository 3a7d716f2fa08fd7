import Dispatch
import Foundation
import ReplayEngine
import ReplayScenarios
import TestSupport
import XCTest

/// Time does not go on before the app has done what it does by itself, wherever its code runs. With XCTest, which runs
/// one after the other: whether a thread of the process runs is part of it.
final class WaitingTests: XCTestCase {
  /// Values at 10, 100 and 190 ms; the recorded app wrote 50 ms after each.
  private static let scenario = Scenario.small([
    .notify(10, [1], after: .connection, 10), .write(60, [1]),
    .notify(100, [2], after: .previous, 90), .write(150, [2]),
    .notify(190, [3], after: .previous, 90), .write(240, [3]),
  ])

  /// Subscribes, and calls `answer` on its queue for each value.
  private final class App: AirCentral, @unchecked Sendable {
    let air: VirtualAir
    let link = Guarded<Int?>(nil)
    let answer: @Sendable (App, UInt8) -> Void
    let queue = DispatchQueue(label: "delegate")

    init(_ air: VirtualAir, _ answer: @escaping @Sendable (App, UInt8) -> Void) {
      (self.air, self.answer) = (air, answer)
      air.watch(queue)
      air.enqueue { $0.connect(self, to: 0) }
    }

    func handle(_ event: AirEvent, in core: AirCore) {
      switch event {
      case .connected(let link, _):
        self.link.value = link
        core.send(hex("12 0400 0100"), on: link)
      case .received(_, let bytes, _) where bytes.first == 0x1B:
        core.calls.append(DelegateCall(queue: queue) { self.answer(self, bytes[3]) })
      default: break
      }
    }

    func write(_ value: UInt8) {
      air.enqueue { [link] core in if let link = link.value { core.send([0x12, 0x03, 0x00, value], on: link) } }
    }
  }

  private actor Counter {
    var count = 0
    func next() async -> Int {
      await Task.yield()
      count += 1
      return count
    }
  }

  private static let ownQueue = DispatchQueue(label: "own")
  private static let operations = OperationQueue()

  /// Where an app's code may go on after a call.
  private static let ways: [(String, @Sendable (App, UInt8) -> Void)] = [
    ("in the call", { $0.write($1) }),
    ("on main", { app, value in DispatchQueue.main.async { app.write(value) } }),
    (
      "on queues of its own",
      { app, value in ownQueue.async { DispatchQueue.global().async { ownQueue.async { app.write(value) } } } }
    ),
    ("in an operation", { app, value in operations.addOperation { app.write(value) } }),
    ("on a thread", { app, value in Thread.detachNewThread { app.write(value) } }),
    ("in a task", { app, value in Task { app.write(value) } }),
    (
      "in a task that goes about",
      { app, value in
        Task {
          let counter = Counter()
          _ = await counter.next()
          async let other = counter.next()
          _ = await other
          await MainActor.run {}
          await withTaskGroup(of: Void.self) { group in for _ in 0..<3 { group.addTask { await Task.yield() } } }
          app.write(value)
        }
      }
    ),
    ("in a detached task", { app, value in Task.detached { await Task.detached { app.write(value) }.value } }),
    ("on the main actor", { app, value in Task { @MainActor in app.write(value) } }),
    (
      "on the air's clock",
      { app, value in
        Task {
          try await app.air.clock.sleep(for: .milliseconds(40))
          app.write(value)
        }
      }
    ),
    (
      "after a time of its own",
      { app, value in
        Task {
          try await Task.sleep(for: .milliseconds(5))
          app.write(value)
        }
      }
    ),
  ]

  private static func log(_ way: @escaping @Sendable (App, UInt8) -> Void) throws -> (text: String, air: VirtualAir) {
    let air = VirtualAir(scenarios: [scenario])
    try VirtualAir.$current.withValue(air) {
      let app = App(air, way)
      try air.run(until: air.verdict.sessions.first?.consumed == 3)
      withExtendedLifetime(app) {}
    }
    return (air.log.text, air)
  }

  /// Ways on which the air sees the app's code all the time; on the others it may have to guess where the machine is busy, and says so.
  private static let seen: Set<String> = [
    "in the call", "on main", "in a task", "in a task that goes about", "in a detached task", "on the main actor", "on the air's clock",
  ]

  func testTheAppGetsToItsWriteFirst() throws {
    for (name, way) in Self.ways {
      let delay = name == "on the air's clock" ? 40 : 0
      for _ in 0..<8 {
        let (text, air) = try Self.log(way)
        for (number, moment) in [10, 100, 190].enumerated() {
          let time = AirInstant(nanoseconds: Int64(moment + delay) * 1_000_000)
          let isFirst = text.contains("\(time) 1 > 1203000")
          let isGuess = !Self.seen.contains(name) && !air.findings.isEmpty
          XCTAssertTrue(isFirst || isGuess, "\(name), write \(number + 1): \(text)")
        }
        XCTAssertTrue(air.verdict.passed)
      }
    }
  }

  /// An app that does not do what was recorded is waited for only as long as that may help; where all its code is seen, it was no guess.
  func testWaitingInVainEndsSoon() throws { for isSeen in [true, false] { try waitInVain(isSeen) } }

  private func waitInVain(_ isSeen: Bool) throws {
    let air = VirtualAir(scenarios: [Self.scenario])
    air.patience = .milliseconds(20)
    let values = Guarded(0)
    try VirtualAir.$current.withValue(air) {
      let app = App(air) { app, _ in
        if isSeen {
          Task { values.value += 1 }
        } else {
          Thread.detachNewThread {
            app.air.enqueue { _ in }
            values.value += 1
          }
        }
      }
      try air.run(until: values.value == 3)
      withExtendedLifetime(app) {}
    }
    guard !isSeen else {
      XCTAssertTrue(air.findings == [] && air.log.guesses == [])
      return
    }
    XCTAssertTrue((1...4).contains(air.findings.count), "\(air.findings)")
    let words = "the app was waited for for 0.02 seconds, and did not do what was recorded: link 1, entry 2: Write"
    XCTAssertTrue(air.findings.contains { $0.words.hasPrefix(words) }, "\(air.findings)")
    XCTAssertTrue(air.verdict.notes.contains { $0.contains(" s the time went on by a guess: ") })
    XCTAssertTrue(air.log.guesses == air.findings)
  }

  /// One that is called on its queues only is not waited for at all.
  func testCodeOnQueuesIsNotWaitedFor() throws {
    let air = VirtualAir(scenarios: [Self.scenario])
    let values = Guarded(0)
    let app = App(air) { _, _ in values.value += 1 }
    try air.run(until: values.value == 3)
    withExtendedLifetime(app) {}
    XCTAssertTrue(values.value == 3)
    XCTAssertTrue(air.findings.count <= 1, "\(air.findings)")
  }

  /// A task that blocks its thread is given up after a while, and is noted.
  func testABlockedTaskIsGivenUp() throws {
    let air = VirtualAir(scenarios: [Self.scenario])
    air.patience = .milliseconds(20)
    let (isDone, values) = (DispatchSemaphore(value: 0), Guarded(0))
    try VirtualAir.$current.withValue(air) {
      let app = App(air) { app, value in
        values.value += 1
        app.write(value)
        if value == 3 { isDone.signal() }
      }
      let blocked = Task { Self.block(isDone) }
      let other = Task { values.value += 10 }
      try air.run(until: values.value == 13)
      withExtendedLifetime((app, blocked, other)) {}
    }
    XCTAssertTrue(air.findings.contains { $0.words == "a task of the app blocked its thread, or went on without an end, for 0.02 seconds" })
  }

  private static func block(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  /// A task that asks again and again does not keep time from going on.
  func testATaskThatPollsIsNotWaitedFor() throws {
    let air = VirtualAir(scenarios: [Self.scenario])
    let (values, polls) = (Guarded(0), Guarded(0))
    try VirtualAir.$current.withValue(air) {
      let app = App(air) { app, value in
        app.write(value)
        values.value += 1
      }
      let poller = Task {
        while values.value < 3 { await Task.yield() }
        polls.value = 1
      }
      try air.run(until: polls.value == 1)
      withExtendedLifetime((app, poller)) {}
    }
    XCTAssertTrue(air.now < AirInstant(nanoseconds: 300_000_000))
  }
}
