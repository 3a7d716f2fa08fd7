import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

struct FaultTests {
  static let scenario = Result { try Scenario.read(file: Repository.root.appending(path: "scenarios/heart-strap.json5").path) }

  /// Every entry of the recording, discovery and MTU included, from both sides of it.
  @Test(arguments: [true, false])
  func everyEntry(before: Bool) throws {
    let scenario = try Self.scenario.get()
    let whole = ScenarioReplay(scenario)
    for (number, session) in scenario.sessions.enumerated() {
      for index in session.entries.indices {
        let ending =
          switch session.entries[index].action {
          case .disconnect, .vanish: true
          default: false
          }
        guard !ending else { continue }
        let moment = Fault.Moment.entry(session: number, entry: index)
        let fault = Fault(.disconnect(.remoteDevicePowerOff), at: before ? .before(moment) : .after(moment))
        let replay = ScenarioReplay(scenario, faults: [fault])
        #expect(replay.verdict.faultsFired == [fault])
        #expect(replay.verdict.passed)
        let link = replay.verdict.sessions.first { $0.session == number }?.link ?? 0
        let lines = replay.log.lines.filter { $0.link == link }
        #expect(lines.suffix(2).map(\.event) == [.fault(fault), .disconnected(.remoteDevicePowerOff)], "\(fault)")
        // What came before the fault is what the recording has.
        let pdus = replay.log.pdus(link: link).map(\.bytes)
        let recorded = whole.trafficBySession[number]?.pdus.map(\.bytes) ?? []
        #expect(pdus == Array(recorded.prefix(pdus.count)), "\(fault)")
        #expect(pdus.count < recorded.count || index == session.entries.count - 2)
      }
    }
  }

  @Test func aFaultFiresOnce() throws {
    var scenario = try Self.scenario.get()
    scenario.sessions.append(scenario.sessions[0])
    let fault = Fault(.disconnect(.connectionTimeout), at: .after(.notification("2A37", count: 2)))
    let replay = ScenarioReplay(scenario, faults: [fault])
    #expect(replay.log.lines.filter { $0.event == .fault(fault) }.count == 1)
    #expect(replay.log.lines.filter { $0.event == .disconnected(.connectionTimeout) }.count == 1)
  }

  @Test func theNthTimeCountsOverAllLinks() throws {
    let fault = Fault(.disconnect(.connectionTimeout), at: .before(.notification("2A37", count: 15)))
    let replay = ScenarioReplay(try Self.scenario.get(), faults: [fault])
    let told = replay.log.lines.filter { if case .pdu(false, let bytes, _) = $0.event { bytes.starts(with: [0x1B, 0x0C]) } else { false } }
    #expect(told.count == 14)
    #expect(replay.log.lines.last?.event == .disconnected(.connectionTimeout))
  }

  @Test func whatIsNotReachedIsReported() throws {
    let fault = Fault(.disconnect(.connectionTimeout), at: .phase(.longWrite))
    let replay = ScenarioReplay(try Self.scenario.get(), faults: [fault])
    #expect(replay.verdict.faultsFired == [])
    #expect(replay.verdict.faultsNotReached == [fault])
    #expect(replay.verdict.notes.contains { $0.contains("was not reached") })
    #expect(!ScenarioReplay(try Self.scenario.get(), faults: [fault], failOn: .notReached).verdict.passed)
    #expect(replay.differences == [])
  }

  @Test func reasonsOfEveryValueArrive() throws {
    for code in UInt8(1)...UInt8.max {
      let reason = HCIErrorCode(rawValue: code)
      let replay = ScenarioReplay(try Self.scenario.get(), faults: [Fault(.disconnect(reason), at: .pdu(3))])
      #expect(replay.log.lines.contains { $0.event == .disconnected(reason) && $0.link == 1 })
      #expect(replay.log.pdus(link: 1).count == 3)
    }
  }

  @Test(arguments: [
    "disconnect:0x08@pdu:12", "disconnect:0x13@before:entry:1.5", "disconnect:0x3e@after:entry:2.1", "disconnect:0x08@phase:discovery",
    "disconnect:0x08@time:1500ms", "disconnect:0x08@time:0.25ms", "disconnect:0x08@after:notification:2A37#3",
    "disconnect:0x08@before:read:0x002a", "disconnect:0x08@after:any:5A0E0002-7C43-4D1B-9E0F-3B1D6E8A2C70",
  ])
  func theGrammarReadsWhatItWrites(text: String) throws { #expect(try Fault(text).description == text) }

  @Test(arguments: [
    ("disconnect", "has no trigger"), ("disconect@pdu:1", "did you mean disconnect?"), ("disconnect:0@pdu:1", "is no HCI reason"),
    ("disconnect:0x1ff@pdu:1", "is no HCI reason"), ("disconnect@pdu:0", "count from 1"),
    ("disconnect@phase:discovry", "did you mean discovery?"),
    ("disconnect@at:3", "is no trigger"), ("disconnect@after:entry:0.1", "both from 1"), ("disconnect@after:entry:3", "as entry:1.12"),
    ("disconnect@after:notif:2A37", "did you mean notification?"), ("disconnect@after:read:2A3", "is neither a UUID nor a handle"),
    ("disconnect@after:read:2A37#0", "is no count"), ("disconnect@time:soon", "is no time"), ("disconnect@time:-1s", "is no time"),
    ("", "has no trigger"), ("@", "is no fault"),
  ])
  func wrongTextIsNamed(text: String, message: String) {
    let error = #expect(throws: FaultError.self) { try Fault(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
