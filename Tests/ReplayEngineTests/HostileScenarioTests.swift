import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// Whatever a file says, a replay ends and nothing traps.
struct HostileScenarioTests {
  @Test(arguments: ["heart-strap", "serial-bridge", "thermo-logger"])
  func randomChangesEnd(name: String) throws {
    let good = try Scenario.read(file: Repository.root.appending(path: "scenarios/\(name).json5").path)
    var random = SeededGenerator(seed: 9)
    for _ in 0..<200 {
      var scenario = good
      for _ in 0..<Int.random(in: 1...12, using: &random) { change(&scenario, &random) }
      let replay = ScenarioReplay(scenario, faults: Bool.random(using: &random) ? [Fault(.disconnect(.connectionTimeout), at: .pdu(5))] : [])
      #expect(replay.log.text == ScenarioReplay(scenario, faults: replay.verdict.faultsFired).log.text || replay.verdict.faultsFired.isEmpty)
    }
  }

  private func change(_ scenario: inout Scenario, _ random: inout SeededGenerator) {
    let session = Int.random(in: scenario.sessions.indices, using: &random)
    guard let index = scenario.sessions[session].entries.indices.randomElement(using: &random) else { return }
    let durations: [Duration] = [.zero, .nanoseconds(-5), .seconds(-1000), .nanoseconds(Int64.max), .seconds(Int64.max / 4), .nanoseconds(1)]
    let duration = durations[Int.random(in: durations.indices, using: &random)]
    let handle = AttributeHandle(UInt16.random(in: 0...0x30, using: &random))
    let bytes = random.bytes(Int.random(in: 0...40, using: &random))
    switch Int.random(in: 0..<14, using: &random) {
    case 0: scenario.sessions[session].entries[index].at = duration
    case 1: scenario.sessions[session].entries[index].latency = duration
    case 2: scenario.sessions[session].entries[index].anchor?.delay = duration
    case 3: scenario.sessions[session].entries[index].anchor = Anchor(.entry("e\(index + 1)"), delay: .zero)
    case 4: scenario.sessions[session].entries[index].id = "e1"
    case 5: scenario.sessions[session].entries[index].action = .write(handle, bytes)
    case 6: scenario.sessions[session].entries[index].action = .pdu(bytes)
    case 7: scenario.sessions[session].entries[index].action = .indicate(handle, bytes)
    case 8: scenario.sessions[session].entries[index].answer = [.ok, .value(bytes), .mtu(0), .pdu(bytes), TimelineEntry.Answer.none].randomElement(using: &random)
    case 9:
      scenario.sessions[session].entries[index].parts = [
        .init(offset: duration, count: Int.max, latency: .zero), .init(offset: .zero, count: -7, latency: duration), .init(offset: .zero, count: nil, latency: .zero),
      ]
    case 10: scenario.sessions[session].entries.swapAt(index, 0)
    case 11: scenario.sessions[session].entries[index].origin = scenario.sessions[session].entries[index].origin == .central ? .peripheral : .central
    case 12:
      if let place = scenario.database.indices.randomElement(using: &random) {
        scenario.database[place].kind = .service(uuid: BluetoothUUID(0x1800 as UInt16), primary: false, end: handle)
      }
    default: scenario.device.mtu = [-5, 0, 23, 100_000].randomElement(using: &random) ?? 0
    }
  }
}
