import CaptureFiles
import Foundation
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// Redacts captures in memory, and looks for what should be gone.
enum Redacting {
  static func redacted(
    _ bytes: [UInt8], _ format: CaptureOutputFormat, handles: Set<AttributeHandle> = [], types: Set<BluetoothUUID> = []
  ) throws -> (bytes: [UInt8], leftOut: Int) {
    var redaction = try CaptureRedaction(handles: handles, types: types) { try CaptureReader(bytes: bytes, file: "capture") }
    var reader = try CaptureReader(bytes: bytes, file: "capture")
    var writer = format.writer(for: reader.format)
    var leftOut = 0
    try reader.forEachRecord { record in if !redaction.redact(record, { _ = writer.append($0) }) { leftOut += 1 } }
    writer.finish()
    return (writer.takeBytes(), leftOut)
  }

  static func holds(_ secret: [UInt8], _ bytes: Data) -> Bool { Haystack(bytes).holds(secret) }

  /// Each scenario of a capture passes its own replay; tells the number of ATT PDUs.
  @discardableResult
  static func plays(_ bytes: [UInt8]) throws -> Int {
    let recording = try CaptureRecording(bytes: bytes, file: "redacted")
    let extractor = ScenarioExtractor(recording)
    for subject in extractor.subjects {
      let scenario = extractor.scenario(of: subject)
      let replay = ScenarioReplay(scenario)
      #expect(replay.differences == [])
      #expect(CaptureComparison(replay.trafficBySession, of: scenario, with: recording).differences == [])
    }
    return recording.reconstruction.links.reduce(0) { $0 + $1.attPDUs }
  }
}

/// A file in which many secrets are looked for.
struct Haystack {
  private let bytes: Data
  /// All that four bytes in a row say: what begins otherwise is not there, and that is told at once.
  private var beginnings: Set<UInt32> = []

  init(_ bytes: Data) {
    self.bytes = bytes
    var last: UInt32 = 0
    for byte in bytes {
      last = last << 8 | UInt32(byte)
      beginnings.insert(last)
    }
  }

  /// Whether bytes stand somewhere, in either order, or as hexadecimal text.
  func holds(_ secret: [UInt8]) -> Bool {
    let text = Hexadecimal.encode(secret)
    let spaced = secret.map { Hexadecimal.encode([$0]) }.joined(separator: ":")
    let forms = [secret, secret.reversed()] + [text, text.uppercased(), spaced, spaced.uppercased()].map { Array($0.utf8) }
    return forms.contains { form in
      (form.count < 4 || beginnings.contains(form.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })) && bytes.firstRange(of: Data(form)) != nil
    }
  }
}
