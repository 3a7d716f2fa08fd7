import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// Each trigger fires once, at its place in the log of PDUs.
struct FaultTriggerTests {
  /// One entry of each kind, in an order in which a central can send them.
  private static let scenario: Scenario = {
    var indication = TimelineEntry(
      at: .milliseconds(500), origin: .peripheral, action: .indicate(AttributeHandle(3), [0x99]), answer: .ok, latency: .milliseconds(5),
      anchor: Anchor(.connection, delay: .milliseconds(500)))
    indication.id = "i"
    let entries: [TimelineEntry] = [
      TimelineEntry(at: .milliseconds(0), action: .exchangeMTU(64), answer: .mtu(64), latency: .milliseconds(5)),
      TimelineEntry(
        at: .milliseconds(20), action: .pdu(hex("10 0100 ffff 0028")), answer: .pdu(hex("11 06 0100 1000 e0ff")), latency: .milliseconds(5)),
      .write(40, [3, 0], handle: 4), .read(60, [7]), .write(80, [1]), .write(100, [2], answer: .error(.unlikelyError)),
      TimelineEntry(at: .milliseconds(120), action: .writeCommand(AttributeHandle(6), [8])),
      TimelineEntry(
        at: .milliseconds(140), action: .pdu(hex("0e 0300 0600")), answer: .pdu(hex("0f 0108")), latency: .milliseconds(5)),
      TimelineEntry(
        at: .milliseconds(160), action: .readBlob(AttributeHandle(3), offset: 1), answer: .value([]), latency: .milliseconds(5)),
      TimelineEntry(at: .milliseconds(180), action: .pdu(hex("7f 01"))),
      .notify(300, [0xAA], after: .connection, 300), .notify(400, [0xBB], after: .connection, 400), indication,
      TimelineEntry(
        at: .milliseconds(600), origin: .peripheral, action: .exchangeMTU(100), answer: .mtu(64), latency: .milliseconds(5),
        anchor: Anchor(.connection, delay: .milliseconds(600))),
      TimelineEntry(
        at: .milliseconds(700), origin: .peripheral, action: .disconnect(.remoteUserTerminatedConnection),
        anchor: Anchor(.connection, delay: .milliseconds(700))),
    ]
    return .small(entries)
  }()

  /// The PDUs of the whole session, by entry: what it begins with, and what answers it.
  private static let pdus: [(request: String, answer: String?)] = [
    ("> 024000", "< 034000"), ("> 100100ffff0028", "< 110601001000e0ff"), ("> 1204000300", "< 13"), ("> 0a0300", "< 0b07"),
    ("> 12030001", "< 13"), ("> 12030002", "< 011203000e"), ("> 52060008", nil), ("> 0e03000600", "< 0f0108"), ("> 0c03000100", "< 0d"),
    ("> 7f01", nil), ("< 1b0300aa", nil), ("< 1b0300bb", nil), ("< 1d030099", "> 1e"), ("< 026400", "> 034000"),
  ]

  private static func lines(_ log: AirLog) -> [String] {
    log.lines.compactMap { line in
      guard case .pdu(let fromCentral, let bytes, _) = line.event else { return nil }
      return "\(fromCentral ? ">" : "<") \(Hexadecimal.encode(bytes))"
    }
  }

  private static func all(through entry: Int) -> [String] {
    pdus.prefix(entry).flatMap { [$0.request] + ($0.answer.map { [$0] } ?? []) }
  }

  private func run(_ fault: Fault) -> (lines: [String], replay: ScenarioReplay) {
    let replay = ScenarioReplay(Self.scenario, faults: [fault])
    let places = replay.log.lines.indices.filter { if case .fault = replay.log.lines[$0].event { true } else { false } }
    #expect(places.count == replay.verdict.faultsFired.count)
    for place in places where place + 1 < replay.log.lines.count {
      switch replay.log.lines[place + 1].event {
      case .disconnected(let reason), .connectionFailed(_, let reason): #expect(reason == .connectionTimeout)
      default: Issue.record("\(replay.log.text)")
      }
    }
    return (Self.lines(replay.log), replay)
  }

  @Test func theScenarioIsFaithful() {
    let replay = ScenarioReplay(Self.scenario)
    #expect(replay.differences == [])
    #expect(Self.lines(replay.log) == Self.all(through: Self.pdus.count))
    #expect(replay.verdict.notes == [])
  }

  @Test(arguments: 0..<14)
  func beforeAnEntry(entry: Int) {
    let (lines, replay) = run(Fault(.disconnect(.connectionTimeout), at: .before(.entry(session: 0, entry: entry))))
    // What the central asks has arrived; what the peripheral begins is not sent.
    let asked = Self.pdus[entry].request.hasPrefix(">") ? [Self.pdus[entry].request] : []
    #expect(lines == Self.all(through: entry) + asked)
    #expect(replay.verdict.faultsFired.count == 1)
    #expect(replay.verdict.sessions[0].isExcused)
    #expect(replay.verdict.passed)
  }

  @Test(arguments: 0..<14)
  func afterAnEntry(entry: Int) {
    let (lines, replay) = run(Fault(.disconnect(.connectionTimeout), at: .after(.entry(session: 0, entry: entry))))
    #expect(lines == Self.all(through: entry + 1))
    #expect(replay.verdict.faultsFired.count == 1)
    #expect(replay.verdict.faultsNotReached == [])
  }

  @Test(arguments: 1...24)
  func afterAPDU(number: Int) {
    let (lines, replay) = run(Fault(.disconnect(.connectionTimeout), at: .pdu(number)))
    #expect(lines == Array(Self.all(through: Self.pdus.count).prefix(number)))
    #expect(replay.verdict.faultsFired.count == 1)
  }

  @Test(arguments: [
    (Fault.Phase.connecting, nil), (.mtu, "> 024000"), (.discovery, "> 100100ffff0028"), (.subscribing, "> 1204000300"),
    (.streaming, "< 1b0300aa"),
  ])
  func atAPhase(phase: Fault.Phase, last: String?) {
    let (lines, replay) = run(Fault(.disconnect(.connectionTimeout), at: .phase(phase)))
    #expect(replay.verdict.faultsFired.count == 1)
    if let last {
      #expect(lines.last == last)
    } else {
      // The attempt fails and the session is played by the next one.
      #expect(lines == Self.all(through: Self.pdus.count))
      #expect(replay.log.lines.first?.event == .fault(Fault(.disconnect(.connectionTimeout), at: .phase(.connecting))))
    }
  }

  @Test func atALongWrite() {
    var entry = TimelineEntry.write(0, Array(UInt8(0)..<30))
    entry.parts = [
      .init(offset: .zero, count: 18, latency: .milliseconds(1)), .init(offset: .milliseconds(2), count: 12, latency: .milliseconds(1)),
      .init(offset: .milliseconds(4), count: nil, latency: .milliseconds(1)),
    ]
    let scenario = Scenario.small([entry])
    #expect(ScenarioReplay(scenario).differences == [])
    let replay = ScenarioReplay(scenario, faults: [Fault(.disconnect(.connectionTimeout), at: .phase(.longWrite))])
    #expect(Self.lines(replay.log).count == 1)
    #expect(replay.verdict.faultsFired.count == 1)
    for (moment, count) in [(Fault.Trigger.before(.entry(session: 0, entry: 0)), 5), (.after(.entry(session: 0, entry: 0)), 6)] {
      #expect(Self.lines(ScenarioReplay(scenario, faults: [Fault(.disconnect(.connectionTimeout), at: moment)]).log).count == count)
    }
  }

  @Test func atATime() {
    for (time, count) in [(30, 4), (350, 19)] {
      let (lines, replay) = run(Fault(.disconnect(.connectionTimeout), at: .time(.milliseconds(time))))
      #expect(lines == Array(Self.all(through: Self.pdus.count).prefix(count)))
      #expect(replay.verdict.faultsFired.count == 1)
      #expect(replay.log.lines.last?.time.nanoseconds == Int64(time) * 1_000_000)
    }
    // No link is up yet, or none any more.
    for time in [0, 10_000] {
      let (lines, replay) = run(Fault(.disconnect(.connectionTimeout), at: .time(.milliseconds(time))))
      #expect(lines == Self.all(through: Self.pdus.count))
      #expect(replay.verdict.faultsNotReached.count == 1)
    }
  }

  @Test(arguments: [
    (Fault.Use.read, true, "> 0a0300"), (.read, false, "< 0b07"), (.write, true, "> 12030001"), (.write, false, "< 13"),
    (.notification, true, "> 7f01"), (.notification, false, "< 1b0300aa"), (.indication, true, "< 1b0300bb"),
    (.indication, false, "< 1d030099"), (.any, true, "> 0a0300"), (.any, false, "< 0b07"),
  ])
  func atAUseOfAnAttribute(use: Fault.Use, before: Bool, last: String) {
    for name in [Fault.AttributeName.uuid("FFE1"), .handle(3)] {
      let moment = Fault.Moment.attribute(use, name, count: 1)
      let (lines, replay) = run(Fault(.disconnect(.connectionTimeout), at: before ? .before(moment) : .after(moment)))
      #expect(lines.last == last)
      #expect(replay.verdict.faultsFired.count == 1)
    }
  }

  @Test func theCountIsCounted() {
    let second = Fault.Moment.write("FFE1", count: 2)
    #expect(run(Fault(.disconnect(.connectionTimeout), at: .after(second))).lines.last == "< 011203000e")
    #expect(run(Fault(.disconnect(.connectionTimeout), at: .before(.notification("FFE1", count: 2)))).lines.last == "< 1b0300aa")
    #expect(run(Fault(.disconnect(.connectionTimeout), at: .after(.write("FFE2")))).lines.last == "> 52060008")
  }

  @Test(arguments: [
    "disconnect@after:entry:9.1", "disconnect@before:entry:1.99", "disconnect@pdu:9999", "disconnect@after:read:2A00",
    "disconnect@before:write:FFE1#3", "disconnect@time:3600s", "disconnect@phase:longWrite",
  ])
  func aPointThatIsNotReachedIsReported(text: String) throws {
    let fault = try Fault(text)
    let replay = ScenarioReplay(Self.scenario, faults: [fault])
    #expect(replay.verdict.faultsNotReached == [fault])
    #expect(replay.verdict.faultsFired == [])
    #expect(replay.verdict.passed)
    #expect(replay.verdict.notes.contains("fault \(fault) was not reached"))
    #expect(!ScenarioReplay(Self.scenario, faults: [fault], failOn: .notReached).verdict.passed)
  }

  @Test func theLogNamesTheFaultThatFired() throws {
    let (later, first) = (try Fault("disconnect:0x13@pdu:9999"), try Fault("disconnect:0x08@pdu:3"))
    for faults in [[later, first], [first, later]] {
      let log = ScenarioReplay(Self.scenario, faults: faults).log
      #expect(log.lines.contains { $0.event == .fault(first) })
      #expect(!log.lines.contains { $0.event == .fault(later) })
    }
    // Two that are due at once: the link ends once, and the other is not said to have fired.
    let other = try Fault("disconnect:0x13@phase:mtu")
    let replay = ScenarioReplay(Self.scenario, faults: [try Fault("disconnect@pdu:1"), other])
    #expect(replay.verdict.faultsFired == [other])
  }

  @Test func aValueWithoutASubscriptionIsNoPoint() {
    let scenario = Scenario.small([.notify(10, [1], after: .connection, 10)])
    for trigger in [Fault.Trigger.before(.entry(session: 0, entry: 0)), .after(.entry(session: 0, entry: 0))] {
      let replay = ScenarioReplay(scenario, faults: [Fault(.disconnect(.connectionTimeout), at: trigger)])
      #expect(replay.verdict.faultsFired == [])
      #expect(replay.verdict.sessions[0].notSendable == [0])
    }
  }

  @Test func theSameSeedGivesTheSameLog() throws {
    let faults = [try Fault("disconnect@after:notification:FFE1"), try Fault("disconnect@phase:connecting")]
    let text = ScenarioReplay(Self.scenario, faults: faults, seed: 7).log.text
    for _ in 0..<100 { #expect(ScenarioReplay(Self.scenario, faults: faults, seed: 7).log.text == text) }
  }
}
