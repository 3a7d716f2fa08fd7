import CaptureFiles
import Foundation
import ReplayScenarios
import ScenarioExtraction
import TestSupport

extension Seeds {
  private static func data(_ text: String) -> [UInt8] {
    let bytes = hex(text)
    return [UInt8(bytes.count)] + bytes
  }

  /// Requests of the host and their answers, as ``SessionScript`` wants them.
  private static func exchange(_ request: String, _ response: String, handle: UInt8 = 0) -> [UInt8] {
    [3, handle] + data(request) + [6, handle] + data(response)
  }

  private static let discovery =
    exchange("100100ffff0028", "1106 0100 0500 0018 0a00 1100 0d18") + exchange("101200ffff0028", "01 10 1200 0a")
    + exchange("080a0011000328", "0907 0b00 10 0c00 372a 0e00 02 0f00 382a") + exchange("080a0011000228", "0908 0b00 2000 2f00 0f18")
    + exchange("040d000d00", "0501 0d00 0229")

  static func sessions() -> [String: [UInt8]] {
    let mtu = exchange("02b900", "03f700")
    let use =
      exchange("120d000100", "13") + [6, 0] + data("1b 0c00 0648") + [6, 0] + data("1d 0c00 0650") + [3, 0] + data("1e")
      + exchange("0a0f00", "0b 48656c6c6f") + exchange("0c0f000500", "0d") + [3, 0] + data("52 0f00 01")
    let (connect, disconnect): ([UInt8], [UInt8]) = ([1, 0], [2, 0, 0x13])
    var sessions: [String: [UInt8]] = [
      "discovery": [0] + connect + mtu + discovery + disconnect, "use": [0] + connect + mtu + use + disconnect,
      "implicit": [0] + discovery + use, "monitor-of-two": [1] + connect + [0x11, 4] + use + use.map { $0 == 3 ? 0x13 : $0 } + disconnect,
      "queued-writes": [0] + connect + exchange("16 0f00 0000 0102", "17 0f00 0000 0102") + exchange("1801", "19"),
      "errors": [0] + connect + exchange("0a0f00", "01 0a 0f00 05") + exchange("0a0f00", "01 0a 0f00 0f")
        + exchange("20 0f001100", "21 01"),
      "peripheral": [0, 1, 0x08] + exchange("0a0f00", "0b 01").map { $0 == 3 ? 6 : $0 == 6 ? 3 : $0 } + disconnect,
      "replaced": [0] + connect + mtu + connect + use + [14, 3, 0x0C, 0] + connect + disconnect + disconnect,
    ]
    // Fragments, cut packets, other channels, encryption, an update and time that jumps.
    sessions["fragments"] =
      [0] + connect + [6, 0x80 | 5 << 2] + data("1b 0c00 0102030405060708090a") + [9, 0x24] + data("0a00 0400 0b01") + [9, 0x14]
      + data("02030405060708")
    sessions["cut"] =
      [0] + connect + [0x69, 0x24] + data("0500 0400 1b 0c00 0102") + [0x40, 0x0A] + data("40 20 0b00 0700 0400 1b 0c00 064801")
    sessions["others"] =
      [0] + connect + [11, 0x50] + data("12 01 08 00 0600 0c00 0000 c800") + [15, 0x08] + data("00 4000 01")
      + [15, 0x3E] + data("03 00 4000 1800 0000 4800") + [12, 30] + use + [12, 0x80 | 24] + use + [15, 0xFF] + data("0102")
    sessions["advertisers"] =
      [0, 15, 0x3E] + data("02 01 00 01 aabbccddeeff 03 020106 c5") + [15, 0x3E]
      + data("0d 01 1300 01 aabbccddeeff 01 00 ff 7f c5 0000 00 000000000000 03 020106") + connect + disconnect
    return sessions
  }

  static func scenarios() throws -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [
      "sample": Array(try Data(contentsOf: Repository.root.appending(path: "Tests/Golden/sample-scenario.json5")))
    ]
    for (name, session) in sessions() where ["discovery", "use", "errors", "queued-writes", "fragments"].contains(name) {
      let extractor = ScenarioExtractor(try CaptureRecording(bytes: SessionScript.capture(session), file: name))
      guard let subject = extractor.subjects.first else { continue }
      seeds["extracted-\(name)"] = extractor.scenario(of: subject).document()
    }
    seeds["empty"] = Scenario().document()
    seeds["by-hand"] = Array(
      """
      \u{FEFF}/* by hand */ { 'format': "understudy/1", // the version
        note: 'it\\'s \\
      one \\x41\\uD83E\\uDEC0\\0', database: [ { handle: 0x02, unknown: true, }, { handle: +1, descriptor: '2902', value: '', } ],
      }
      """.utf8)
    return seeds
  }
}
