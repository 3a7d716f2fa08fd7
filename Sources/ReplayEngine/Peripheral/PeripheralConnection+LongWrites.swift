import GATTStack
import ReplayScenarios

/// Long writes: parts that are prepared, and what executing them makes of them.
extension PeripheralConnection {
  func prepare(
    _ handle: AttributeHandle, _ offset: Int, _ part: [UInt8], _ bytes: [UInt8], at now: AirInstant, faults: inout FaultSet,
    outputs: inout [Output]
  ) {
    if passed == .none { partsPrepared = offset == 0 ? 1 : partsPrepared &+ 1 }
    if stopsUse(.preparedWrite, handle, part: partsPrepared, &faults, &outputs) { return }
    let about = Answered(use: .preparedWrite, handle: handle, part: partsPrepared)
    if let recorded = tape.nextPDU(bytes, mtu: server.mtu, in: session) {
      // A part that was refused is not in the queue (Part F, 3.4.6.1).
      if passed < .entry, !isRefusal(session.entries[recorded].answer) { server.queue(handle, offset: offset, part: part) }
      answerRecorded(bytes, else: nil, about: about, at: now, faults: &faults, outputs: &outputs)
      return
    }
    guard server.database[handle] != nil || session.writes[handle] != nil else {
      respond(.errorResponse(request: .prepareWriteRequest, handle: handle, error: .invalidHandle), after: nil, at: now)
      return
    }
    // The echo would be longer than the MTU allows.
    guard part.count <= server.mtu - 5 else {
      respond(.errorResponse(request: .prepareWriteRequest, handle: handle, error: .invalidPDU), after: nil, at: now, about: about)
      return
    }
    server.queue(handle, offset: offset, part: part)
    var (sum, latency) = (0, Duration?.none)
    if let entry = tape.next(session, handle, command: false) {
      for recorded in session.entries[entry].parts {
        if sum == offset { latency = recorded.latency }
        sum &+= recorded.count ?? 0
      }
    }
    respond(
      .prepareWriteResponse(handle: handle, offset: UInt16(clamping: offset), part: part), after: latency, at: now, about: about)
  }

  private func isRefusal(_ answer: TimelineEntry.Answer?) -> Bool {
    switch answer {
    case .error: true
    case .pdu(let bytes): bytes.first == ATTOpcode.errorResponse.rawValue
    default: false
    }
  }

  /// Writes parts over what the database has, in their order; the first that does not fit is the answer (Part F, 3.4.6.3).
  func apply(_ values: [GATTServer.PreparedValue], at now: AirInstant) -> ATTPDU {
    for part in values {
      var value = server.database[part.handle]?.value ?? []
      guard part.offset <= value.count else {
        return .errorResponse(request: .executeWriteRequest, handle: part.handle, error: .invalidOffset)
      }
      guard part.offset + part.value.count <= AttributeDatabase.longestValue else {
        return .errorResponse(request: .executeWriteRequest, handle: part.handle, error: .invalidAttributeValueLength)
      }
      value.replaceSubrange(part.offset..<min(value.count, part.offset + part.value.count), with: part.value)
      accepted(part.handle, value, at: now)
    }
    return .executeWriteResponse
  }

  /// Whether the next write on the tape is none that was put together, but the same Execute Write Request stands there by itself.
  func isRecordedAlone(_ bytes: [UInt8], insteadOf handle: AttributeHandle) -> Bool {
    guard isRecorded(bytes) else { return false }
    return tape.next(session, handle, command: false).map { session.entries[$0].parts.isEmpty } ?? true
  }
}
