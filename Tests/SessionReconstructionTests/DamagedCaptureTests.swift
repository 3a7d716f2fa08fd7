import Foundation
import SessionReconstruction
import TestSupport
import Testing

struct DamagedCaptureTests {
  /// Counts, and keeps nothing.
  private final class Counter: ATTObserver {
    var bytes = 0
    func observe(_ event: ATTEvent, pdu: RawSpan) { bytes += pdu.byteCount }
  }

  /// Reads damaged bytes; whatever they hold, what comes out is no more than what went in.
  private func read(_ bytes: [UInt8], _ how: String) {
    let counter = Counter()
    guard let capture = try? Reconstruction(bytes: bytes, file: "damaged", observer: counter) else { return }
    #expect(counter.bytes <= bytes.count, "\(how)")
    #expect(capture.records <= bytes.count / 24, "\(how)")
    #expect(capture.links.count <= capture.records, "\(how)")
    #expect(capture.findings.count <= Finding.Code.allCases.count * (FindingLog.limit + 1), "\(how)")
  }

  @Test(arguments: Repository.captures)
  func randomCuts(file: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: file))
    let seed: UInt64 = 0xC075
    var random = SeededGenerator(seed: seed)
    for round in 0..<1000 {
      let count = Int.random(in: 0...bytes.count, using: &random)
      read(Array(bytes.prefix(count)), "\(file.lastPathComponent), seed \(seed), round \(round): \(count) bytes")
    }
  }

  @Test(arguments: Repository.captures)
  func randomFlips(file: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: file))
    let seed: UInt64 = 0xF11B
    var random = SeededGenerator(seed: seed)
    for round in 0..<1000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      read(damaged, "\(file.lastPathComponent), seed \(seed), round \(round)")
    }
  }
}
