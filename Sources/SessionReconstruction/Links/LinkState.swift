import CaptureFiles

/// What is kept of a link while its records go by.
final class LinkState {
  var link: Link
  let adapter: UInt16
  let handle: ConnectionHandle
  private var fromCentral = Reassembler()
  private var fromPeripheral = Reassembler()
  private var centralRequests = ATTTransactions()
  private var peripheralRequests = ATTTransactions()
  /// The number of the indication that each end has sent and that waits for its confirmation.
  private var centralIndication: (number: Int, attribute: AttributeHandle?)?
  private var peripheralIndication: (number: Int, attribute: AttributeHandle?)?

  init(_ link: Link) { (self.link, adapter, handle) = (link, link.adapter, link.handle) }

  /// Takes one ACL packet.
  func add(_ packet: ACLDataView, record: borrowing CaptureRecord, log: inout FindingLog, observer: (any ATTObserver)?) {
    link.lastActivity = record.time
    let sent = record.direction == .hostToController
    let sender = sent ? link.localRole : link.localRole.other
    let (frame, time) = (record.number, record.time)
    let missing = packet.length - packet.data.byteCount
    let index = link.index
    if sender == .central {
      fromCentral.add(
        packet, missing: missing,
        { self.deliver($0, $1, missing: $2, from: .central, frame: frame, time: time, log: &log, observer: observer) },
        problem: { Self.note($0, frame: frame, link: index, log: &log) })
    } else {
      fromPeripheral.add(
        packet, missing: missing,
        { self.deliver($0, $1, missing: $2, from: .peripheral, frame: frame, time: time, log: &log, observer: observer) },
        problem: { Self.note($0, frame: frame, link: index, log: &log) })
    }
  }

  /// Hands on what the fragments hold when the link ends or the capture does.
  func finish(frame: Int, time: CaptureTime, log: inout FindingLog, observer: (any ATTObserver)?) {
    let index = link.index
    fromCentral.finish(
      { self.deliver($0, $1, missing: $2, from: .central, frame: frame, time: time, log: &log, observer: observer) },
      problem: { Self.note($0, frame: frame, link: index, log: &log) })
    fromPeripheral.finish(
      { self.deliver($0, $1, missing: $2, from: .peripheral, frame: frame, time: time, log: &log, observer: observer) },
      problem: { Self.note($0, frame: frame, link: index, log: &log) })
    let waiting = centralRequests.count + peripheralRequests.count
    if waiting > 0 {
      log.add(.unanswered, .note, frame: frame, "\(waiting) request\(waiting == 1 ? "" : "s") without an answer at the end of link \(index)")
    }
    centralRequests = ATTTransactions()
    peripheralRequests = ATTTransactions()
  }

  private static func note(_ problem: Reassembler.Problem, frame: Int, link: Int, log: inout FindingLog) {
    switch problem {
    case .continuationWithoutStart(let count):
      log.add(.missingStart, .warning, frame: frame, "link \(link): a continuation of \(count) bytes whose start was not seen or was complete")
    case .incomplete(let have, let all):
      log.add(.missingFragment, .warning, frame: frame, "link \(link): an L2CAP PDU ended with \(have) of \(all) bytes before this record")
    case .shortHeader(let count):
      log.add(.truncatedPDU, .warning, frame: frame, "link \(link): \(count) bytes are left of a packet, fewer than an L2CAP header")
    case .tooLong(let count):
      log.add(.oversizedPDU, .warning, frame: frame, "link \(link): \(count) bytes more than the L2CAP length tells")
    }
  }

  private func deliver(
    _ channel: L2CAPChannel, _ payload: RawSpan, missing: Int, from sender: LinkRole, frame: Int, time: CaptureTime,
    log: inout FindingLog, observer: (any ATTObserver)?
  ) {
    guard channel == .attribute, link.isLowEnergy else { return }
    link.attPDUs += 1
    var event = ATTEvent(
      frame: frame, time: time, link: link.index, linkStart: link.start, adapter: link.adapter, connection: link.handle, sender: sender, number: link.attPDUs,
      missing: missing)
    if missing > 0 {
      log.add(.truncatedPDU, .warning, frame: frame, "link \(link.index): an ATT PDU lacks its last \(missing) bytes")
    }
    do {
      let view = try ATTPDUView(parsing: payload)
      follow(view, &event, log: &log)
    } catch {
      event.fault = error
      followDamaged(payload, &event, log: &log)
      if missing == 0 {
        log.add(.malformedPDU, .warning, frame: frame, "link \(link.index): an ATT PDU that the specification does not allow (\(error))")
      }
    }
    observer?.observe(event, pdu: payload)
  }

  /// Pairs a PDU with what it answers, and learns MTU and attributes from it.
  private func follow(_ view: borrowing ATTPDUView, _ event: inout ATTEvent, log: inout FindingLog) {
    switch view {
    case .errorResponse(let request, let handle, _):
      event.attribute = handle
      answer(.errorResponse, failed: request, &event, log: &log)
    case .exchangeMTURequest(let mtu): begin(.exchangeMTURequest, &event, mtu: mtu, log: &log)
    case .exchangeMTUResponse(let mtu):
      if let request = answer(.exchangeMTUResponse, &event, log: &log) {
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
    case .handleValueIndication(let handle, _):
      event.attribute = handle
      if event.sender == .central {
        centralIndication = (event.number, handle)
      } else {
        peripheralIndication = (event.number, handle)
      }
    case .handleValueConfirmation:
      let indication = event.sender == .central ? peripheralIndication : centralIndication
      (event.answers, event.attribute) = (indication?.number, indication?.attribute)
      if indication == nil {
        log.add(.unpairedResponse, .warning, frame: event.frame, "link \(link.index): a confirmation without an indication")
      }
      if event.sender == .central { peripheralIndication = nil } else { centralIndication = nil }
    case .writeCommand(let handle, _), .signedWriteCommand(let handle, _, _): event.attribute = handle
    case .unknown(let opcode, _): if opcode.role == .request { begin(opcode, &event, log: &log) }
    }
  }

  /// Keeps pairs together also where a PDU's bytes were cut or are wrong: its opcode and first handle still tell what it is.
  private func followDamaged(_ payload: RawSpan, _ event: inout ATTEvent, log: inout FindingLog) {
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

  private func begin(
    _ opcode: ATTOpcode, _ event: inout ATTEvent, attribute: AttributeHandle? = nil, type: BluetoothUUID? = nil,
    wanted: BluetoothUUID? = nil, mtu: UInt16 = 0, log: inout FindingLog
  ) {
    event.attribute = attribute
    let request = ATTTransactions.Request(
      number: event.number, opcode: opcode, attribute: attribute, type: type, wanted: wanted, mtu: mtu)
    let waiting = event.sender == .central ? centralRequests.count : peripheralRequests.count
    if waiting > 0 {
      log.add(
        .overlappingRequest, .note, frame: event.frame, "link \(link.index): \(opcode) while \(waiting) request\(waiting == 1 ? "" : "s") wait")
    }
    if event.sender == .central { centralRequests.begin(request) } else { peripheralRequests.begin(request) }
  }

  @discardableResult
  private func answer(
    _ opcode: ATTOpcode, failed: ATTOpcode? = nil, _ event: inout ATTEvent, log: inout FindingLog
  ) -> ATTTransactions.Request? {
    let request =
      event.sender == .central ? peripheralRequests.end(opcode, failed: failed) : centralRequests.end(opcode, failed: failed)
    guard let request else {
      log.add(.unpairedResponse, .warning, frame: event.frame, "link \(link.index): \(opcode) without its request")
      return nil
    }
    event.answers = request.number
    if event.attribute == nil { event.attribute = request.attribute }
    return request
  }

  private func learn(
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
}
