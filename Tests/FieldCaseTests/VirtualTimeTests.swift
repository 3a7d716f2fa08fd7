import CoreBluetooth
import Foundation
import ReplayTesting
import XCTest

/// Tests that waited for real time – a supervision timeout, a signal's strength that came at random – failed on machines with little time to
/// give, and told something else each time. Here ten minutes pass as they are told, and the same seed gives the same log, however busy the
/// machine is.
final class VirtualTimeTests: FieldCase {
  private final class App: FieldApp, @unchecked Sendable {
    override func ready() { subscribe() }
    override func ended(_ error: NSError?) { after(1) { self.connect() } }
  }

  /// Threads that do nothing but work, as long as `body` runs.
  private func underLoad<Result>(_ body: () throws -> Result) rethrows -> Result {
    let isOver = Guarded(false)
    let done = DispatchGroup()
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
      done.enter()
      Thread.detachNewThread {
        while !isOver.value {}
        done.leave()
      }
    }
    defer {
      isOver.value = true
      done.wait()
    }
    return try body()
  }

  /// A value each second, on a link with jitter, that is lost each time its supervision timeout is over: ten minutes of it.
  private func tenMinutes() throws -> (app: App, air: VirtualAir) {
    var scenario = try scenario("dropped-anywhere")
    let telling = scenario.sessions[0].entries[2]
    scenario.expectations = []
    scenario.sessions[0].entries =
      [scenario.sessions[0].entries[1]]
      + (1...600).map { number in
        var entry = telling
        entry.at = .seconds(number)
        entry.anchor?.delay = .seconds(number)
        return entry
      }
    return try run(
      scenario, seed: 5,
      prepare: { air in
        air.timing = LinkTiming(interval: .milliseconds(30), jitter: .uniform(.zero ... .milliseconds(8)), supervisionTimeout: .seconds(4))
        air.inject(.vanish, at: .after(.notification("FFE1", count: 100)), count: 3)
        air.inject(.corrupt, at: .before(.notification("FFE1")), count: Fault.everyTime, probability: 0.1)
      }, { App() }, { $1.advance(by: .seconds(600)) })
  }

  func testTenMinutesAreTold() throws {
    let time = ContinuousClock.now
    let (app, air) = try tenMinutes()
    print("ten minutes of the air's took \(ContinuousClock.now - time)")
    XCTAssertEqual(air.now, AirInstant(nanoseconds: 600_000_000_000))
    XCTAssertGreaterThan(app.delivered.count, 500)
    let ends = app.ends.compactMap { $0?.code }
    XCTAssertEqual(ends, Array(repeating: CBError.Code.connectionTimeout.rawValue, count: ends.count))
    XCTAssertGreaterThan(ends.count, 0)
    // The link is lost as late as it is told to be.
    let lines = air.log.lines
    let lost = try XCTUnwrap(lines.firstIndex { if case .disconnected = $0.event { true } else { false } })
    let fault = try XCTUnwrap(lines[..<lost].lastIndex { if case .fault(let fault) = $0.event { fault.action == .vanish } else { false } })
    XCTAssertEqual(lines[lost].time.duration(since: lines[fault].time), .seconds(4))
  }

  func testABusyMachineChangesNothing() throws {
    let quiet = try tenMinutes().air.log.text
    try underLoad {
      for _ in 0..<10 {
        let air = try tenMinutes().air
        XCTAssertEqual(air.findings, [])
        XCTAssertTrue(air.log.text == quiet)
      }
    }
  }

  private static let fault = Result { try Fault("corrupt@before:notification:FFE1*all~0.5") }

  /// Ten seconds of an app on the air, with values that are corrupted, a link that is lost, and another.
  private func conversation(seed: UInt64 = 9) throws -> AirLog {
    let scenario = try scenario("dropped-anywhere")
    let fault = try Self.fault.get()
    return try run(
      scenario, seed: seed,
      prepare: { air in
        air.timing = LinkTiming(jitter: .uniform(.zero ... .milliseconds(20)))
        air.inject(fault)
        air.inject(.vanish, at: .after(.notification("FFE1", count: 2)))
      }, { App() }, { $1.advance(by: .seconds(10)) }
    ).air.log
  }

  func testAThousandRunsOfAnApp() throws {
    let first = try conversation()
    XCTAssertTrue(first.text.contains(" arrived "), first.text)
    XCTAssertEqual(first.lines.count { if case .connected = $0.event { true } else { false } }, 2)
    func repeated(_ runs: Range<Int>) throws {
      for run in runs {
        let log = try conversation()
        if let difference = first.firstDifference(from: log) { throw Parted(words: "run \(run): \(difference)") }
        XCTAssertEqual(log.guesses, [])
      }
    }
    // Under load an app's threads get their turn late, so that all of it would take minutes.
    try repeated(0..<950)
    try underLoad { try repeated(950..<1000) }
    XCTAssertTrue(try conversation().text == first.text)
  }

  private struct Parted: Error, CustomStringConvertible {
    var words: String
    var description: String { words }
  }

  func testAThousandRunsOfTheRecordedCentral() throws {
    let scenario = try scenario("dropped-anywhere")
    let fault = try Self.fault.get()
    func log() -> String {
      ScenarioReplay(scenario, faults: [fault], timing: LinkTiming(jitter: .uniform(.zero ... .milliseconds(5))), seed: 9).log.text
    }
    let first = log()
    XCTAssertTrue(first.contains(" arrived "), first)
    underLoad { for _ in 0..<1000 { XCTAssertTrue(log() == first) } }
  }

  /// One bit of the seed is enough for another run, and it is told where that parts from the first.
  func testAnotherSeedPartsFromTheFirst() throws {
    let first = try conversation(seed: 0xA5)
    XCTAssertNil(first.firstDifference(from: try conversation(seed: 0xA5)))
    for bit in [0, 1, 17, 40, 63] {
      let other = try conversation(seed: 0xA5 ^ 1 << UInt64(bit))
      let difference = try XCTUnwrap(first.firstDifference(from: other), "bit \(bit)")
      // The connection comes about before anything is drawn.
      XCTAssertGreaterThan(difference.number, 1)
      XCTAssertEqual(first.lines[..<(difference.number - 1)], other.lines[..<(difference.number - 1)])
      XCTAssertEqual(difference.line, first.lines[difference.number - 1])
      XCTAssertEqual(difference.other, other.lines[difference.number - 1])
      XCTAssertNotEqual(difference.line, difference.other)
    }
  }
}
