import Foundation
@testable import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// Rules, devices with a memory, expectations, and faults that scenarios declare.
struct RuleTests {
  static let (command, told, state) = (AttributeHandle(3), AttributeHandle(5), AttributeHandle(8))
  static func uuid(_ short: UInt16) -> BluetoothUUID { BluetoothUUID(short) }

  static func scenario(_ rules: [Rule] = [], match: MatchLevel = .perAttribute, entries: [TimelineEntry] = []) -> Scenario {
    Scenario(
      match: match,
      database: [
        Attribute(handle: AttributeHandle(1), kind: .service(uuid: uuid(0xFFE0), primary: true, end: AttributeHandle(9))),
        Attribute(handle: AttributeHandle(2), kind: .characteristic(uuid: uuid(0xFFE1), properties: 0x0C, value: command)),
        Attribute(handle: AttributeHandle(4), kind: .characteristic(uuid: uuid(0xFFE2), properties: 0x10, value: told)),
        Attribute(handle: AttributeHandle(6), kind: .descriptor(uuid: uuid(0x2902))),
        Attribute(handle: AttributeHandle(7), kind: .characteristic(uuid: uuid(0xFFE3), properties: 0x0A, value: state), content: [0x11]),
      ], rules: rules, sessions: entries.isEmpty ? [] : [Session(entries: entries)])
  }

  static func template(_ text: String) throws -> ValueTemplate { try ValueTemplate(text) }

  private static func connected(_ scenario: Scenario, subscribed: Bool = true) throws -> RuleCentral {
    let central = RuleCentral(scenario)
    central.connect()
    if subscribed { try central.request("12 0600 0100", expecting: "13") }
    return central
  }

  @Test func whateverTheOrder() throws {
    let scenario = try Scenario.read(file: Repository.root.appending(path: "scenarios/echo-device.json5").path)
    #expect(scenario.problems() == [] && scenario.playable == .any)
    for types in [[0x10, 0x20, 0x30], [0x30, 0x10, 0x20, 0x20]] as [[UInt8]] {
      let central = RuleCentral(scenario)
      central.connect()
      try central.request("12 0900 0100", expecting: "13")
      central.wait(.milliseconds(5))
      #expect(central.takeValues() == [hex("1b 0800 00")])
      for (number, type) in types.enumerated() {
        // With and without response.
        if number % 2 == 0 {
          try central.request("12 0600 a5 \(Hexadecimal.encode([type])) ca fe", expecting: "13")
        } else {
          central.send("52 0600 a5 \(Hexadecimal.encode([type])) ca fe")
        }
        central.wait(.milliseconds(11))
        #expect(central.takeValues() == [])
        central.wait(.milliseconds(1))
        let expected = try ValueTemplate("a6 {0} {1} 08 cafe {crc16:be}").bytes(request: [type, UInt8(number + 1)], count: 0) { _ in [] }
        #expect(central.takeValues() == [[0x1B, 8, 0] + (expected ?? [])])
      }
      try central.request("12 0600 00", expecting: "01 12 0600 80")
      central.wait(.seconds(1))
      #expect(central.takeValues() == [])
      let verdict = central.verdict
      #expect(verdict.passed && verdict.notes == [])
    }
  }

  /// Who asked for indications gets them, one at a time.
  @Test func rulesIndicate() throws {
    let rule = Rule(
      on: .subscribe(Self.told),
      steps: [.init(.notify(Self.told, try Self.template("01"))), .init(.notify(Self.told, try Self.template("{count}ff")))])
    let central = try Self.connected(Self.scenario([rule]), subscribed: false)
    try central.request("12 0600 0200", expecting: "13")
    central.wait(.milliseconds(5))
    #expect(central.takeValues() == [hex("1d 0500 01")])
    central.wait(.seconds(1))
    #expect(central.takeValues() == [])
    central.send("1e")
    central.wait(.milliseconds(1))
    #expect(central.takeValues() == [hex("1d 0500 01ff")])
    central.send("1e")
    central.wait(.seconds(1))
    #expect(central.takeValues() == [])
    // A confirmation of nothing changes nothing; notifications need none.
    central.send("1e")
    try central.request("12 0600 0000", expecting: "13")
    try central.request("12 0600 0100", expecting: "13")
    central.wait(.milliseconds(1))
    #expect(central.takeValues() == [hex("1b 0500 01"), hex("1b 0500 02ff")])
    #expect(central.verdict.passed)
  }

  /// The recorded entry counts as made, and what the rule tells is not told twice; what it does not tell is.
  @Test func aRuleStandsAboveTheRecording() throws {
    let entries = [
      TimelineEntry(at: .zero, action: .write(AttributeHandle(6), [1, 0]), answer: .ok),
      TimelineEntry(id: "a", at: .milliseconds(10), action: .write(Self.command, [1, 2]), answer: .ok, latency: .milliseconds(3)),
      TimelineEntry(
        at: .milliseconds(20), origin: .peripheral, action: .notify(Self.told, [9, 9]), anchor: Anchor(.entry("a"), delay: .milliseconds(5))
      ),
      TimelineEntry(
        at: .milliseconds(22), origin: .peripheral, action: .notify(Self.told, [8, 8]), anchor: Anchor(.previous, delay: .milliseconds(2))),
      TimelineEntry(
        at: .milliseconds(25), origin: .peripheral, action: .disconnect(.remoteUserTerminatedConnection),
        anchor: Anchor(.entry("a"), delay: .milliseconds(50))),
    ]
    let rule = Rule(
      on: .write(Self.command, value: [], matcher: .any),
      steps: [Rule.Step(.notify(Self.told, try Self.template("{0} 77")), delay: .milliseconds(4))])
    let central = try Self.connected(Self.scenario([rule], entries: entries))
    // Another value than the recorded one is no substitution: the rule takes any.
    try central.request("12 0300 55", expecting: "13")
    central.wait(.milliseconds(4))
    #expect(central.takeValues() == [hex("1b 0500 55 77")])
    central.wait(.milliseconds(100))
    #expect(central.takeValues() == [] && central.ended == .remoteUserTerminatedConnection)
    #expect(central.verdict.notes == [] && central.verdict.sessions.first?.unused == [])
  }

  @Test func readsErrorsAndSteps() throws {
    let rules = [
      Rule(on: .read(Self.state), answer: try Self.template("{count:2} {value:0x0003}")),
      Rule(
        on: .write(Self.command, value: [0xFF], matcher: .exact),
        steps: [
          Rule.Step(.notify(Self.told, try Self.template("01"))), Rule.Step(.disconnect(.remoteDevicePowerOff), delay: .seconds(2)),
        ]),
      Rule(
        on: .write(Self.command, value: [0x10, 0], matcher: .prefix(1)),
        steps: [Rule.Step(.notify(Self.told, try Self.template("{1} {2}")))]),
      Rule(on: .write(Self.state, value: [], matcher: .any), error: .insufficientAuthorization),
    ]
    let central = try Self.connected(Self.scenario(rules))
    try central.request("0a 0800", expecting: "0b 0100")
    central.send("52 0300 10 aa bb")
    central.wait(.zero)
    #expect(central.takeValues() == [hex("1b 0500 aa bb")])
    try central.request("0a 0800", expecting: "0b 0200 10aabb")
    try central.request("12 0800 00", expecting: "01 12 0800 08")
    // Too short for its template: no rule fits, and nothing is on the tape.
    try central.request("12 0300 10", expecting: "13")
    #expect(central.verdict.notes.count == 1)
    central.send("52 0300 ff")
    central.wait(.milliseconds(1999))
    #expect(central.takeValues() == [hex("1b 0500 01")] && central.ended == nil)
    central.wait(.milliseconds(1))
    #expect(central.ended == .remoteDevicePowerOff)
  }

  @Test func nothingIsToldWithoutASubscription() throws {
    let rule = Rule(on: .write(Self.command, value: [], matcher: .any), steps: [Rule.Step(.notify(Self.told, try Self.template("01")))])
    let central = try Self.connected(Self.scenario([rule]), subscribed: false)
    try central.request("12 0300 00", expecting: "13")
    central.wait(.seconds(1))
    #expect(central.takeValues() == [])
  }

  @Test func statefulKeepsWhatIsWritten() throws {
    let entries = [
      TimelineEntry(id: "a", at: .zero, action: .write(Self.state, [5]), answer: .ok),
      TimelineEntry(at: .milliseconds(5), action: .read(Self.state), answer: .value([0x55])),
      TimelineEntry(
        at: .milliseconds(20), origin: .peripheral, action: .notify(Self.told, [9]), anchor: Anchor(.entry("a"), delay: .milliseconds(5))),
    ]
    let central = try Self.connected(Self.scenario(match: .stateful, entries: entries))
    // Nothing was written: the recording answers.
    try central.request("0a 0800", expecting: "0b 55")
    try central.request("12 0800 2a", expecting: "13")
    try central.request("0a 0800", expecting: "0b 2a")
    // The recorded write brings what followed it.
    try central.request("12 0800 05", expecting: "13")
    central.wait(.milliseconds(5))
    #expect(central.takeValues() == [hex("1b 0500 09")])
    try central.request("0a 0800", expecting: "0b 05")
    let verdict = central.verdict
    #expect(verdict.passed && verdict.sessions.first?.substitutions.isEmpty == true && verdict.sessions.first?.nearMisses.isEmpty == true)
    // What was made is not told to be missing, be it answered from memory or by a rule.
    #expect(verdict.sessions.first?.unused == [])
    var ruled = Self.scenario(match: .stateful, entries: entries)
    ruled.rules = [Rule(on: .write(Self.state, value: [5], matcher: .exact))]
    let other = try Self.connected(ruled)
    try other.request("12 0800 05", expecting: "13")
    try other.request("0a 0800", expecting: "0b 05")
    #expect(other.verdict.notes == [])
    // What cannot be written still cannot.
    try central.request("12 0500 00", expecting: "01 12 0500 0e")
  }

  private typealias Wanted = ReplayScenarios.Expectation

  /// What is expected, and how the verdict says that it was not met.
  private static let wanted: [(Wanted, String?)] = {
    var all: [(Wanted, String?)] = []
    all.append((Wanted(.connect), nil))
    all.append((Wanted(.connect, count: 2), "expected a connection 2 times: it came once"))
    all.append((Wanted(.write(command), count: 2), nil))
    all.append((Wanted(.write(command), count: 3), "expected a write to 0x0003 3 times: it came 2 times"))
    all.append((Wanted(.write(command), atMost: 1), "expected a write to 0x0003 at most once: it came 2 times"))
    all.append(
      (
        Wanted(.write(command), count: 2, within: .milliseconds(50)),
        "expected a write to 0x0003 2 times within 50 ms: it came once, and 1 later, the last at 0.100000000 s"
      ))
    all.append((Wanted(.read(state), note: "state"), "expected a read of 0x0008 once: it came 0 times (state)"))
    all.append((Wanted(.subscribe(told), within: .milliseconds(1)), nil))
    all.append((Wanted(.disconnect, count: 0, atMost: 0), nil))
    all.append((Wanted(.scan), "expected a scan once: it came 0 times"))
    all.append((Wanted(.mark("done")), nil))
    all.append((Wanted(.mark("other")), "expected the mark \"other\" once: it came 0 times"))
    all.append((Wanted(.idle(.milliseconds(50))), nil))
    all.append((Wanted(.idle(.milliseconds(50)), within: .milliseconds(120)), nil))
    all.append(
      (
        Wanted(.idle(.milliseconds(50)), within: .milliseconds(10)),
        "expected a silence of 50 ms once within 10 ms: it came 0 times, and 1 later, the last at 0.050000000 s"
      ))
    all.append((Wanted(.idle(.milliseconds(101))), "expected a silence of 101 ms once: it came 0 times"))
    return all
  }()

  @Test(arguments: 0..<16)
  func expectations(number: Int) throws {
    let (wanted, failure) = Self.wanted[number]
    var scenario = Self.scenario(match: .stateful)
    scenario.expectations = [wanted]
    let central = try Self.connected(scenario)
    try central.request("12 0300 00", expecting: "13")
    central.wait(.milliseconds(100))
    central.send("52 0300 00")
    central.air.mark("done")
    #expect(central.verdict.failures == (failure.map { [$0] } ?? []))
  }

  /// A rule's hand is seen where it answers or tells, and nowhere else.
  @Test func onlyWhatARuleTouchesDiffersByRule() throws {
    let entries = [TimelineEntry.write(0, [1], id: "w"), .notify(20, [9], after: .entry("w"), 5)]
    var scenario = Scenario.small(entries)
    scenario.sessions[0].subscriptions = [AttributeHandle(4): 1]
    #expect(ScenarioReplay(scenario).differences == [] && ScenarioReplay(scenario).differencesByRule == [])
    scenario.rules = [
      Rule(
        on: .write(AttributeHandle(3), value: [], matcher: .any), steps: [Rule.Step(.notify(AttributeHandle(3), try ValueTemplate("aa")))])
    ]
    let ruled = ScenarioReplay(scenario)
    #expect(ruled.differences == [])
    #expect(ruled.differencesByRule == ["session 1, entry 2: got 1b0300aa, recorded 1b030009"])
    // The same difference where the rule is about something else.
    scenario.rules = [Rule(on: .write(AttributeHandle(6), value: [], matcher: .any), error: .writeNotPermitted)]
    scenario.sessions[0].entries[1].anchor = Anchor(.entry("nothing"), delay: .zero)
    scenario.sessions[0].subscriptions = [:]
    let other = ScenarioReplay(scenario)
    #expect(other.differencesByRule == [])
    #expect(other.differences == ["session 1, entry 2: recorded, and did not come"])
  }

  @Test func faultsOfTheScenarioAreArmed() throws {
    var scenario = Self.scenario(match: .stateful)
    scenario.faults = ["disconnect:0x08@after:write:0x0003#2"]
    let central = try Self.connected(scenario)
    try central.request("12 0300 00", expecting: "13")
    central.send("12 0300 00")
    central.wait(.milliseconds(1))
    #expect(central.ended == .connectionTimeout)
    #expect(central.verdict.faultsFired.count == 1 && central.verdict.passed)
    scenario.faults = ["disconnekt@time:1"]
    let failures = ScenarioReplay(scenario).verdict.failures
    #expect(failures.count == 1 && failures.first?.hasPrefix("the fault disconnekt@time:1 of the scenario: ") == true)
  }
}

/// Sends without letting time pass, and tells values apart from answers.
private final class RuleCentral {
  private let central: TestCentral
  private var taken = 0

  init(_ scenario: Scenario) { central = TestCentral(scenario) }

  var air: AirCore { central.air }
  var ended: HCIErrorCode? { central.ended }
  var verdict: Verdict { central.verdict }

  func connect() { central.connect() }
  func send(_ text: String) { central.send(text, wait: .zero) }
  func wait(_ time: Duration) { central.wait(time) }

  /// Sends a request whose answer comes within its recorded latency of some milliseconds; values do not count.
  func request(_ text: String, expecting answer: String) throws {
    let before = central.received.count
    central.send(text, wait: .zero)
    for _ in 0..<10 where central.received.count == before { central.wait(.milliseconds(1)) }
    let got = try #require(central.received.dropFirst(before).first?.bytes)
    #expect(got == hex(answer), "\(text): \(Hexadecimal.encode(got))")
  }

  /// The notifications since the last call.
  func takeValues() -> [[UInt8]] {
    defer { taken = central.received.count }
    return central.received.dropFirst(taken).map(\.bytes).filter { [0x1B, 0x1D].contains($0.first) }
  }
}
