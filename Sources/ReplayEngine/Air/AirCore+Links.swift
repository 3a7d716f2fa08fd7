package import BLEWire
import ReplayScenarios

/// Connections: how they come about, what goes over them, and how they end.
extension AirCore {
  func establish(_ central: any AirCentral, _ index: Int, _ dues: [FaultSet.Due]?) {
    let peripheral = peripherals[index]
    guard isAllowed(dues ?? faultsOfAttempt(index), central, index) else { return }
    let (session, failure) = peripheral.beginSession(only: chosenSessions)
    if let failure { return fail(central, index, failure, nil) }
    linkCount += 1
    let report = SessionReport(link: linkCount, peripheral: index, session: session.index)
    let connection = PeripheralConnection(
      scenario: peripheral.scenario, maps: peripheral.maps, session: session,
      earlier: peripheral.sessions(before: session.index), kept: peripheral.subscriptions,
      bond: peripheral.bond, centralPerforms: central.performsProcedures, asksBeforePairing: central.asksBeforePairing, timing: timing,
      seed: random.next(),
      deviceRules: deviceRules[index] ?? [], report: report)
    let link = linkCount
    let end = LinkEnd(number: link, central: central, connection: connection, at: now)
    end.handleShift = peripheral.handleShift
    if timing.delaysPDUs { end.clock = LinkClock(timing, session.session.parameters, from: now, seed: random.next()) }
    links[link] = end
    log.add(.connected(peripheral: index, session: session.index), link: link, at: now)
    expectations.note(.connect, of: index, at: now)
    connection.open(at: now)
    arm(end)
    end.isNew = true
    defer { end.isNew = false }
    let dues = waitingForLink.removeValue(forKey: index) ?? []
    // A central may send as soon as it is told of the link.
    happen(dues.filter { !$0.action.isTold }, on: end)
    central.handle(.connected(link: link, peripheral: index), in: self)
    if links[link] === end { happen(dues.filter(\.action.isTold), on: end) }
  }

  func fail(_ central: any AirCentral, _ index: Int, _ reason: HCIErrorCode, _ due: FaultSet.Due?) {
    if let due { note(due, on: nil) }
    log.add(.connectionFailed(peripheral: index, reason), link: 0, at: now)
    central.handle(.connectionFailed(peripheral: index, reason), in: self)
  }

  // MARK: - Traffic

  /// Sends an ATT PDU to the peripheral.
  package func send(_ bytes: [UInt8], on link: Int, bearer: Int = 0) {
    guard let end = links[link], !end.isEnding else { return }
    log.add(.pdu(fromCentral: true, bytes, bearer: bearer), link: link, at: now)
    if !expectations.isEmpty {
      expectations.note(bytes, of: end.connection.report.peripheral, at: now) { end.connection.attributes.valueOfConfiguration[$0] }
    }
    transmit(bytes, bearer, fromCentral: true, of: end)
  }

  /// Answers what a central's stack asks for itself, beside its apps: at once, and out of reach of faults.
  package func answer(toStack bytes: [UInt8], on link: Int) -> [UInt8]? {
    guard let end = links[link], !end.isEnding else { return nil }
    log.add(.own(fromCentral: true, bytes), link: link, at: now)
    var answer: [UInt8]?
    if let shift = end.handleShift {
      switch shift.unmoved(bytes) {
      case .success(let recorded):
        answer = end.connection.answerStack(recorded, at: now).map { shift.moved($0, in: end.connection.attributes.database) }
      case .failure(let refusal): answer = end.connection.isResponsive ? refusal.pdu?.bytes : nil
      }
    } else {
      answer = end.connection.answerStack(bytes, at: now)
    }
    if let answer { log.add(.own(fromCentral: false, answer), link: link, at: now) }
    arm(end)
    return answer
  }

  /// An app has asked for a subscription that is so already; nothing goes over the link.
  package func passRepeatedSubscription(_ descriptor: AttributeHandle, _ value: [UInt8], on link: Int) {
    guard let end = links[link], !end.isEnding, end.handleShift == nil else { return }
    end.connection.passRepeatedSubscription(descriptor, value, at: now)
    arm(end)
  }

  /// Does what a connection asks for.
  func deliver(_ outputs: [PeripheralConnection.Output], of end: LinkEnd, inHand: TransitPDU? = nil) {
    let link = end.number
    let isEnd = outputs.contains {
      switch $0 {
      case .end: true
      case .fault(let due): due.action.endsLink
      default: false
      }
    }
    if isEnd { end.isEnding = true }
    var attached: [FaultSet.Due] = []
    for output in outputs {
      guard links[link] != nil else { return }
      switch output {
      case .send(var bytes, let bearer):
        if let shift = end.handleShift { bytes = shift.moved(bytes, in: end.connection.attributes.database) }
        log.add(.pdu(fromCentral: false, bytes, bearer: bearer), link: link, at: now)
        transmit(bytes, bearer, fromCentral: false, faults: attached, of: end)
        if !attached.isEmpty { attached = [] }
      case .attach(let dues): attached += dues
      case .procedure(let procedure, let side):
        log.add(.procedure(fromCentral: side == .central, procedure), link: link, at: now)
        end.clock?.note(procedure, at: now)
        if side == .peripheral { end.central.handle(.procedure(link: link, procedure), in: self) }
      case .settled(let procedure, let outcome, let side):
        log.add(.outcome(fromCentral: side == .central, procedure, outcome), link: link, at: now)
        // One whose stack is played hears how its pairing came out, for that is its user's.
        if side == .peripheral && end.central.performsProcedures || end.central.asksBeforePairing {
          end.central.handle(.settled(link: link, procedure, outcome), in: self)
        }
      case .pairingAsked(let procedure): end.central.handle(.pairingAsked(link: link, procedure), in: self)
      case .fired(let due): note(due, on: end)
      case .fault(let due): make(due, happenOn: end)
      case .takenBack(let resumption, let dues):
        guard var pdu = inHand else { continue }
        pdu.resumption = resumption
        act(dues, on: pdu, takenBack: true, fromCentral: true, of: end)
      case .end(let reason): finish(end, reason)
      }
    }
  }

  /// Ends a link from the peripheral's side: what it sent before still arrives, unless the link is lost.
  private func finish(_ end: LinkEnd, _ reason: HCIErrorCode) {
    guard end.clock != nil, reason != .connectionTimeout, let last = end.path(fromCentral: false, { $0.lastArrival }) else {
      return close(end.number, reason: reason, tell: true)
    }
    add(.work { [number = end.number] in $0.close(number, reason: reason, tell: true) }, at: last, rank: .max)
  }

  func close(_ link: Int, reason: HCIErrorCode?, tell: Bool) {
    guard let end = links.removeValue(forKey: link) else { return }
    end.connection.close()
    for fromCentral in [true, false] where !end.isClear(fromCentral: fromCentral) {
      for pdu in end.path(fromCentral: fromCentral, { $0.takeAll() }) {
        log.add(.lost(fromCentral: fromCentral, pdu.bytes, bearer: pdu.bearer), link: link, at: now)
      }
    }
    peripherals[end.connection.report.peripheral].keep(end.connection.configuration, of: end.connection.attributes)
    keepWaiting(of: end)
    if !end.wakeUps.isEmpty || end.arrivalWakeUp != nil {
      // What is to come for a link that is gone must not keep the air from coming to rest.
      otherPending -= queue.removeAll {
        switch $0 {
        case .peripheral(link), .arrival(link): true
        default: false
        }
      }
    }
    reports.add(end.connection.finishedReport())
    keepExercise(of: end.connection)
    expectations.note(silenceFrom: end.lastTraffic, to: now, of: end.connection.report.peripheral)
    guard let reason else { return }
    log.add(.disconnected(reason), link: link, at: now)
    expectations.note(.disconnect, of: end.connection.report.peripheral, at: now)
    if tell { end.central.handle(.disconnected(link: link, reason), in: self) }
  }
}
