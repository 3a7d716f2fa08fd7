import GATTStack
import ReplayScenarios

/// Whole PDUs that stand on the tape, and what it has for an entry.
extension PeripheralConnection {
  /// The entry whose bytes these are, at this MTU; under `strict` only where its turn has come.
  private func recordedPDU(_ bytes: [UInt8]) -> (entry: Int, isRepeat: Bool)? {
    if let entry = takeAssigned() { return (entry, false) }
    if match == .strict, let next = tape.nextPDU(bytes, mtu: server.mtu, in: session), !session.isStack[next],
      tape.strictNext(in: session) != next
    {
      return nil
    }
    return tape.consume(pdu: bytes, mtu: server.mtu, in: session)
  }

  /// Whether a PDU stands on the tape, at this MTU, as a whole, was not consumed yet, and has its turn.
  func isDue(_ bytes: [UInt8]) -> Bool {
    if let assigned { return if case .pdu = session.entries[assigned].action { true } else { false } }
    guard let next = tape.freshPDU(bytes, mtu: server.mtu, in: session) else { return false }
    return match != .strict || session.isStack[next] || tape.strictNext(in: session) == next
  }

  /// Whether a PDU stands on the tape, at this MTU, as a whole.
  func isRecorded(_ bytes: [UInt8]) -> Bool { tape.nextPDU(bytes, mtu: server.mtu, in: session) != nil }

  /// Answers a PDU as recorded where the tape has the same bytes at this MTU, else with what was computed.
  func answerRecorded(
    _ bytes: [UInt8], else computed: ATTPDU?, about request: Answered? = nil, at now: AirInstant, faults: inout FaultSet,
    outputs: inout [Output]
  ) {
    guard let (entry, isRepeat) = recordedPDU(bytes) else {
      if let computed { respond(computed, after: nil, at: now, about: request) }
      return
    }
    if !isRepeat, stopsEntry(entry, &faults, &outputs) { return }
    if !isRepeat {
      tape.advanceStrict(past: entry, in: session)
      requested(entry, at: now)
    }
    answer(entry, to: ATTOpcode(rawValue: bytes[0]), handle: nil, at: now, isRepeat: isRepeat, about: request)
  }

  /// Sends what the tape has for an entry; `handle` goes into an Error Response.
  func answer(
    _ entry: Int, to request: ATTOpcode, handle: AttributeHandle?, at now: AirInstant, isRepeat: Bool = false,
    about answered: Answered? = nil
  ) {
    let recorded = session.entries[entry]
    let latency = recorded.parts.last?.latency ?? recorded.latency
    let completes = isRepeat ? nil : entry
    switch recorded.answer {
    case .ok:
      respond(
        request == .executeWriteRequest ? .executeWriteResponse : .writeResponse, after: latency, at: now, entry: completes, about: answered
      )
    case .error(let error):
      respond(
        .errorResponse(request: request, handle: handle ?? recorded.attribute ?? AttributeHandle(0), error: error), after: latency, at: now,
        entry: completes, about: answered)
    case .pdu(let bytes): respond(raw: bytes, after: latency, at: now, entry: completes, about: answered)
    case .value(let value): respond(.readResponse(value: value), after: latency, at: now, entry: completes, about: answered)
    case .mtu, .refused, .some(.none), nil:
      // What asks for no answer is complete when it arrives; what got none is never completed, but it is over.
      guard let completes else { return }
      if recorded.answer == nil { complete(completes, at: now) }
      schedule.add(.pass(completes), at: now, rank: completes)
    }
  }
}
