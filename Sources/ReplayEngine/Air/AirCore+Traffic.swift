import BLEWire

/// How ATT PDUs go from one end of a link to the other, and what faults do to them on their way.
extension AirCore {
  /// A PDU was sent: it arrives at once, unless something is under way before it or done to it.
  func transmit(_ bytes: [UInt8], _ bearer: Int, fromCentral: Bool, faults dues: [FaultSet.Due] = [], of end: LinkEnd) {
    end.pdus += 1
    if !expectations.isEmpty {
      expectations.note(silenceFrom: end.lastTraffic, to: now, of: end.connection.report.peripheral)
      end.lastTraffic = now
    }
    let isUndisturbed = faults.isEmpty && dues.isEmpty && end.waitingFaults.isEmpty
    if isUndisturbed, end.clock == nil, end.isClear(fromCentral: fromCentral) {
      return arrive(bytes, bearer, sent: now, fromCentral: fromCentral, of: end)
    }
    let pdu = TransitPDU(bytes: bytes, bearer: bearer, sent: now)
    if isUndisturbed {
      let arrival = end.arrival(of: pdu, fromCentral: fromCentral, at: now)
      end.path(fromCentral: fromCentral) { $0.enter(pdu, arriving: arrival) }
      return flow(of: end, fromCentral: fromCentral)
    }
    let numbered = faults.pdu(end.pdus)
    let following = numbered.filter { $0.action.target != .pdu }
    let acting = end.waitingFaults + dues + numbered.filter { $0.action.target == .pdu }
    end.waitingFaults = []
    // What ends the link right behind this PDU leaves the central no time to answer it.
    if !fromCentral, following.contains(where: \.action.endsLink) { end.isEnding = true }
    if acting.isEmpty {
      let arrival = end.arrival(of: pdu, fromCentral: fromCentral, at: now)
      end.path(fromCentral: fromCentral) { $0.enter(pdu, arriving: arrival) }
      flow(of: end, fromCentral: fromCentral)
    } else {
      act(acting, on: pdu, fromCentral: fromCentral, of: end)
    }
    if links[end.number] === end { happen(following, on: end) }
  }

  /// When the PDU arrives that the central sent last; `nil` where that has arrived.
  package func arrivalOfLast(on link: Int) -> AirInstant? { links[link]?.path(fromCentral: true) { $0.arrivalOfLast } }

  /// Lets faults act on a PDU that is sent, or that was taken back when it had arrived.
  func act(_ dues: [FaultSet.Due], on pdu: TransitPDU, takenBack: Bool = false, fromCentral: Bool, of end: LinkEnd) {
    var pdu = pdu
    pdu.isTouched = true
    var (arrival, copies) = (takenBack ? now : end.arrival(of: pdu, fromCentral: fromCentral, at: now), 1)
    var isReordered = false
    for due in dues {
      note(due, on: end)
      switch due.action {
      case .delay(let time): arrival = arrival.advanced(by: time)
      case .drop: copies = 0
      case .duplicate: copies = min(copies * 2, 16)
      case .reorder: isReordered = true
      case .corrupt(let corruption):
        pdu.bytes = faults.corrupted(pdu.bytes, by: due, corruption)
        // Two ends that answer each other's corrupted PDUs would do so for ever at one moment.
        if end.isCorruptedTooOften(at: now) { arrival = arrival.advanced(by: .seconds(1)) }
        // The peripheral has not seen these bytes.
        pdu.resumption = .passedAll
      default: break
      }
    }
    // It waits from its arrival on, whatever else delays that.
    if isReordered { pdu.overtakenUntil = arrival.advanced(by: LinkPath.patience) }
    if copies == 0 { log.add(.lost(fromCentral: fromCentral, pdu.bytes, bearer: pdu.bearer), link: end.number, at: now) }
    var all = Array(repeating: pdu, count: copies)
    for index in all.indices.dropFirst() { all[index].resumption = .copy }
    end.path(fromCentral: fromCentral) { path in
      if takenBack {
        for next in all.reversed() { path.putBack(next, arriving: arrival) }
      } else {
        for next in all { path.enter(next, arriving: arrival) }
      }
    }
    flow(of: end, fromCentral: fromCentral)
  }

  /// Lets PDUs arrive whose time has come, and has the air woken for the next.
  func flow(of end: LinkEnd, fromCentral: Bool) {
    while links[end.number] === end, let pdu = end.path(fromCentral: fromCentral, { $0.next(at: now) }) {
      if pdu.isTouched { log.add(.arrived(fromCentral: fromCentral, pdu.bytes, bearer: pdu.bearer), link: end.number, at: now) }
      // What the recording tells is the time from sending to sending at the central's host; the link's own part of it is in there.
      let sent = pdu.isTouched ? now : pdu.sent
      arrive(pdu.bytes, pdu.bearer, sent: sent, resuming: pdu.resumption, fromCentral: fromCentral, of: end)
    }
    // Whoever answers what arrives here asks before the rest of it has arrived, the moment of which may be over.
    guard links[end.number] === end, let next = end.nextArrival.map({ max($0, now) }),
      next < end.arrivalWakeUp ?? AirInstant(nanoseconds: .max)
    else { return }
    end.arrivalWakeUp = next
    add(.arrival(link: end.number), at: next)
  }

  private func arrive(
    _ bytes: [UInt8], _ bearer: Int, sent: AirInstant, resuming resumption: PeripheralConnection.Resumption? = nil, fromCentral: Bool,
    of end: LinkEnd
  ) {
    guard fromCentral else { return end.central.handle(.received(link: end.number, bytes, bearer: bearer), in: self) }
    var outputs: [PeripheralConnection.Output] = []
    if let shift = end.handleShift {
      switch shift.unmoved(bytes) {
      case .success(let recorded):
        end.connection.receive(recorded, bearer: bearer, resuming: resumption, at: sent, faults: &faults, outputs: &outputs)
      case .failure(let refusal):
        guard end.connection.isResponsive else { return }
        end.connection.noteStale(bytes, movedBy: shift, at: sent)
        return answerStale(refusal.pdu, bearer, of: end)
      }
    } else {
      end.connection.receive(bytes, bearer: bearer, resuming: resumption, at: sent, faults: &faults, outputs: &outputs)
    }
    deliver(outputs, of: end, inHand: TransitPDU(bytes: bytes, bearer: bearer))
    arm(end)
  }

  /// A request was about a handle that is no attribute's any more.
  private func answerStale(_ refusal: ATTPDU?, _ bearer: Int, of end: LinkEnd) {
    guard let refusal else { return }
    log.add(.pdu(fromCentral: false, refusal.bytes, bearer: bearer), link: end.number, at: now)
    transmit(refusal.bytes, bearer, fromCentral: false, of: end)
  }
}
