import GATTStack
import ReplayScenarios

/// What the peripheral begins by itself, and the answers that it waits for.
extension PeripheralConnection {
  func begin(_ index: Int, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    let entry = session.entries[index]
    if !isSendable(entry.action) {
      // It did not happen, so no fault waits for it; what follows it goes on.
      tape.use(index, in: session)
      report.addNotSendable(index)
      complete(index, at: now)
      return
    }
    select(bearer(of: entry))
    if case .indicate = entry.action, isUnconfirmed {
      heldIndications.append(index)
      return
    }
    if holdsBack(faults.entry(session.index, index, of: report.peripheral, before: true), &outputs) { return }
    tape.use(index, in: session)
    if let number = entry.database { hold(number, from: index) }
    switch entry.action {
    case .notify(let handle, let value):
      tell(
        index, handle, value, .handleValueNotification(handle: handle, value: limited(value)), at: now, faults: &faults, outputs: &outputs)
    case .indicate(let handle, let value):
      tell(index, handle, value, .handleValueIndication(handle: handle, value: limited(value)), at: now, faults: &faults, outputs: &outputs)
    case .disconnect(let reason):
      outputs.append(.end(reason))
      close()
    case .link(let procedure): begin(procedure, index, at: now, faults: &faults, outputs: &outputs)
    case .vanish:
      fallSilent(for: entry.latency ?? supervisionTimeout ?? .zero)
    case .exchangeMTU(let mtu): ask(.exchangeMTURequest(clientMTU: mtu), index, at: now, outputs: &outputs)
    case .read(let handle): ask(.readRequest(handle: handle), index, at: now, outputs: &outputs)
    case .readBlob(let handle, let offset): ask(.readBlobRequest(handle: handle, offset: offset), index, at: now, outputs: &outputs)
    case .write(let handle, let value): ask(.writeRequest(handle: handle, value: value), index, at: now, outputs: &outputs)
    case .writeCommand(let handle, let value):
      send(ATTPDU.writeCommand(handle: handle, value: value).bytes, &outputs)
      complete(index, at: now)
    case .pdu(let bytes):
      send(bytes, &outputs)
      if bytes.first.map({ ATTOpcode(rawValue: $0).role }) == .request, entry.answer != nil {
        ownRequests[bearer] = index
        awaitAnswer(isIndication: false, recorded: entry.latency)
        requested(index, at: now)
      } else {
        complete(index, at: now)
      }
    }
    if !hasEnded, entry.answer == nil || entry.answer == TimelineEntry.Answer.none {
      played(index, &faults, &outputs)
    }
  }

  /// A value never has more bytes than the MTU in force can carry.
  func limited(_ value: [UInt8]) -> [UInt8] { Array(value.prefix(server.mtu - 3)) }

  private func tell(
    _ index: Int, _ handle: AttributeHandle, _ value: [UInt8], _ pdu: ATTPDU, at now: AirInstant, faults: inout FaultSet,
    outputs: inout [Output]
  ) {
    let isIndication = pdu.opcode == .handleValueIndication
    if holdsBackValue(isIndication ? .indication : .notification, handle, &faults, &outputs) { return }
    streaming = handle
    server.database.setValue(value, at: handle)
    send(pdu.bytes, &outputs)
    requested(index, at: now)
    if isIndication, session.entries[index].answer != TimelineEntry.Answer.none {
      indications.append(index)
      awaitAnswer(isIndication: true, recorded: session.entries[index].latency)
    } else {
      complete(index, at: now)
    }
    _ = used(isIndication ? .indication : .notification, handle, &faults, &outputs)
  }

  /// Whether an indication waits for its confirmation on the bearer at hand.
  var isUnconfirmed: Bool {
    ruledIndications[bearer] != nil || indications.contains { bearer(of: session.entries[$0]) == bearer }
  }

  private func isSendable(_ action: TimelineEntry.Action) -> Bool {
    switch action {
    case .notify(let handle, _): isSubscribed(handle, bit: 1)
    case .indicate(let handle, _): isSubscribed(handle, bit: 2)
    default: true
    }
  }

  func isSubscribed(_ handle: AttributeHandle, bit: UInt16) -> Bool {
    guard !device.sendsUnsubscribed, let descriptor = attributes.configurationOfValue[handle] else { return true }
    return configuration[descriptor, default: 0] & bit != 0
  }

  private func ask(_ pdu: ATTPDU, _ index: Int, at now: AirInstant, outputs: inout [Output]) {
    send(pdu.bytes, &outputs)
    ownRequests[bearer] = index
    let entry = session.entries[index]
    if entry.answer != nil, entry.answer != TimelineEntry.Answer.none { awaitAnswer(isIndication: false, recorded: entry.latency) }
    requested(index, at: now)
  }

  func confirm(at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    let place = indications.firstIndex { bearer(of: session.entries[$0]) == bearer }
    let handle = place.flatMap { session.entries[indications[$0]].attribute } ?? ruledIndications[bearer]
    if let handle, stopsUse(.confirmation, handle, &faults, &outputs) { return }
    answered(isIndication: true)
    if let place {
      let entry = indications.remove(at: place)
      complete(entry, at: now)
      if played(entry, &faults, &outputs) { return }
    } else if ruledIndications.removeValue(forKey: bearer) == nil {
      return
    }
    if let handle, used(.confirmation, handle, &faults, &outputs) { return }
    indicateNext(at: now, faults: &faults, outputs: &outputs)
  }

  /// Tells the indication that waited for another on the bearer in hand.
  func indicateNext(at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    if let held = heldRuledIndications.firstIndex(where: { $0.bearer == bearer }) {
      let next = heldRuledIndications.remove(at: held)
      tell(next.handle, next.value, isIndication: true, faults: &faults, outputs: &outputs)
    } else if let held = heldIndications.firstIndex(where: { bearer(of: session.entries[$0]) == bearer }) {
      let next = heldIndications.remove(at: held)
      schedule.add(.begin(next, turn: waiting.add(next)), at: now, rank: next)
    }
  }

  func finishOwnRequest(_ pdu: ATTPDU, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    guard let entry = ownRequests[bearer] else { return }
    let asked = ATTOpcode(rawValue: CentralStep.request(of: session.entries[entry]).first ?? 0)
    if case .errorResponse(let failed, _, _) = pdu {
      guard failed == asked else { return }
    } else {
      guard asked.expectedResponse == nil || asked.expectedResponse == pdu.opcode else { return }
    }
    answered(isIndication: false)
    ownRequests[bearer] = nil
    if case .exchangeMTUResponse(let granted) = pdu, case .exchangeMTU(let asked) = session.entries[entry].action {
      server.agree(client: Int(asked), server: Int(granted))
    }
    complete(entry, at: now)
    played(entry, &faults, &outputs)
  }
}
