import CaptureFiles
import Foundation
import ScenarioExtraction
import SessionReconstruction
import TestSupport
import Testing

/// A log in two files is the log.
struct SplitCaptureTests {
  /// The bytes of a capture that was cut before record `number` (from 1), each with the file header; `nil` for containers without records.
  static func split(_ bytes: [UInt8], _ offsets: [Int], before number: Int) -> [(file: String, bytes: [UInt8])] {
    let header = Array(bytes[..<(offsets.first ?? 0)])
    let place = number - 1 < offsets.count ? offsets[number - 1] : bytes.count
    return [("first", Array(bytes[..<place])), ("second", header + bytes[place...])]
  }

  static func offsets(of bytes: [UInt8]) throws -> [Int] {
    var reader = try CaptureReader(bytes: bytes, file: "whole")
    var offsets: [Int] = []
    try reader.forEachRecord { offsets.append($0.byteOffset) }
    return offsets
  }

  static func scenarios(_ recording: CaptureRecording) -> [[UInt8]] {
    let extractor = ScenarioExtractor(recording)
    return extractor.subjects.map { subject in
      var scenario = extractor.scenario(of: subject)
      scenario.origin?.file = "capture"
      return scenario.document()
    }
  }

  static func check(_ bytes: [UInt8], numbers: (Int) -> [Int]) throws {
    let offsets = try offsets(of: bytes)
    let whole = scenarios(try CaptureRecording(bytes: bytes, file: "whole"))
    for number in numbers(offsets.count) {
      let parts = split(bytes, offsets, before: number)
      let joined = scenarios(try CaptureRecording(try CaptureReader(joining: parts)))
      #expect(joined == whole, "split before record \(number)")
      if joined != whole { return }
    }
  }

  @Test(arguments: Repository.captureNames)
  func splitAtAnyRecordAndJoinedItGivesTheSame(name: String) throws {
    let bytes = Array(try Data(contentsOf: URL(filePath: Repository.capture(name))))
    // The longest has thousands of equal notifications; a prime stride meets every kind of place.
    try Self.check(bytes) { count in count > 800 ? Array(stride(from: 1, through: count + 1, by: 7)) : Array(1...(count + 1)) }
  }

  @Test(.enabled(if: ForeignCaptures.folder != nil, "UNDERSTUDY_FOREIGN_CAPTURES is not set"), arguments: ForeignCaptures.files)
  func capturesOfOthersToo(file: String) throws {
    guard let recording = try? CaptureRecording(path: ForeignCaptures.path(file)), !recording.links.isEmpty else { return }
    switch recording.reconstruction.format {
    case .btsnoop, .pcap, .packetLogger: break
    case .pcapng: return
    }
    let bytes = Array(try Data(contentsOf: URL(filePath: ForeignCaptures.path(file))))
    var generator = SeededGenerator(seed: 21)
    try Self.check(bytes) { count in
      [1, 2, count, count + 1] + (0..<(count > 10_000 ? 3 : 24)).map { _ in Int.random(in: 1...count, using: &generator) }
    }
  }
}
