import CaptureFiles

// Following the ATT traffic of a link: who answers whom, the MTU, and what discovery tells.
extension LinkState {
  /// Pairs a PDU with what it answers, and learns MTU and attributes from it.
  mutating func follow(_ view: borrowing ATTPDUView, _ event: inout ATTEvent, log: inout FindingLog) {
    switch view {
    case .errorResponse(let request, let handle, _):
      event.attribute = handle
      answer(.errorResponse, failed: request, &event, log: &log)
    case .exchangeMTURequest(let mtu): begin(.exchangeMTURequest, &event, mtu: mtu, log: &log)
    case .exchangeMTUResponse(let mtu):
      if let request = answer(.exchangeMTUResponse, &event, log: &log), event.bearer == 0 {
        link.mtu = max(23, Int(min(mtu, request.mtu)))
      }
    case .findInformationRequest(let start, _): begin(.findInformationRequest, &event, attribute: start, log: &log)
    case .findInformationResponse(let list):
      var first = list
      learn(view, .findInformationResponse, carried: first.next()?.handle, &event, log: &log)
    case .findByTypeValueRequest(let start, _, let type, let value):
      begin(.findByTypeValueRequest, &event, attribute: start, type: type, wanted: BluetoothUUID(wire: value), log: &log)
    case .findByTypeValueResponse(let list):
      var first = list
      learn(view, .findByTypeValueResponse, carried: first.next()?.found, &event, log: &log)
    case .readByTypeRequest(let start, _, let type): begin(.readByTypeRequest, &event, attribute: start, type: type, log: &log)
    case .readByTypeResponse(let list):
      var (first, handle) = (list, AttributeHandle?.none)
      _ = first.next { found, _ in handle = found }
      learn(view, .readByTypeResponse, carried: handle, &event, log: &log)
    case .readByGroupTypeRequest(let start, _, let type): begin(.readByGroupTypeRequest, &event, attribute: start, type: type, log: &log)
    case .readByGroupTypeResponse(let list):
      var (first, handle) = (list, AttributeHandle?.none)
      _ = first.next { found, _, _ in handle = found }
      learn(view, .readByGroupTypeResponse, carried: handle, &event, log: &log)
    case .readRequest(let handle): begin(.readRequest, &event, attribute: handle, log: &log)
    case .readResponse(let value):
      if let request = answer(.readResponse, &event, log: &log), value.byteCount == 16, event.missing == 0 {
        link.databases[event.sender]?.learn(from: view, to: request)
      }
    case .readBlobRequest(let handle, _): begin(.readBlobRequest, &event, attribute: handle, log: &log)
    case .readBlobResponse: answer(.readBlobResponse, &event, log: &log)
    case .readMultipleRequest(var list): begin(.readMultipleRequest, &event, attribute: list.next(), log: &log)
    case .readMultipleResponse: answer(.readMultipleResponse, &event, log: &log)
    case .writeRequest(let handle, _): begin(.writeRequest, &event, attribute: handle, log: &log)
    case .writeResponse: answer(.writeResponse, &event, log: &log)
    case .prepareWriteRequest(let handle, _, _): begin(.prepareWriteRequest, &event, attribute: handle, log: &log)
    case .prepareWriteResponse(let handle, _, _):
      event.attribute = handle
      answer(.prepareWriteResponse, &event, log: &log)
    case .executeWriteRequest: begin(.executeWriteRequest, &event, log: &log)
    case .executeWriteResponse: answer(.executeWriteResponse, &event, log: &log)
    case .readMultipleVariableRequest(var list): begin(.readMultipleVariableRequest, &event, attribute: list.next(), log: &log)
    case .readMultipleVariableResponse: answer(.readMultipleVariableResponse, &event, log: &log)
    case .handleValueNotification(let handle, _): event.attribute = handle
    case .multipleHandleValueNotification(var list): _ = list.next { handle, _ in event.attribute = handle }
    case .handleValueIndication(let handle, let value):
      event.attribute = handle
      if value.byteCount == 4, link.databases[event.sender]?.serviceChanged == handle {
        noteChange(of: event.sender, from: value.uint16(at: 0), through: value.uint16(at: 2), number: event.number)
      }
      if event.sender == .central {
        bearer.central.indication = (event.number, handle)
      } else {
        bearer.peripheral.indication = (event.number, handle)
      }
    case .handleValueConfirmation:
      let indication = event.sender == .central ? bearer.peripheral.indication : bearer.central.indication
      (event.answers, event.attribute) = (indication?.number, indication?.attribute)
      if indication == nil {
        log.add(.unpairedResponse, .warning, frame: event.frame, "link \(link.index): a confirmation without an indication")
      }
      if event.sender == .central { bearer.peripheral.indication = nil } else { bearer.central.indication = nil }
    case .writeCommand(let handle, _), .signedWriteCommand(let handle, _, _): event.attribute = handle
    case .unknown(let opcode, _): if opcode.role == .request { begin(opcode, &event, log: &log) }
    }
  }

  /// Keeps pairs together also where a PDU's bytes were cut or are wrong: its opcode and first handle still tell what it is.
  mutating func followDamaged(_ payload: RawSpan, _ event: inout ATTEvent, log: inout FindingLog) {
    guard payload.byteCount > 0 else { return }
    let opcode = ATTOpcode(rawValue: payload.uint8(at: 0))
    switch opcode {
    case .errorResponse:
      if payload.byteCount > 1 { answer(opcode, failed: ATTOpcode(rawValue: payload.uint8(at: 1)), &event, log: &log) }
    default:
      switch opcode.role {
      case .request:
        let namesHandle = opcode != .exchangeMTURequest && opcode != .executeWriteRequest && payload.byteCount > 2
        begin(opcode, &event, attribute: namesHandle ? AttributeHandle(payload.uint16(at: 1)) : nil, log: &log)
      case .response: answer(opcode, &event, log: &log)
      case .command, .notification, .indication, .confirmation: break
      }
    }
  }

  private mutating func begin(
    _ opcode: ATTOpcode, _ event: inout ATTEvent, attribute: AttributeHandle? = nil, type: BluetoothUUID? = nil,
    wanted: BluetoothUUID? = nil, mtu: UInt16 = 0, log: inout FindingLog
  ) {
    event.attribute = attribute
    let request = ATTTransactions.Request(
      number: event.number, opcode: opcode, attribute: attribute, type: type, wanted: wanted, mtu: mtu)
    let waiting = event.sender == .central ? bearer.central.requests.count : bearer.peripheral.requests.count
    if waiting > 0 {
      log.add(
        .overlappingRequest, .note, frame: event.frame,
        "link \(link.index): \(opcode) while \(waiting) request\(waiting == 1 ? "" : "s") wait")
    }
    if event.sender == .central { bearer.central.requests.begin(request) } else { bearer.peripheral.requests.begin(request) }
  }

  @discardableResult
  private mutating func answer(
    _ opcode: ATTOpcode, failed: ATTOpcode? = nil, _ event: inout ATTEvent, log: inout FindingLog
  ) -> ATTTransactions.Request? {
    let request =
      event.sender == .central
      ? bearer.peripheral.requests.end(opcode, failed: failed) : bearer.central.requests.end(opcode, failed: failed)
    guard let request else {
      log.add(.unpairedResponse, .warning, frame: event.frame, "link \(link.index): \(opcode) without its request")
      return nil
    }
    event.answers = request.number
    if event.attribute == nil { event.attribute = request.attribute }
    return request
  }

  private mutating func learn(
    _ view: borrowing ATTPDUView, _ opcode: ATTOpcode, carried: AttributeHandle?, _ event: inout ATTEvent, log: inout FindingLog
  ) {
    event.attribute = carried
    guard let request = answer(opcode, &event, log: &log) else { return }
    let known = link.databases[event.sender]?.conflicts.count ?? 0
    link.databases[event.sender, default: DiscoveredDatabase()].learn(from: view, to: request)
    if let conflicts = link.databases[event.sender]?.conflicts, conflicts.count > known, let handle = conflicts.last {
      log.add(.databaseConflict, .warning, frame: event.frame, "link \(link.index): discovery tells two things of handle \(handle)")
    }
  }

  /// Changes that a link may tell of; a server that tells of more is not believed.
  private static let changeLimit = 64

  /// A server told that a range of its attributes is not what it was (Core 5.4, Vol 3, Part G, 7.1).
  private mutating func noteChange(of server: LinkRole, from start: UInt16, through end: UInt16, number: Int) {
    settleChange(of: server)
    changeCount += 1
    guard start > 0, start <= end, changeCount <= Self.changeLimit, let attributes = link.databases[server] else { return }
    let range = AttributeHandle(start)...AttributeHandle(end)
    let change = EarlierDatabase(server: server, attributes: attributes, endedBy: number, changed: range)
    changed[server] = change
    link.databases[server] = attributes.removing(range)
  }

  /// What was discovered since the last change shows whether there was one.
  mutating func settleChange(of server: LinkRole) {
    guard let change = changed[server], let now = link.databases[server] else { return }
    changed[server] = nil
    if change.attributes.isReplaced(by: now, in: change.changed) {
      link.earlierDatabases.append(change)
    } else {
      var all = change.attributes
      all.merge(now)
      link.databases[server] = all
    }
  }
}
