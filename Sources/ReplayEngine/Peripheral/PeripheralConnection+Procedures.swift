import ReplayScenarios

/// Pairing, encryption, parameters and channels: what goes over a link besides attribute traffic.
extension PeripheralConnection {
  /// The central does something. What it asks for comes out as recorded; what was not recorded is agreed to, but no channel is opened.
  func perform(_ procedure: LinkProcedure, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    guard isResponsive else { return }
    moment = now
    if secures(procedure), meet(faults.phase(.encrypting, of: report.peripheral), &outputs) { return }
    note(procedure)
    let entry = tape.consume(procedure, in: session)
    compare(procedure, entry, at: now)
    guard let entry else {
      guard procedure.isAsked else { return }
      var outcome = LinkProcedure.Outcome.success
      if case .openChannel = procedure { outcome = .failure(Self.unsupportedPSM) }
      schedule.add(.settle(procedure, disturbed(procedure, &outputs) ?? outcome, entry: nil), at: now, rank: .max)
      return
    }
    if meet(faults.entry(session.index, entry, of: report.peripheral, before: true), &outputs) { return }
    requested(entry, at: now)
    follow(procedure, entry, at: now, &outputs)
  }

  /// Holds what an app does with its channels against the tape: other bytes than recorded, or what was not recorded at all.
  private func compare(_ procedure: LinkProcedure, _ entry: Int?, at now: AirInstant) {
    let got: [UInt8]
    let answer: String
    switch procedure {
    case .openChannel(let opening) where opening.isOfAnApp && entry == nil: (got, answer) = ([], "refused")
    case .channelData(let channel, let bytes):
      if let entry, case .link(.channelData(_, let expected)) = session.entries[entry].action {
        guard expected != bytes else { return }
        return report.add(
          SessionReport.Substitution(time: now, entry: entry, attribute: "channel \(channel)", expected: expected, got: bytes))
      }
      (got, answer) = (bytes, "passed over")
    default: return
    }
    let miss = SessionReport.NearMiss(
      time: now, request: procedure.words, got: got, expectedEntry: nil, expected: nil, expectedBytes: [], position: tape.consumed,
      count: session.counted.count, answer: answer, fails: policy == .fail)
    report.addNearMiss(miss)
  }

  /// LE_CREDIT_BASED_CONNECTION_RSP: refused, SPSM not supported (Core 5.4, Vol 3, Part A, 4.23).
  private static let unsupportedPSM: UInt16 = 0x0002

  /// The entry of the central's that stands on the tape has begun.
  func follow(_ procedure: LinkProcedure, _ index: Int, at now: AirInstant, _ outputs: inout [Output]) {
    let entry = session.entries[index]
    guard procedure.isAsked else {
      if case .closeChannel(let channel) = procedure { removeBearer(channel) }
      complete(index, at: now)
      return schedule.add(.pass(index), at: now, rank: index)
    }
    guard let outcome = disturbed(procedure, &outputs) ?? Self.outcome(entry.answer) else {
      return schedule.add(.pass(index), at: now, rank: index)
    }
    // An app asks for a channel without knowing what the peripheral takes on it.
    var settled = procedure
    if !centralPerforms, case .link(let recorded) = entry.action { settled = recorded }
    schedule.add(.settle(settled, outcome, entry: index), at: now.advanced(by: entry.latency ?? .zero), rank: index)
  }

  private func secures(_ procedure: LinkProcedure) -> Bool {
    switch procedure {
    case .pair, .encrypt: true
    default: false
    }
  }

  /// The number of the channel that a central opens next for a protocol: the next that was recorded for it, else one that none has.
  func nextChannel(psm: UInt16) -> Int {
    let recorded = session.openings.lazy.compactMap { index -> L2CAPChannelOpening? in
      guard !self.tape.used[index], case .link(.openChannel(let opening)) = self.session.entries[index].action else { return nil }
      return opening.psm == psm ? opening : nil
    }.first
    if let recorded { return recorded.channel }
    furtherChannels += 1
    return max(0, session.channels.max() ?? 0) &+ furtherChannels
  }

  /// Keeps what other parameters mean for a peripheral that falls silent.
  private func note(_ procedure: LinkProcedure) {
    if case .updateParameters(let parameters) = procedure { updatedSupervisionTimeout = .milliseconds(Int(parameters.timeout) * 10) }
  }

  /// How an encryption comes out that a fault disturbs, or that a peripheral without its bond is asked for; `nil` for any other.
  private func disturbed(_ procedure: LinkProcedure, _ outputs: inout [Output]) -> LinkProcedure.Outcome? {
    guard case .encrypt(let key) = procedure else { return nil }
    if let due = takeWaiting(.encryption), case .failEncryption(let status) = due.action {
      outputs.append(.fired(due))
      return .failure(UInt16(status.rawValue))
    }
    return bond.isForgotten && key == .bonded ? .failure(UInt16(HCIErrorCode.pinOrKeyMissing.rawValue)) : nil
  }

  /// What an answer says; `nil` where there was none.
  static func outcome(_ answer: TimelineEntry.Answer?) -> LinkProcedure.Outcome? {
    switch answer {
    case .ok: .success
    case .refused(let code): .failure(code)
    default: nil
    }
  }

  /// Something that was asked for is settled.
  func finish(
    _ procedure: LinkProcedure, _ outcome: LinkProcedure.Outcome, _ entry: Int?, at now: AirInstant, faults: inout FaultSet,
    outputs: inout [Output]
  ) {
    let asker = entry.map { session.entries[$0].origin } ?? .central
    if asker == .central, outcome == .success { opened(procedure) }
    outputs.append(.settled(procedure, outcome, by: asker == .central ? .peripheral : .central))
    if asker == .central, !centralPerforms, case .encrypt = procedure, case .failure(let status) = outcome,
      entry.flatMap({ Self.outcome(session.entries[$0].answer) }) != outcome
    {
      // The host of a central whose stack is played gives the link up, as phones do.
      report.isExcused = true
      outputs.append(.end(HCIErrorCode(rawValue: UInt8(truncatingIfNeeded: status))))
      return close()
    }
    if case .pair = procedure {
      pairing = .none
      if outcome == .success { (bond.isForgotten, bond.isForgottenByCentral) = (false, false) }
    }
    guard let entry else { return }
    complete(entry, at: now)
    played(entry, &faults, &outputs)
  }

  /// A central that opens no channel has no bearer but the fixed one.
  private func opened(_ procedure: LinkProcedure) {
    if centralPerforms, case .openChannel(let opening) = procedure, opening.psm == L2CAPChannelOpening.enhancedATT { addBearer(opening) }
  }

  /// Begins an entry of the peripheral's own, or of the central's stack where that is played for it.
  func begin(_ procedure: LinkProcedure, _ index: Int, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    let entry = session.entries[index]
    if bond.isForgottenByCentral, entry.origin == .central, procedure == .encrypt(.bonded) { return complete(index, at: now) }
    if asksBeforePairing, entry.origin == .central, case .pair = procedure { return ask(procedure, index, &outputs) }
    outputs.append(.procedure(procedure, by: entry.origin))
    if secures(procedure), meet(faults.phase(.encrypting, of: report.peripheral), &outputs) { return }
    note(procedure)
    requested(index, at: now)
    if entry.origin == .peripheral, centralPerforms, procedure.isAsked, Self.outcome(entry.answer) != nil {
      ownProcedures.append(index)
    } else {
      follow(procedure, index, at: now, &outputs)
    }
  }

  /// The central tells how what the peripheral asked for came out.
  func settle(
    _ procedure: LinkProcedure, _ outcome: LinkProcedure.Outcome, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]
  ) {
    guard let place = ownProcedures.firstIndex(where: { session.entries[$0].action == .link(procedure) }) else { return }
    let entry = ownProcedures.remove(at: place)
    if outcome == .success { opened(procedure) }
    complete(entry, at: now)
    played(entry, &faults, &outputs)
  }
}
