import Foundation
import ReplayEngine
import ReplayScenarios

/// Plays a minute of bursts on the real clock and prints how late its events were handled; then prints how long ten minutes of recorded
/// traffic take on the virtual clock.
@main
struct ClockBenchmark {
  static func main() {
    let seconds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 60
    realClock(seconds)
    virtualClock()
  }

  /// Ten notifications, five milliseconds apart, each half second.
  private static func realClock(_ seconds: Int) {
    let entries = (0..<20 * seconds).map { number in
      notification(number, at: .milliseconds(number / 10 * 500 + number % 10 * 5))
    }
    let air = VirtualAir(scenarios: [scenario(entries)])
    let central = Listener(count: entries.count)
    air.start()
    air.enqueue { $0.connect(central, to: 0) }
    central.isDone.wait()
    print("real clock, \(seconds) s of bursts: \(air.lateness)")
  }

  /// Ten entries a second, every other one the central's.
  private static func virtualClock() {
    let entries = (0..<6000).map { number -> TimelineEntry in
      let at = Duration.milliseconds(number * 100)
      return number % 2 == 0
        ? notification(number, at: at)
        : TimelineEntry(at: at, action: .writeCommand(AttributeHandle(6), [UInt8(truncatingIfNeeded: number)]))
    }
    let time = ContinuousClock().measure {
      let replay = ScenarioReplay(scenario(entries))
      if !replay.differences.isEmpty { print("the replay differs: \(replay.differences.first ?? "")") }
    }
    print("virtual clock, 10 min and \(entries.count) entries with the recorded central: \(time)")
    let air = VirtualAir(scenarios: [scenario(entries)])
    let central = Listener(count: 3000)
    air.enqueue { $0.connect(central, to: 0) }
    print("virtual clock, the same with waiting for queues before each move of time: \(ContinuousClock().measure { air.runUntilIdle() })")
  }

  private static func notification(_ number: Int, at: Duration) -> TimelineEntry {
    TimelineEntry(
      at: at, origin: .peripheral, action: .notify(AttributeHandle(3), [UInt8(truncatingIfNeeded: number)]),
      anchor: Anchor(.connection, delay: at))
  }

  private static func scenario(_ entries: [TimelineEntry]) -> Scenario {
    Scenario(
      device: Device(name: "Burst"),
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(16))),
        Attribute(
          handle: AttributeHandle(2),
          kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x10, value: AttributeHandle(3))),
        Attribute(handle: AttributeHandle(4), kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
        Attribute(
          handle: AttributeHandle(5),
          kind: .characteristic(uuid: BluetoothUUID(0xFFE2 as UInt16), properties: 0x04, value: AttributeHandle(6))),
      ], sessions: [Session(subscriptions: [AttributeHandle(4): 1], entries: entries)])
  }

  /// Hears values, and tells when it has heard enough.
  private final class Listener: AirCentral, @unchecked Sendable {
    let isDone = DispatchSemaphore(value: 0)
    private var left: Int
    init(count: Int) { left = count }
    func handle(_ event: AirEvent, in air: AirCore) {
      guard case .received = event else { return }
      left -= 1
      if left == 0 { isDone.signal() }
    }
  }
}
