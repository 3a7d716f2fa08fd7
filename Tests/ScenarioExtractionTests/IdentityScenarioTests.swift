import CaptureFiles
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// A device that rotates its address is one device in its scenario (case D14).
struct IdentityScenarioTests {
  private static let key = [UInt8](0x10..<0x20)
  private static let identity = BluetoothAddress(0xC0AA_BBCC_DDEE, kind: .random)
  private static let addresses = (1...3).map { BluetoothAddress.made(with: key, $0) }

  /// Three links with three addresses; on the second the device is paired and tells its key.
  private static func capture(pairs: Bool) -> [UInt8] {
    var builder = CaptureBuilder()
    for (number, address) in addresses.enumerated() {
      builder.connect(peer: address)
      if pairs, number == 1 {
        builder.pair()
        builder.identity(identity, key: key)
      }
      if pairs, number == 2 { builder.encrypt() }
      builder.att(.host, hex("0a0300"))
      builder.att(.controller, hex("0b0\(number)"))
      builder.disconnect()
    }
    return builder.bytes
  }

  @Test func theDeviceIsItsIdentity() throws {
    let recording = try CaptureRecording(bytes: Self.capture(pairs: true), file: "test")
    let extractor = ScenarioExtractor(recording)
    #expect(extractor.subjects.map(\.address) == [Self.identity])
    let subject = try #require(extractor.subjects.first)
    #expect(extractor.has(Self.addresses[2], subject) && extractor.has(Self.identity, subject))
    #expect(!extractor.has(CaptureBuilder.peer, subject))
    let scenario = try Scenario(reading: extractor.scenario(of: subject).document(), file: "test")
    #expect(scenario.device.address == Self.identity && scenario.device.addresses == Self.addresses)
    #expect(scenario.sessions.map(\.address) == Self.addresses)
    #expect(scenario.sessions.map(\.bonded) == [false, false, true])
    let replay = ScenarioReplay(scenario)
    #expect(replay.differences == [])
    #expect(CaptureComparison(replay.trafficBySession, of: scenario, with: recording).differences == [])
  }

  @Test func withoutItsKeyItIsThree() throws {
    let recording = try CaptureRecording(bytes: Self.capture(pairs: false), file: "test")
    let subjects = ScenarioExtractor(recording).subjects
    #expect(subjects.map(\.address) == Self.addresses)
    #expect(ScenarioExtractor(recording).scenario(of: subjects[0]).device.addresses == [])
    let options = CaptureOptions(identityResolvingKeys: [Self.key])
    let joined = ScenarioExtractor(try CaptureRecording(bytes: Self.capture(pairs: false), file: "test", options: options))
    #expect(joined.subjects.map(\.links) == [[1, 2, 3]])
    let scenario = joined.scenario(of: joined.subjects[0])
    #expect(scenario.device.address == Self.addresses[0] && scenario.device.addresses == Array(Self.addresses.dropFirst()))
    #expect(scenario.sessions.map(\.address) == [nil, Self.addresses[1], Self.addresses[2]])
  }
}
