import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

@Suite(.enabled(if: ForeignCaptures.folder != nil, "UNDERSTUDY_FOREIGN_CAPTURES is not set"))
struct ForeignCapturesTests {
  /// Links with ATT in each capture.
  static let linksWithATT = [
    "FrankHJCuypers__fuut__btsnoop_hci_20141017_1.log": 1, "cnrd__yeelock__btsnoop_hci.log": 2, "danisla__iot-bed__btsnoop_hci.log": 1,
    "durnerj__PoGo-Plus-BLE__bt_log_plus_pair_2017_12_13.log": 3, "jaypikay__mc3000__btsnoop_hci.log": 1,
    "phlash__blefun__btsnoop_hci.log": 12,
  ]

  /// An attack in which the central asks on while its requests wait, and the peripheral answers them late and in bulk: what is
  /// answered to which of equal requests is not told by the recording, and the replay gives the answers in another order.
  static let attacks = [
    "Matheus-Garbelini__sweyntooth_bluetooth_low_energy_attacks__capture_nxp_llid_deadlock_attack_capture.pcap"
  ]

  @Test(arguments: ForeignCaptures.files.filter { !attacks.contains($0) })
  func replayGivesTheRecordingBack(file: String) throws {
    // What is refused, and why, is asserted where captures are read.
    guard let recording = try? CaptureRecording(path: ForeignCaptures.path(file)) else { return }
    if ForeignCaptures.btsnoopFiles.contains(file) {
      #expect(recording.links.values.count { !$0.pdus.isEmpty } == Self.linksWithATT[file] ?? 0)
    }
    let extractor = ScenarioExtractor(recording)
    var compared = 0
    for subject in extractor.subjects {
      let scenario = extractor.scenario(of: subject)
      let replay = ScenarioReplay(scenario)
      #expect(replay.differences.prefix(5) == [])
      #expect(replay.log.text == ScenarioReplay(scenario).log.text)
      let comparison = CaptureComparison(replay.trafficBySession, of: scenario, with: recording)
      #expect(comparison.differences.prefix(5) == [])
      compared += comparison.pdus
    }
    #expect(compared == recording.reconstruction.links.reduce(0) { $0 + $1.attPDUs })
    #expect(scenariosAreValid(extractor))
  }

  /// Devices whose answers follow random requests are found, and no others.
  @Test func answersToRandomRequestsAreFound() throws {
    let found = try Self.linksWithATT.keys.sorted().flatMap { file -> [String] in
      let extractor = ScenarioExtractor(try CaptureRecording(path: ForeignCaptures.path(file)))
      return extractor.subjects.flatMap { subject -> [String] in
        let outline = extractor.outline(of: subject)
        #expect(outline.problems == outline.scenario.problems().filter { $0.code == .notReplayable })
        return outline.problems.map { "\(file.prefix(6)) \($0.place) \($0.message.prefix(42))" }
      }
    }
    #expect(
      found == [
        "cnrd__ session 1, entry 18 not-replayable: what is written to 0x0010 ",
        "durner session 2, entry 40 not-replayable: what is written to 0x0022 ",
      ])
  }

  private func scenariosAreValid(_ extractor: ScenarioExtractor) -> Bool {
    extractor.subjects.allSatisfy { subject in
      let text = extractor.scenario(of: subject).document()
      return ((try? ScenarioDocument(reading: text, file: "a"))?.problems().allSatisfy { $0.severity != .error }) ?? false
    }
  }

  /// Entries of the large capture are sampled: one changed session of it takes as long as a whole other capture.
  @Test(arguments: linksWithATT.keys.sorted())
  func changingAByteIsFound(file: String) throws {
    let recording = try CaptureRecording(path: ForeignCaptures.path(file))
    let extractor = ScenarioExtractor(recording)
    let isLarge = recording.reconstruction.records > 10_000
    for subject in extractor.subjects {
      let scenario = extractor.scenario(of: subject)
      try Mutation.everyEntry(of: scenario, recording, seed: 3, limit: isLarge ? 60 : .max)
      try Mutation.answers(of: scenario, recording, seed: 4, count: isLarge ? 100 : 1000)
    }
  }
}
