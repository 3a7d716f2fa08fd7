import ReplayScenarios
import ScenarioExtraction

extension Promises {
  /// Reads the text of a scenario and, where it is one, looks for its problems and writes it anew.
  mutating func hold(forScenario text: [UInt8]) {
    do {
      let document = try ScenarioDocument(reading: text, file: "fuzz")
      _ = document.problems()
      hold(forWriting: document.scenario)
    } catch {
      hold(!"\(error)".isEmpty, "an error says nothing")
    }
  }

  /// Makes a scenario of each peripheral in a capture.
  mutating func hold(forExtractionFrom capture: [UInt8]) {
    guard let recording = try? CaptureRecording(bytes: capture, file: "fuzz") else { return }
    let extractor = ScenarioExtractor(recording)
    for subject in extractor.subjects { hold(forWriting: extractor.scenario(of: subject)) }
  }

  private mutating func hold(forWriting scenario: Scenario) {
    _ = scenario.problems()
    _ = scenario.playable
    let text = scenario.document()
    do {
      let again = try Scenario(reading: text)
      hold(again == scenario, "a scenario is another when it is read again: \(String(decoding: text, as: UTF8.self))")
      hold(again.document() == text, "a scenario is written in another way the second time")
    } catch {
      hold(false, "a written scenario is refused: \(error)")
    }
  }
}
