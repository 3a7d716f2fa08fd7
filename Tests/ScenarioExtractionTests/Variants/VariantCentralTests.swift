@testable import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// Scenarios outlive the app that they were recorded with: other centrals get all that they can get, and the verdict tells what differed.
struct VariantCentralTests {
  enum Variant: String, CaseIterable, Sendable {
    case same, tenTimesSlower, retriesReads, leavesAWriteOut, subscribesToMore, otherNonces, otherMTU, discoversBackwards

    var habits: VariantHabits {
      switch self {
      case .same: VariantHabits()
      case .tenTimesSlower: VariantHabits(slowness: 10)
      case .retriesReads: VariantHabits(retriesReads: true)
      case .leavesAWriteOut: VariantHabits(leavesOut: 2)
      case .subscribesToMore: VariantHabits(subscribesToAll: true)
      case .otherNonces: VariantHabits(nonces: 9)
      case .otherMTU: VariantHabits(mtu: 185)
      case .discoversBackwards: VariantHabits(discoversBackwards: true)
      }
    }
  }

  @Test(arguments: Repository.captureNames, Variant.allCases)
  func ownScenariosSurvive(name: String, variant: Variant) throws {
    try survives(Repository.capture(name), variant)
  }

  @Test(
    .enabled(if: ForeignCaptures.folder != nil, "UNDERSTUDY_FOREIGN_CAPTURES is not set"),
    arguments: [
      "cnrd__yeelock__btsnoop_hci.log", "durnerj__PoGo-Plus-BLE__bt_log_plus_pair_2017_12_13.log", "phlash__blefun__btsnoop_hci.log",
      "jaypikay__mc3000__btsnoop_hci.log", "AleBonora3__Tesi_BLE__fascia_cardio.pcapng", "BeanCounterTop__ble-pcap-analyzer__fitup.pcap",
    ], Variant.allCases)
  func foreignScenariosSurvive(file: String, variant: Variant) throws { try survives(ForeignCaptures.path(file), variant) }

  private func survives(_ path: String, _ variant: Variant) throws {
    let extractor = ScenarioExtractor(try CaptureRecording(path: path))
    for subject in extractor.subjects { try survives(extractor.scenario(of: subject), variant) }
  }

  private func survives(_ scenario: Scenario, _ variant: Variant) throws {
    let air = AirCore([scenario])
    let central = VariantCentral(scenario, variant.habits)
    central.start(in: air)
    var events = 0
    while events < 1_000_000, air.step() { events += 1 }
    #expect(central.isFinished && events < 1_000_000, "it does not come to an end")
    #expect(central.errors == [])
    #expect(central.unanswered == 0, "an answer did not come")
    if variant != .leavesAWriteOut { #expect((central.gaveUp, central.overdue) == (0, 0), "a value, or the end of a link, did not come") }
    let verdict = Verdict(air, seed: 0)
    #expect(verdict.passed)
    #expect(verdict.sessions.count == scenario.sessions.count { $0.failed == nil })
    for report in verdict.sessions { check(report, scenario, central, variant) }
    checkNotes(verdict, scenario, variant)
  }

  private func check(_ report: SessionReport, _ scenario: Scenario, _ central: VariantCentral, _ variant: Variant) {
    let session = scenario.sessions[report.session]
    let own = session.entries.indices.filter { session.entries[$0].origin == .peripheral }
    #expect(report.nearMisses.isEmpty && report.furtherNearMisses == 0 && report.notSendable.isEmpty)
    // All that can come comes: what waits, at the end, for nothing that the central did not do.
    let roots = AnchorRoots(session)
    let unused = Set(report.unused.map(\.entry))
    #expect(report.begun >= own.count { roots.root(of: $0).map { !unused.contains($0) } ?? true })
    let database = scenario.database(of: session)
    let configurations = database.configurations
    let written = session.entries.indices.filter {
      VariantStep.isWrite(session.entries[$0]) && configurations[session.entries[$0].attribute ?? AttributeHandle(0)] == nil
    }
    switch variant {
    case .leavesAWriteOut: #expect(report.unused.isEmpty == (written.count < 2))
    case .tenTimesSlower where session.entries.contains { $0.anchor?.cause == .idle }: break
    default: #expect(report.unused.isEmpty)
    }
    let long = written.filter { session.entries[$0].writtenValue.map { $0.count > 4 } ?? false }
    let substitutions = report.substitutions.count + report.furtherSubstitutions
    // A mask may let a changed byte pass.
    let masked = variant == .otherNonces ? long.count { session.entries[$0].matcher != .exact } : 0
    #expect(substitutions >= (variant == .otherNonces ? long.count - masked : 0))
    #expect(substitutions <= (variant == .otherNonces ? long.count : 0))
    if variant == .discoversBackwards {
      let all = database.flatMap { attribute -> [UInt16] in
        switch attribute.kind {
        case .characteristic(_, _, let value): [attribute.handle.rawValue, value.rawValue]
        case .unknown: []
        default: [attribute.handle.rawValue]
        }
      }
      #expect(central.found[report.session] == Set(all))
    }
  }

  /// The verdict says what was otherwise, and nothing where nothing that counts was.
  private func checkNotes(_ verdict: Verdict, _ scenario: Scenario, _ variant: Variant) {
    let text = verdict.notes.joined(separator: "\n")
    switch variant {
    case .leavesAWriteOut: #expect(text.contains("recorded requests were not made") == verdict.sessions.contains { !$0.unused.isEmpty })
    case .otherNonces: #expect(text.contains("was written with another value") == verdict.sessions.contains { !$0.substitutions.isEmpty })
    case .tenTimesSlower where scenario.sessions.contains { $0.entries.contains { $0.anchor?.cause == .idle } }:
      #expect(text.contains("recorded requests were not made") == verdict.sessions.contains { !$0.unused.isEmpty })
    default: #expect(verdict.notes == [])
    }
  }
}
