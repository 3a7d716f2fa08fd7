import CaptureFiles
import Foundation
import ReplayScenarios
import ScenarioExtraction
import SessionReconstruction
import TestSupport
import Testing

/// One conversation gives one listing and one scenario, whatever container it comes in.
struct ContainerTests {
  /// A line of the listing of attribute PDUs.
  struct Line: Equatable {
    var frame: Int
    var time: CaptureTime
    var link: Int
    var connection: LinkConnection
    var sender: LinkRole
    var attribute: AttributeHandle?
    var pdu: [UInt8]
  }

  final class Collector: ATTObserver {
    var lines: [Line] = []
    func observe(_ event: ATTEvent, pdu: RawSpan) {
      lines.append(
        Line(
          frame: event.frame, time: event.recordedTime, link: event.link, connection: event.connection, sender: event.sender,
          attribute: event.attribute, pdu: pdu.array))
    }
  }

  static func lines(_ bytes: [UInt8], keepsNumbers: Bool) throws -> [Line] {
    let collector = Collector()
    _ = try Reconstruction(bytes: bytes, file: "test", observer: collector)
    return keepsNumbers
      ? collector.lines
      : collector.lines.map { line in
        var line = line
        line.frame = 0
        return line
      }
  }

  static func documents(_ bytes: [UInt8], file: String) throws -> [[UInt8]] {
    let extractor = ScenarioExtractor(try CaptureRecording(bytes: bytes, file: file))
    return extractor.subjects.map { extractor.scenario(of: $0).document() }
  }

  @Test func everyContainerIsThere() {
    #expect(Container.samples.count == 51)
    #expect(Set(Container.samples.map(\.name)).count == 51)
  }

  @Test(arguments: Repository.captureNames)
  func everyContainerGivesTheSame(name: String) throws {
    let original = [UInt8](try Data(contentsOf: URL(filePath: Repository.capture(name))))
    let packets = try Container.packets(of: Repository.capture(name))
    let file = "\(name).btsnoop"
    let documents = try Self.documents(original, file: file)
    #expect(!documents.isEmpty)
    for sample in Container.samples {
      let bytes = sample.make(packets)
      let lines = try Self.lines(original, keepsNumbers: sample.keepsNumbers)
      #expect(try Self.lines(bytes, keepsNumbers: sample.keepsNumbers) == lines, "\(sample.name)")
      #expect(try Self.documents(bytes, file: file) == documents, "\(sample.name)")
    }
  }

  /// What a conversion writes gives the same as what it read.
  @Test(arguments: Repository.captureNames, CaptureOutputFormat.allCases)
  func conversionsGiveTheSame(name: String, format: CaptureOutputFormat) throws {
    let original = [UInt8](try Data(contentsOf: URL(filePath: Repository.capture(name))))
    let packets = try Container.packets(of: Repository.capture(name))
    let (lines, documents) = (try Self.lines(original, keepsNumbers: true), try Self.documents(original, file: "a"))
    for sample in Container.samples where sample.keepsNumbers {
      var reader = try CaptureReader(bytes: sample.make(packets), file: "a")
      var writer = format.writer(for: reader.format)
      try reader.forEachRecord { #expect(writer.append($0) == nil) }
      writer.finish()
      let written = writer.takeBytes()
      #expect(try Self.lines(written, keepsNumbers: true) == lines, "\(sample.name)")
      #expect(try Self.documents(written, file: "a") == documents, "\(sample.name)")
    }
  }
}
