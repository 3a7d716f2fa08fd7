import Foundation
import ReplayScenarios
import Testing

@Suite struct RoundTripTests {
  @Test func sampleKeepsAllItSays() throws {
    #expect(try Scenario(reading: sample.document()) == sample)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func randomScenariosKeepAllTheySay(seed: UInt64) throws {
    var random = RandomScenario(seed: seed)
    for _ in 0..<60 {
      let scenario = random.scenario()
      let text = scenario.document()
      let again = try Scenario(reading: text)
      #expect(again == scenario, "seed \(seed):\n\(String(decoding: text, as: UTF8.self))")
      #expect(again.document() == text, "seed \(seed)")
    }
    let actions = ["exchangeMTU", "read", "readBlob", "write", "writeCommand", "pdu", "notify", "indicate", "link", "disconnect", "vanish"]
    let procedures = [
      "securityRequest", "pair", "encrypt", "requestParameters", "updateParameters", "updatePHY", "updateDataLength", "openChannel",
      "channelData", "closeChannel",
    ]
    let answers = ["ok", "value", "mtu", "error", "refused", "pdu", "none"]
    let causes = ["connection", "entry", "request", "previous", "idle", "every"]
    let matchers = ["exact", "mask", "prefix", "length", "any", "counter"]
    let all =
      actions.map { "action " + $0 } + procedures.map { "procedure " + $0 } + answers.map { "answer " + $0 } + causes.map { "cause " + $0 }
      + matchers.map { "matcher " + $0 }
    #expect(Set(all).subtracting(random.seen).isEmpty)
  }

  @Test func emptyScenario() throws {
    #expect(String(decoding: Scenario().document(), as: UTF8.self) == "{\n  format: \"understudy/1\",\n}\n")
    #expect(try Scenario(reading: "{format:'understudy/1'}") == Scenario())
  }

  /// Comments hold names and values from captures; none of them may leave its line.
  @Test func commentsStayOnTheirLines() {
    let hostile = "x\n{ evil: 1 }\r\u{2028}\u{2029}\u{85}\u{202E}*/\u{0}"
    let scenario = Scenario(database: [
      Attribute(
        handle: AttributeHandle(1), kind: .characteristic(uuid: BluetoothUUID(UInt16(0x2A00)), properties: 2, value: AttributeHandle(2)),
        content: [UInt8](hostile.utf8))
    ])
    let line = String(decoding: scenario.document(), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)[3]
    #expect(line.hasSuffix(#"// Device Name: "x\n{ evil: 1 }\r\u2028\u2029\u0085\u202e*/\u0000""#), "\(line)")
  }

  /// A million nanoseconds make a millisecond, and not one may be lost.
  @Test(
    arguments: [
      (1_234_567_001, "1234.567001"), (0, "0"), (1, "0.000001"), (-1, "-0.000001"), (1_500_000, "1.5"), (12_000_000, "12"),
      (Int64.max, "9223372036854.775807"), (-Int64.max, "-9223372036854.775807"), (-2_000_001, "-2.000001"),
    ] as [(Int64, String)])
  func timesAreExact(nanoseconds: Int64, text: String) throws {
    var writer = JSON5Writer()
    writer.milliseconds(.nanoseconds(nanoseconds))
    #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    #expect(ExactNumber(text, decimals: 6) == .value(nanoseconds))
  }

  @Test(
    arguments: [
      ("0x10", 0, .value(16)), ("-0xA", 0, .value(-10)), ("1e3", 0, .value(1000)), ("1500E-2", 0, .value(15)), ("1.50", 1, .value(15)),
      (".5", 1, .value(5)), ("5.", 0, .value(5)), ("+7", 0, .value(7)), ("0.0000001", 6, .tooFine), ("1e-7", 6, .tooFine),
      ("1.0000000", 6, .value(1_000_000)),
      ("1e400", 0, .tooLarge), ("9223372036854775807", 0, .value(.max)), ("9223372036854775808", 0, .tooLarge),
      ("0x8000000000000000", 0, .tooLarge),
      ("Infinity", 0, .notFinite), ("-NaN", 0, .notFinite), ("0e999999999999999999999", 0, .value(0)),
      ("1e-99999999999999999999", 0, .tooFine),
    ] as [(String, Int, ExactNumber)])
  func numbersAreExact(text: String, decimals: Int, expected: ExactNumber) {
    #expect(ExactNumber(text, decimals: decimals) == expected)
  }

  @Test func handWrittenTextIsRead() throws {
    let scenario = try Scenario(
      reading: """
        \u{FEFF}/* by hand */ { 'format': "understudy/1", // the version
          note: 'it\\'s \\
        one line \\u{7D}'.length,
        }
        """.replacingOccurrences(of: "\\u{7D}'.length", with: "\\x41\\uD83E\\uDEC0\\0'"))
    #expect(scenario.note == "it's one line A🫀\0")
  }

  @Test func attributesOutOfOrderAreSorted() throws {
    let scenario = try Scenario(
      reading: "{ format: 'understudy/1', database: [ { handle: 2, unknown: true }, { handle: 0x01, descriptor: '2902' } ] }")
    #expect(scenario.database.map(\.handle.rawValue) == [1, 2])
  }

  @Test func filesAreWrittenAndRead() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("scenario-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("sample.json5").path
    try Scenario().write(to: file)
    try sample.write(to: file)
    #expect(try Scenario.read(file: file) == sample)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["sample.json5"])

    let missing = folder.appendingPathComponent("missing/sample.json5").path
    let read = #expect(throws: ScenarioError.self) { try Scenario.read(file: missing) }
    #expect(read?.description == "\(missing): cannot be read: there is no such file or folder; check the name and its permissions")
    let write = #expect(throws: ScenarioError.self) { try sample.write(to: missing) }
    #expect(
      write?.description
        == "\(missing): cannot be written: there is no such file or folder; check the folder, its permissions and its space")
    let directory = #expect(throws: ScenarioError.self) { try Scenario.read(file: folder.path) }
    #expect(directory?.description == "\(folder.path): cannot be read: it is a folder; name a scenario file")
  }
}
