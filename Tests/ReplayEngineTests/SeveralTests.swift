import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// Several peripherals, centrals and sessions on one air.
struct SeveralTests {
  private static func named(_ name: String, _ entries: [TimelineEntry]) -> Scenario {
    var scenario = Scenario.small(entries)
    scenario.device.name = name
    return scenario
  }

  @Test func eachPeripheralPlaysItsOwnScenario() {
    let air = AirCore([Self.named("One", [.read(0, [1])]), Self.named("Two", [.read(0, [2]), .write(5, [3])])])
    let (one, two) = (TestCentral(in: air), TestCentral(in: air, peripheral: 1))
    one.connect()
    two.connect()
    #expect(one.send("0a 0300") == ["0b01"])
    #expect(two.send("0a 0300") == ["0b02"])
    one.leave()
    #expect(two.link != nil && two.send("12 0300 03") == ["13"])
    let verdict = Verdict(air, seed: 0)
    #expect(verdict.sessions.map(\.peripheral) == [0, 1])
    #expect(verdict.coverage.map(\.exercised) == [1, 2])
    #expect(verdict.passed && verdict.notes == [])
    #expect("\(verdict)".contains("coverage of peripheral 2: 2 of 2 entries"))
  }

  @Test func centralsOfOnePeripheralHaveTheirOwnTapeAndSubscriptions() {
    let values = [TimelineEntry.write(0, [1], id: "w"), .notify(20, [0x11], after: .entry("w"), 5), .write(40, [2], id: "x")]
    var scenario = Scenario.small(values)
    scenario.sessions.append(Session(entries: values))
    let air = AirCore([scenario])
    let (one, two) = (TestCentral(in: air), TestCentral(in: air))
    one.connect()
    two.connect()
    one.send("12 0400 0100")
    #expect(one.send("12 0300 01") == ["13", "1b030011"])
    // The other one has subscribed to nothing, and its tape stands at its beginning.
    #expect(two.received.isEmpty)
    #expect(two.send("12 0300 01") == ["13"])
    #expect(two.send("0a 0400") == ["0b0000"] && one.send("0a 0400") == ["0b0100"])
    two.send("12 0300 02")
    one.leave()
    #expect(two.link != nil)
    let reports = Verdict(air, seed: 0).sessions
    #expect(reports.map(\.session) == [0, 1])
    #expect(reports.map { $0.unused.map(\.entry) } == [[2], []])
    #expect(reports[1].notSendable == [1])
  }

  @Test func reconnectsTakeTheNextSessionAndTheLastIsRepeated() {
    var scenario = Scenario.small([.read(0, [1])])
    scenario.sessions += [Session(failed: .connectionFailedToBeEstablished), Session(entries: [.read(0, [2])])]
    let central = TestCentral(scenario)
    var seen: [String] = []
    for _ in 0..<4 {
      central.connect()
      seen += central.link == nil ? ["failed"] : central.send("0a 0300")
      central.leave()
    }
    #expect(seen == ["0b01", "failed", "0b02", "0b02"])
  }

  @Test func aPeripheralComesBackWithAnotherAddressAndDatabase() {
    var scenario = Scenario.small([.read(0, [1])])
    let (first, second) = (BluetoothAddress(0xC0_0000_0000_01, kind: .random), BluetoothAddress(0xC0_0000_0000_02, kind: .random))
    scenario.device.address = first
    var moved = scenario.database
    moved[1].kind = .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x1A, value: AttributeHandle(9))
    moved[1].handle = AttributeHandle(8)
    scenario.laterDatabases = [moved.sorted { $0.handle < $1.handle }]
    var later = Session(database: 2, entries: [TimelineEntry(at: .zero, action: .read(AttributeHandle(9)), answer: .value([2]))])
    later.address = second
    scenario.sessions.append(later)
    let central = TestCentral(scenario)
    #expect(central.air.appearance(0).address == first)
    central.connect()
    #expect(central.send("0a 0300") == ["0b01"])
    central.leave()
    #expect(central.air.appearance(0).address == second && central.air.appearance(0).own == 1)
    central.connect()
    #expect(central.send("0a 0300") == ["010a030001"])
    #expect(central.send("0a 0900") == ["0b02"])
    #expect(central.verdict.sessions[1].nearMisses.first?.stale == "0x0003 was FFE1 in database 1, and database 2 holds")
  }

  @Test func aConnectedPeripheralIsSilentWhileOthersAdvertise() {
    let air = AirCore([Self.named("One", []), Self.named("Two", [])])
    let (scanner, other) = (TestCentral(in: air), TestCentral(in: air))
    air.startScanning(scanner)
    scanner.wait(.milliseconds(950))
    let both = scanner.advertisements
    other.connect()
    scanner.wait(.milliseconds(1000))
    let one = scanner.advertisements - both
    other.leave()
    scanner.wait(.milliseconds(1000))
    let again = scanner.advertisements - both - one
    #expect(one * 2 == both && again == both)
  }

  @Test func subscriptionsLastWhereTheDeviceKeepsThem() {
    for (keeps, expected) in [(true, "0b0100"), (false, "0b0000")] {
      var scenario = Scenario.small([])
      scenario.device.keepsSubscriptions = keeps
      let central = TestCentral(scenario)
      central.connect()
      central.send("12 0400 0100")
      central.leave()
      central.connect()
      #expect(central.send("0a 0400") == [expected])
    }
  }

  // MARK: - Faults

  /// Two devices of the same entries, on which `faults` are armed, are read and written to in turns; tells which links have ended.
  private static func ended(_ faults: [String], own: [String] = []) throws -> (ended: [Bool], verdict: Verdict) {
    var scenarios = ["One", "Two"].map { named($0, [.read(0, [1]), .write(5, [3])]) }
    scenarios[1].faults = own
    let air = AirCore(scenarios)
    for fault in faults { air.arm(try Fault(fault)) }
    let centrals = [0, 1].map { TestCentral(in: air, peripheral: $0) }
    for central in centrals { central.connect() }
    for central in centrals { central.send("0a 0300") }
    for central in centrals { central.send("12 0300 03") }
    return (centrals.map { $0.link == nil }, Verdict(air, seed: 0))
  }

  @Test(arguments: [
    "after:entry:1.2", "before:entry:1.2", "after:write:FFE1", "before:response:FFE1#2", "pdu:3", "phase:connecting", "time:2500ms",
  ])
  func aFaultMayBeOfOnePeripheral(trigger: String) throws {
    for peripheral in 1...2 {
      let (ended, verdict) = try Self.ended(["disconnect:0x08@\(trigger)@peripheral:\(peripheral)"])
      #expect(ended == [peripheral == 1, peripheral == 2], "\(trigger)")
      #expect(verdict.faultsNotReached == [] && verdict.failures == [])
    }
    // Without a name it is the first that comes, and counts go over all links.
    #expect(try Self.ended(["disconnect:0x08@\(trigger)"]).ended == (trigger.hasSuffix("#2") ? [false, true] : [true, false]))
  }

  @Test func theFaultsOfAScenarioAreItsDevices() throws {
    let (ended, verdict) = try Self.ended([], own: ["disconnect:0x08@after:entry:1.1"])
    #expect(ended == [false, true])
    #expect(verdict.faultsFired.map(\.description) == ["disconnect:0x08@after:entry:1.1@peripheral:2"])
  }

  @Test func aFaultOfNobodyFails() throws {
    let (ended, verdict) = try Self.ended(["disconnect:0x08@pdu:1@peripheral:3"])
    #expect(ended == [false, false])
    #expect(verdict.failures == ["the fault disconnect:0x08@pdu:1@peripheral:3 is for peripheral 3, and the air has 2"])
  }

  /// Each point of a sweep over several scenarios is at the entry of its own.
  @Test func theSweepOfSeveralReachesEachPoint() throws {
    let scenarios = ["One", "Two"].map { Self.named($0, [.read(0, [1]), .write(5, [3])]) }
    let sweep = Sweep([.disconnect(.connectionTimeout)], of: scenarios)
    #expect(
      sweep.points.map { "\($0.fault)" } == [
        "disconnect:0x08@after:entry:1.1@peripheral:1", "disconnect:0x08@after:entry:1.2@peripheral:1",
        "disconnect:0x08@after:entry:1.1@peripheral:2", "disconnect:0x08@after:entry:1.2@peripheral:2",
      ])
    #expect(
      try sweep.points.map { try Self.ended(["\($0.fault)"]).ended } == [[true, false], [true, false], [false, true], [false, true]])
  }
}
