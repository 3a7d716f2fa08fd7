package import ReplayScenarios

/// One thing that a recorded central did by itself.
package struct CentralStep {
  package enum Action {
    /// A PDU, the answer that it has to get (where the entry tells it), and whether one is waited for.
    case send([UInt8], answer: [UInt8]?, isAnswered: Bool)
    /// A procedure, and how it has to come out, where it is asked for and was settled.
    case perform(LinkProcedure, outcome: LinkProcedure.Outcome?)
    case disconnect(HCIErrorCode)
  }
  package var at: Duration
  package var entry: Int
  package var action: Action
  /// From the request to its answer, as recorded.
  package var latency: Duration = .zero
  /// Whether it is a request that was sent after the answer to the one before it.
  var waits = false
  /// The channel that carries it.
  package var bearer = 0

  /// What the central does in a session, in order of time.
  package static func steps(of session: Session) -> [CentralStep] {
    var steps: [CentralStep] = []
    var mtu = session.mtu
    let bearerMTUs = CompiledSession.bearerMTUs(session)
    for (index, entry) in session.entries.enumerated() {
      if entry.bearer == nil, case .exchangeMTU(let asked) = entry.action, case .mtu(let granted)? = entry.answer {
        mtu = max(23, Int(min(asked, granted)))
      }
      guard entry.origin == .central else { continue }
      if case .disconnect(let reason) = entry.action {
        steps.append(CentralStep(at: entry.at, entry: index, action: .disconnect(reason)))
      } else if case .link(let procedure) = entry.action {
        steps.append(
          CentralStep(
            at: entry.at, entry: index, action: .perform(procedure, outcome: PeripheralConnection.outcome(entry.answer))))
      } else if entry.parts.isEmpty {
        let request = request(of: entry)
        steps.append(
          CentralStep(
            at: entry.at, entry: index,
            action: .send(request, answer: answer(to: request, of: entry), isAnswered: entry.answer != nil && entry.answer != .some(.none)),
            latency: entry.latency ?? .zero, bearer: entry.bearer ?? 0))
      } else {
        steps += parts(of: entry, index: index, mtu: entry.bearer.map { bearerMTUs[$0] ?? 23 } ?? mtu).map { step in
          var step = step
          step.bearer = entry.bearer ?? 0
          return step
        }
      }
    }
    // Entries stand in the order in which they began; the parts of a long one may reach behind the next.
    if zip(steps, steps.dropFirst()).contains(where: { $0.at > $1.at }) {
      steps = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
    var answered: [Int: Duration] = [:]
    for index in steps.indices {
      guard case .send(_, _, isAnswered: true) = steps[index].action else { continue }
      let last = answered[steps[index].bearer, default: .zero]
      steps[index].waits = steps[index].at >= last
      answered[steps[index].bearer] = max(last, steps[index].at + steps[index].latency)
    }
    return steps
  }

  /// The requests of a long read or a long write.
  private static func parts(of entry: TimelineEntry, index: Int, mtu: Int) -> [CentralStep] {
    var offset = 0
    return entry.parts.enumerated().map { number, part in
      // A hand-written file may say anything here; no value has more bytes than this.
      let count = min(max(0, part.count ?? 0), 0xFFFF)
      defer { offset = min(offset + count, 0xFFFF) }
      let at = entry.at + part.offset
      switch entry.action {
      case .read(let handle):
        let request: ATTPDU =
          number == 0 ? .readRequest(handle: handle) : .readBlobRequest(handle: handle, offset: UInt16(clamping: offset))
        var answer: [UInt8]?
        if case .value(let value)? = entry.answer {
          let slice = Array(value.dropFirst(offset).prefix(mtu - 1))
          answer = (number == 0 ? ATTPDU.readResponse(value: slice) : .readBlobResponse(part: slice)).bytes
        }
        return CentralStep(at: at, entry: index, action: .send(request.bytes, answer: answer, isAnswered: true), latency: part.latency)
      case .write(let handle, let value):
        guard part.count != nil else {
          let request = ATTPDU.executeWriteRequest(flags: 1).bytes
          let answer: [UInt8]? =
            switch entry.answer {
            case .ok: ATTPDU.executeWriteResponse.bytes
            case .error(let error): ATTPDU.errorResponse(request: .executeWriteRequest, handle: handle, error: error).bytes
            default: nil
            }
          return CentralStep(
            at: at, entry: index, action: .send(request, answer: answer, isAnswered: entry.answer != nil && entry.answer != .some(.none)),
            latency: part.latency)
        }
        let slice = Array(value.dropFirst(offset).prefix(count))
        let place = UInt16(clamping: offset)
        return CentralStep(
          at: at, entry: index,
          action: .send(
            ATTPDU.prepareWriteRequest(handle: handle, offset: place, part: slice).bytes,
            answer: ATTPDU.prepareWriteResponse(handle: handle, offset: place, part: slice).bytes, isAnswered: true), latency: part.latency)
      default: return CentralStep(at: at, entry: index, action: .send([], answer: nil, isAnswered: false))
      }
    }
  }

  /// The PDU with which an entry of one request begins, from whichever side.
  package static func request(of entry: TimelineEntry) -> [UInt8] { request(of: entry.action) }

  /// The same of what such an entry does.
  static func request(of action: TimelineEntry.Action) -> [UInt8] {
    switch action {
    case .exchangeMTU(let mtu): ATTPDU.exchangeMTURequest(clientMTU: mtu).bytes
    case .read(let handle): ATTPDU.readRequest(handle: handle).bytes
    case .readBlob(let handle, let offset): ATTPDU.readBlobRequest(handle: handle, offset: offset).bytes
    case .write(let handle, let value): ATTPDU.writeRequest(handle: handle, value: value).bytes
    case .writeCommand(let handle, let value): ATTPDU.writeCommand(handle: handle, value: value).bytes
    case .pdu(let bytes): bytes
    case .notify(let handle, let value): ATTPDU.handleValueNotification(handle: handle, value: value).bytes
    case .indicate(let handle, let value): ATTPDU.handleValueIndication(handle: handle, value: value).bytes
    case .link, .disconnect, .vanish: []
    }
  }

  /// The PDU that answers it, where the entry tells.
  static func answer(to request: [UInt8], of entry: TimelineEntry) -> [UInt8]? {
    let opcode = ATTOpcode(rawValue: request.first ?? 0)
    switch entry.answer {
    case .ok: return (opcode == .handleValueIndication ? ATTPDU.handleValueConfirmation : .writeResponse).bytes
    case .value(let value): return (opcode == .readBlobRequest ? ATTPDU.readBlobResponse(part: value) : .readResponse(value: value)).bytes
    case .mtu(let mtu): return ATTPDU.exchangeMTUResponse(serverMTU: mtu).bytes
    case .error(let error): return ATTPDU.errorResponse(request: opcode, handle: entry.attribute ?? AttributeHandle(0), error: error).bytes
    case .pdu(let bytes): return bytes
    case .refused, .some(.none), nil: return nil
    }
  }

  /// What the central answers to something that the peripheral began; `nil` where it answered nothing.
  package static func reply(to entry: TimelineEntry) -> [UInt8]? { answer(to: request(of: entry), of: entry) }
}
