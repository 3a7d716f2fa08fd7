import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// Whatever a file says, a replay ends and nothing traps.
struct HostileScenarioTests {
  @Test(arguments: Repository.captureNames)
  func randomChangesEnd(name: String) throws {
    let good = try Scenario.read(file: Repository.root.appending(path: "scenarios/\(name).json5").path)
    var random = SeededGenerator(seed: 9)
    for _ in 0..<125 {
      var scenario = good
      for _ in 0..<Int.random(in: 1...12, using: &random) { change(&scenario, &random) }
      let replay = ScenarioReplay(
        scenario, faults: Bool.random(using: &random) ? [Fault(.disconnect(.connectionTimeout), at: .pdu(5))] : [])
      #expect(
        replay.log.text == ScenarioReplay(scenario, faults: replay.verdict.faultsFired).log.text || replay.verdict.faultsFired.isEmpty)
    }
  }

  /// Entries that wait for each other never begin, with whatever delay; the rest of the session goes on.
  @Test(arguments: [Duration.zero, .nanoseconds(-1), .nanoseconds(1), .nanoseconds(Int64.max)])
  func loopsOfAnchorsNeverBegin(delay: Duration) {
    func notify(_ id: String, after cause: Anchor.Cause) -> TimelineEntry {
      TimelineEntry(
        id: id, at: .zero, origin: .peripheral, action: .notify(AttributeHandle(3), [1]), anchor: Anchor(cause, delay: delay))
    }
    let entries = [
      notify("a", after: .entry("b")), notify("b", after: .entry("a")), notify("c", after: .request("c")), notify("d", after: .entry("d")),
      notify("e", after: .request("f")), notify("f", after: .entry("g")), notify("g", after: .request("e")), .write(5, [1], id: "w"),
      TimelineEntry(
        at: .milliseconds(20), origin: .peripheral, action: .notify(AttributeHandle(3), [2]), anchor: Anchor(.entry("w"), delay: .zero)),
    ]
    var scenario = Scenario.small(entries)
    scenario.device.sendsUnsubscribed = true
    let replay = ScenarioReplay(scenario)
    #expect(replay.log.pdus(link: 1).map { Hexadecimal.encode($0.bytes) } == ["12030001", "13", "1b030002"])
    #expect(replay.verdict.sessions[0].begun == 1)
  }

  /// Many entries at one moment, each waiting for the one before it, are played once each.
  @Test func aLongChainWithoutDelaysEnds() {
    var entries: [TimelineEntry] = [.notify(0, [0], after: .connection, 0)]
    for _ in 0..<20_000 { entries.append(.notify(0, [1], after: .previous, 0)) }
    var scenario = Scenario.small(entries)
    scenario.device.sendsUnsubscribed = true
    #expect(ScenarioReplay(scenario).log.pdus(link: 1).count == 20_001)
  }

  private func change(_ scenario: inout Scenario, _ random: inout SeededGenerator) {
    let session = Int.random(in: scenario.sessions.indices, using: &random)
    guard let index = scenario.sessions[session].entries.indices.randomElement(using: &random) else { return }
    let durations: [Duration] = [
      .zero, .nanoseconds(-5), .seconds(-1000), .nanoseconds(Int64.max), .seconds(Int64.max / 4), .nanoseconds(1),
    ]
    let duration = durations[Int.random(in: durations.indices, using: &random)]
    let handle = AttributeHandle(UInt16.random(in: 0...0x30, using: &random))
    let bytes = random.bytes(Int.random(in: 0...40, using: &random))
    switch Int.random(in: 0..<19, using: &random) {
    case 0: scenario.sessions[session].entries[index].at = duration
    case 1: scenario.sessions[session].entries[index].latency = duration
    case 2: scenario.sessions[session].entries[index].anchor?.delay = duration
    case 3: scenario.sessions[session].entries[index].anchor = Anchor(.entry("e\(index + 1)"), delay: .zero)
    case 4: scenario.sessions[session].entries[index].id = "e1"
    case 5: scenario.sessions[session].entries[index].action = .write(handle, bytes)
    case 6: scenario.sessions[session].entries[index].action = .pdu(bytes)
    case 7: scenario.sessions[session].entries[index].action = .indicate(handle, bytes)
    case 8:
      scenario.sessions[session].entries[index].answer = [.ok, .value(bytes), .mtu(0), .pdu(bytes), TimelineEntry.Answer.none]
        .randomElement(using: &random)
    case 9:
      scenario.sessions[session].entries[index].parts = [
        .init(offset: duration, count: Int.max, latency: .zero), .init(offset: .zero, count: -7, latency: duration),
        .init(offset: .zero, count: nil, latency: .zero),
      ]
    case 10: scenario.sessions[session].entries.swapAt(index, 0)
    case 11:
      scenario.sessions[session].entries[index].origin =
        scenario.sessions[session].entries[index].origin == .central ? .peripheral : .central
    case 12:
      if let place = scenario.database.indices.randomElement(using: &random) {
        scenario.database[place].kind = .service(uuid: BluetoothUUID(0x1800 as UInt16), primary: false, end: handle)
      }
    case 13:
      let causes: [Anchor.Cause] = [
        .idle, .previous, .every(count: 0, write: handle, since: nil), .every(count: -3, write: handle, since: "e1"),
        .every(count: 1, write: handle, since: "e\(index + 1)"), .every(count: Int.max, write: handle, since: "e1"), .request("e1"),
      ]
      scenario.sessions[session].entries[index].origin = .peripheral
      scenario.sessions[session].entries[index].anchor = causes.randomElement(using: &random).map {
        Anchor($0, delay: duration, cancel: Anchor.Cancellation(rawValue: UInt8.random(in: 0...255, using: &random)))
      }
    case 14:
      scenario.sessions[session].entries[index].matcher =
        [
          .mask(bytes), .prefix(-1), .prefix(Int.max), .length, .any, .counter(at: -1, bytes: 8, bigEndian: true),
          .counter(at: Int.max, bytes: Int.max, bigEndian: false), .counter(at: 0, bytes: 0, bigEndian: false),
        ].randomElement(using: &random) ?? .exact
    case 15:
      scenario.sessions[session].entries[index].origin = .peripheral
      scenario.sessions[session].entries[index].action = .vanish
    case 16: scenario.sessions[session].parameters = ConnectionParameters(interval: 0, latency: .max, timeout: .max)
    case 17: scenario.sessions[session].subscriptions[handle] = UInt16.random(in: .min ... .max, using: &random)
    default: scenario.device.mtu = [-5, 0, 23, 100_000].randomElement(using: &random) ?? 0
    }
  }
}
