import ReplayEngine
import ReplayScenarios

/// Replays a made-up session of write commands and notifications with its recorded central, and prints entries a second.
@main
struct ReplayBenchmark {
  static func main() {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
    let scenario = stream(count)
    let clock = ContinuousClock()
    var best = Duration.seconds(3600)
    var lines = 0
    for _ in 0..<5 {
      var replay: ScenarioReplay?
      best = min(best, clock.measure { replay = ScenarioReplay(scenario) })
      guard let replay, replay.differences.isEmpty else {
        print("the replay differs: \(replay?.differences.first ?? "")")
        return
      }
      lines = replay.log.lines.count
    }
    let seconds = Double(best.components.seconds) + Double(best.components.attoseconds) / 1e18
    print("\(count) entries, \(lines) log lines, \(best), \(Int(Double(count) / seconds)) entries a second")
  }

  /// Commands and notifications in turns, a millisecond apart; every tenth notification answers a command.
  private static func stream(_ count: Int) -> Scenario {
    let (command, value, descriptor) = (AttributeHandle(6), AttributeHandle(3), AttributeHandle(4))
    var entries: [TimelineEntry] = []
    for index in 0..<count {
      let bytes = (0..<4).map { UInt8(truncatingIfNeeded: index >> (8 * $0)) } + Array(repeating: 0xA5, count: 16)
      let at = Duration.milliseconds(index)
      if index % 2 == 0 {
        entries.append(TimelineEntry(id: index % 20 == 0 ? "c\(index)" : nil, at: at, action: .writeCommand(command, bytes)))
      } else {
        let anchor =
          index % 20 == 1
          ? Anchor(.entry("c\(index - 1)"), delay: .milliseconds(1)) : Anchor(.previous, delay: .milliseconds(2))
        entries.append(TimelineEntry(at: at, origin: .peripheral, action: .notify(value, bytes), anchor: anchor))
      }
    }
    return Scenario(
      device: Device(name: "Stream"),
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(16))),
        Attribute(
          handle: AttributeHandle(2), kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x10, value: value)),
        Attribute(handle: descriptor, kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
        Attribute(
          handle: AttributeHandle(5), kind: .characteristic(uuid: BluetoothUUID(0xFFE2 as UInt16), properties: 0x04, value: command)),
      ], sessions: [Session(subscriptions: [descriptor: 1], entries: entries)])
  }
}
