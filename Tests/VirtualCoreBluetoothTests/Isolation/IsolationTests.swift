import CoreBluetooth
import Foundation
import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// Two hundred tests at a time, each with an air, managers and peripherals of its own: they do not see each other, and leave nothing behind.
///
/// `scripts/tsan` runs them under ThreadSanitizer.
@Suite struct IsolationTests {
  /// What one of them does before it ends.
  enum Kind: String, CaseIterable, Sendable {
    case scan, read, write, subscribe, drop, reconnect, radio, twoManagers, restore, realClock
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var number: Int
    var kind: Kind
    /// Whether it ends in the middle of what it does.
    var isCutShort: Bool
    var testDescription: String { "\(number) \(kind.rawValue)\(isCutShort ? ", cut short" : "")" }
  }

  /// In an order of its own on each run; the seed is in the names of the tests that fail.
  static let cases: [Case] = {
    var random = SeededGenerator(seed: UInt64(ProcessInfo.processInfo.environment["UNDERSTUDY_SEED"] ?? "") ?? .random(in: 0...999_999))
    return (0..<200).map { Case(number: $0, kind: Kind.allCases[$0 % Kind.allCases.count], isCutShort: $0 / 10 % 4 == 3) }
      .shuffled(using: &random)
  }()

  @Test(arguments: cases)
  func leavesNothing(case one: Case) async throws {
    let things = try await run(one)
    // Blocks of the queue that hold the app are gone when another has gone through it.
    #expect(things.air.object == nil, "the air")
    for part in things.apps { #expect(part() == nil) }
    #expect(things.lateCalls() == 0)
  }

  struct Things: Sendable {
    var air: IsolatedApp.Weak<VirtualAir>
    var apps: [@Sendable () -> AnyObject?]
    var lateCalls: @Sendable () -> Int
  }

  private func run(_ one: Case) async throws -> Things {
    let air = VirtualAir(scenarios: [Self.scenario], seed: UInt64(one.number))
    let apps = try await VirtualAir.$current.withValue(air) { try await play(one, air) }
    air.close()
    var things = Things(air: IsolatedApp.Weak<VirtualAir>(air), apps: [], lateCalls: { 0 })
    var late: [Guarded<Int>] = []
    for app in apps {
      app.isOver.value = true
      app.ask()
      app.queue.sync {}
      let (app, manager, peripheral) = (IsolatedApp.Weak<IsolatedApp>(app), app.weakManager, app.weakPeripheral)
      things.apps += [{ app.object }, { manager.object }, { peripheral.object }]
      if let object = app.object { late.append(object.lateCalls) }
    }
    air.runUntilIdle()
    for app in apps { app.queue.sync {} }
    let counts = late
    things.lateCalls = { counts.reduce(0) { $0 + $1.value } }
    return things
  }

  private func play(_ one: Case, _ air: VirtualAir) async throws -> [IsolatedApp] {
    var options = IsolatedApp.Options()
    var goal = IsolatedApp.Progress.value
    switch one.kind {
    case .scan: (options.duplicates, options.connects, goal) = (true, false, .found)
    case .read: goal = .value
    case .write: (options.writes, goal) = (true, .written)
    case .subscribe: (options.subscribes, goal) = (true, .told)
    case .drop: goal = .again
    case .reconnect: (options.reconnects, goal) = (true, .again)
    case .radio: goal = .off
    case .twoManagers: (options.subscribes, goal) = (true, .told)
    case .restore: options.restoreIdentifier = "isolated \(one.number)"
    // What comes by itself may be over before a slow machine has subscribed.
    case .realClock: (options.writes, goal) = (true, .written)
    }
    switch one.kind {
    case .drop, .reconnect: air.inject(.disconnect(.connectionTimeout), at: .time(.seconds(2)))
    case .radio: air.inject(.powerOff(.seconds(1)), at: .time(.seconds(2)))
    default: break
    }
    let app = IsolatedApp(options)
    // A device that has a link does not advertise: both have to find it before.
    let second = one.kind == .twoManagers ? IsolatedApp(options) : nil
    if one.kind == .realClock { air.start(pace: AirPace(speed: 500)) }
    if one.isCutShort {
      try await air.run(until: app.has(.found))
      return [app] + [second].compactMap(\.self)
    }
    try await air.run(until: app.has(goal))
    switch one.kind {
    case .restore:
      air.phone.terminateApp()
      let other = IsolatedApp(options)
      try await air.run(until: other.has(.on))
      #expect(other.has(.restored))
      return [app, other]
    case .radio:
      try await air.run(until: app.has(.again))
      return [app]
    default:
      if let second { try await air.run(until: second.has(goal)) }
      return [app] + [second].compactMap(\.self)
    }
  }

  /// A strap that tells a value each second.
  private static let scenario = Devices.strap(
    (1...30).map { second in
      TimelineEntry(
        at: .seconds(second), origin: .peripheral, action: .notify(AttributeHandle(15), [0, UInt8(60 + second)]),
        anchor: Anchor(.connection, delay: .seconds(second)))
    })
}
