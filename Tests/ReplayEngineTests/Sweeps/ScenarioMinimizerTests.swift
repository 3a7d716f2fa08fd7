import ReplayEngine
import ReplayScenarios
import Testing

struct ScenarioMinimizerTests {
  /// Three sessions of 120 entries each: writes with a number, and what the device tells right after each.
  private static let scenario = Scenario(
    device: Device(name: "Many"),
    database: [
      Attribute(handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(4))),
      Attribute(
        handle: AttributeHandle(2),
        kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x18, value: AttributeHandle(3))),
      Attribute(handle: AttributeHandle(4), kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
    ],
    faults: ["delay:5ms@before:entry:1.3", "drop@after:entry:2.50", "vanish@time:1000000ms"],
    sessions: (0..<3).map { session in
      Session(
        entries: (0..<60).flatMap { number -> [TimelineEntry] in
          let at = Duration.milliseconds(10 * number)
          return [
            TimelineEntry(
              id: "w\(number)", at: at, action: .write(AttributeHandle(3), [UInt8(session), UInt8(number)]), answer: .ok,
              latency: .milliseconds(1)),
            TimelineEntry(
              at: at + .milliseconds(2), origin: .peripheral, action: .notify(AttributeHandle(3), [UInt8(number), UInt8(session)]),
              anchor: Anchor(.entry("w\(number)"), delay: .milliseconds(1))),
          ]
        })
    })

  private static func values(_ scenario: Scenario) -> [[UInt8]] {
    scenario.sessions.flatMap(\.entries).map { entry in
      switch entry.action {
      case .write(_, let value), .notify(_, let value): value
      default: []
      }
    }
  }

  /// The cause is two entries in two sessions.
  @Test func findsACauseOfTwoEntries() throws {
    var minimizer = try ScenarioMinimizer(Self.scenario)
    var sizes: [Int] = []
    minimizer.whenTried = { (entries: Int, _: Int) in sizes.append(entries) }
    let outcome = try #require(
      minimizer.run { candidate in
        let values = Self.values(candidate)
        return values.contains([1, 41]) && values.contains([17, 2])
      })
    #expect(Self.values(outcome.scenario) == [[1, 41], [17, 2]])
    #expect(outcome.scenario.sessions.count == 2 && outcome.scenario.faults.isEmpty && !outcome.isCutShort)
    #expect(outcome.trials < 200, "\(outcome.trials) trials")
    #expect(outcome.scenario.problems().filter { $0.severity == .error } == [])
    // The one whose cause went hangs on the connection now.
    #expect(outcome.scenario.sessions[1].entries[0].anchor?.cause == .connection)
    #expect(sizes == sizes.sorted(by: >) && sizes.last == 2)
  }

  /// A fault goes with its entry, and keeps to it when others go.
  @Test func keepsTheFaultThatIsNeededAtItsEntry() throws {
    let added = try Fault("disconnect:0x08@before:entry:3.100")
    var minimizer = try ScenarioMinimizer(Self.scenario, faults: [added])
    let outcome = try #require(
      minimizer.run { candidate in
        candidate.faults.contains { text in
          guard let fault = try? Fault(text), case .before(.entry(let session, let entry)) = fault.trigger else { return false }
          guard fault.action == added.action else { return false }
          return candidate.sessions[session].entries[entry] == Self.scenario.sessions[2].entries[99]
            || candidate.sessions[session].entries[entry].action == Self.scenario.sessions[2].entries[99].action
        }
      })
    #expect(outcome.scenario.faults == ["disconnect:0x08@before:entry:1.1"])
    #expect(Self.values(outcome.scenario) == [[49, 2]])
  }

  /// What fails without its faults, too, is no smaller cause of a failure that came of one.
  @Test func whatFailsWithoutTheFaultIsNotCounted() throws {
    var minimizer = try ScenarioMinimizer(Self.scenario)
    let outcome = try #require(
      minimizer.run { candidate in
        // An app that waits for one value, and that a lost link keeps from it.
        !Self.values(candidate).contains([17, 2]) || candidate.faults.contains { $0.hasPrefix("drop") }
      })
    #expect(Self.values(outcome.scenario).contains([17, 2]))
    #expect(Self.values(outcome.scenario).count == 2 && outcome.scenario.faults.count == 1)
    #expect(outcome.scenario.faults.allSatisfy { $0.hasPrefix("drop@after:entry:") })
  }

  /// A fault whose entry the scenario never had is not reached in what is left either.
  @Test func aFaultWithoutAnEntryStays() throws {
    var minimizer = try ScenarioMinimizer(Self.scenario, faults: [Fault("drop@after:entry:9.9")])
    let outcome = try #require(minimizer.run { $0.faults.contains("drop@after:entry:9.9") })
    #expect(outcome.scenario.faults == ["drop@after:entry:9.9"] && outcome.scenario.sessions.isEmpty)
  }

  @Test func nothingIsNeededWhereAllFails() throws {
    var minimizer = try ScenarioMinimizer(Self.scenario)
    let outcome = try #require(minimizer.run { _ in true })
    #expect(outcome.scenario.sessions.isEmpty && outcome.scenario.faults.isEmpty)
    #expect(outcome.scenario.database == Self.scenario.database)
  }

  @Test func whatDoesNotFailIsNotCut() throws {
    var minimizer = try ScenarioMinimizer(Self.scenario)
    #expect(minimizer.run { _ in false } == nil)
    var broken = Self.scenario
    broken.faults = ["nonsense"]
    #expect(throws: FaultError.self) { try ScenarioMinimizer(broken) }
  }

  /// The limit ends the search with what was found.
  @Test func endsAtItsLimit() throws {
    var minimizer = try ScenarioMinimizer(Self.scenario)
    minimizer.trialLimit = 10
    // Each entry is needed.
    let outcome = try #require(minimizer.run { Self.values($0).count == 360 })
    #expect(outcome.trials == 10 && outcome.isCutShort && Self.values(outcome.scenario).count == 360)
  }

  /// The smallest of a run: nothing that is left can go by itself.
  @Test(arguments: 1...8) func whatIsLeftIsNeeded(seed: Int) throws {
    let all = Self.values(Self.scenario)
    let needed = (0..<6).map { all[($0 * 53 + seed * 97) % all.count] }
    var minimizer = try ScenarioMinimizer(Self.scenario)
    let outcome = try #require(minimizer.run { candidate in needed.allSatisfy(Self.values(candidate).contains) })
    #expect(Set(Self.values(outcome.scenario)) == Set(needed))
  }
}
