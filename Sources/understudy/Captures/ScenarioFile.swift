import CaptureFiles
import ReplayScenarios
import ScenarioExtraction
import SessionReconstruction

/// Operands that may be a scenario or a capture.
enum ScenarioFile {
  /// Whether a path names a scenario; a capture is anything else.
  static func isOne(_ path: String) -> Bool { path.hasSuffix(".json5") || path.hasSuffix(".json") }

  /// The scenario of a capture's peripheral: the one with the device's address, or its only one.
  static func scenario(inCapture path: String, of device: Device, _ options: CaptureOptions) throws -> Scenario {
    let recording = try CaptureRecording(path: path, options: options)
    if let emptiness = recording.reconstruction.emptiness { throw emptiness }
    let extractor = ScenarioExtractor(recording)
    let subjects = extractor.subjects
    guard let subject = subjects.first(where: { $0.address?.value == device.address?.value }) ?? (subjects.count == 1 ? subjects[0] : nil)
    else {
      let known = subjects.map { $0.address?.description ?? "unknown" }.joined(separator: ", ")
      throw UsageError(
        description:
          "\(path): has no peripheral \(device.address?.description ?? "without an address") (\(known.isEmpty ? "none" : known)); "
          + "extract the one that is meant first")
    }
    return extractor.scenario(of: subject)
  }
}
