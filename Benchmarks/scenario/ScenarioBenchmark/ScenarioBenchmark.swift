import Foundation
import ReplayScenarios

/// Times reading a scenario against a bare pass of Foundation's JSON decoder over the same bytes.
///
/// `ScenarioBenchmark ENTRIES` makes a scenario of so many entries, as extraction writes them, and prints both times: the minimum of
/// five interleaved runs.
@main
enum ScenarioBenchmark {
  /// What the decoder is to make of the text: nothing, so that only its reading counts.
  private struct Nothing: Decodable {}

  static func main() throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
    let bytes = scenario(count).document()
    let data = Data(bytes)
    var (own, bare) = (Duration.seconds(1000), Duration.seconds(1000))
    for _ in 0..<5 {
      own = min(own, try ContinuousClock().measure { _ = try ScenarioDocument(reading: bytes, file: "scenario") })
      bare = min(
        bare,
        try ContinuousClock().measure {
          let decoder = JSONDecoder()
          decoder.allowsJSON5 = true
          _ = try decoder.decode(Nothing.self, from: data)
        })
    }
    let rate = Double(count) / (Double(own.components.attoseconds) / 1e18 + Double(own.components.seconds))
    print(
      "\(count) entries, \(bytes.count) bytes: read in \(own), \(Int(rate)) entries a second; JSONDecoder's pass alone \(bare); ratio \(own / bare)"
    )
  }

  /// Reads, writes and notifications in turn, with values of 4 to 40 bytes.
  private static func scenario(_ count: Int) -> Scenario {
    var entries: [TimelineEntry] = []
    for number in 0..<count {
      let at = Duration.microseconds(Int64(number) * 7301)
      let value = (0..<(4 + number % 37)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
      switch number % 4 {
      case 0:
        entries.append(
          TimelineEntry(id: "e\(number)", at: at, action: .write(AttributeHandle(9), value), answer: .ok, latency: .microseconds(1313)))
      case 1:
        entries.append(
          TimelineEntry(
            at: at, origin: .peripheral, action: .notify(AttributeHandle(6), value),
            anchor: Anchor(.entry("e\(number - 1)"), delay: .microseconds(5988))))
      case 2:
        entries.append(
          TimelineEntry(
            at: at, origin: .peripheral, action: .notify(AttributeHandle(6), value), anchor: Anchor(.previous, delay: .microseconds(7301))))
      default: entries.append(TimelineEntry(at: at, action: .read(AttributeHandle(3)), answer: .value(value), latency: .microseconds(902)))
      }
    }
    return Scenario(
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0x180D as UInt16), primary: true, end: AttributeHandle(16))),
        Attribute(
          handle: AttributeHandle(2), kind: .characteristic(uuid: BluetoothUUID(0x2A38 as UInt16), properties: 2, value: AttributeHandle(3))
        ),
        Attribute(
          handle: AttributeHandle(5),
          kind: .characteristic(uuid: BluetoothUUID(0xFFB1 as UInt16), properties: 0x10, value: AttributeHandle(6))),
        Attribute(
          handle: AttributeHandle(8), kind: .characteristic(uuid: BluetoothUUID(0xFFB2 as UInt16), properties: 8, value: AttributeHandle(9))
        ),
      ], sessions: [Session(entries: entries)])
  }
}
