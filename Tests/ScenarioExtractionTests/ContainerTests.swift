import CaptureFiles
import Foundation
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// One conversation gives one scenario, whatever container it comes in.
struct ContainerTests {
  @Test(arguments: Repository.captureNames, PacketLoggerBuilder.Layout.allCases)
  func packetLoggerGivesTheSameScenario(name: String, layout: PacketLoggerBuilder.Layout) throws {
    var reader = try CaptureReader(path: Repository.capture(name))
    var builder = PacketLoggerBuilder(layout)
    try builder.copy(&reader)
    let file = "\(name).btsnoop"
    let expected = ScenarioExtractor(try CaptureRecording(path: Repository.capture(name)))
    let extractor = ScenarioExtractor(try CaptureRecording(bytes: builder.bytes, file: file))
    #expect(extractor.subjects == expected.subjects)
    for subject in extractor.subjects {
      #expect(extractor.scenario(of: subject).document() == expected.scenario(of: subject).document())
    }
  }
}
