import BLEWire

/// Faults that are the air's to make happen: of connections, of radios, and of what has no PDU in hand.
extension AirCore {
  /// Lets faults happen on a link that no PDU is in hand for.
  func happen(_ dues: [FaultSet.Due], on end: LinkEnd) {
    guard !dues.isEmpty else { return }
    act(on: end) { $0.meet(dues, at: now, &$2) }
  }

  /// The clock reached the time of a fault; without a link only radios and attempts to connect can go wrong.
  func happen(atTimeOf place: Int) {
    if let end = links.keys.min().flatMap({ links[$0] }) { return happen(faults.time(of: place, withoutLink: false), on: end) }
    for due in faults.time(of: place, withoutLink: true) { keep(due, for: 0) }
  }

  /// A peripheral is about to advertise.
  func happenWhileAdvertising(_ peripheral: Int) {
    guard !faults.isEmpty else { return }
    for due in faults.phase(.advertising) { keep(due, for: peripheral) }
  }

  /// Makes a fault happen that the peripheral's end of a link leaves to the air.
  func make(_ due: FaultSet.Due, happenOn end: LinkEnd) {
    let peripheral = end.connection.report.peripheral
    switch due.action {
    case .delay, .drop, .duplicate, .reorder, .corrupt: end.waitingFaults.append(due)
    case .localDisconnect:
      note(due, on: end)
      close(end.number, reason: .connectionTerminatedByLocalHost, tell: true)
    case .failEstablishment where end.isNew:
      note(due, on: end)
      peripherals[peripheral].giveBackSession()
      close(end.number, reason: .connectionFailedToBeEstablished, tell: true)
    case .refuseConnection, .delayConnection, .failEstablishment: keep(due, for: peripheral)
    case .moveHandles(let shift):
      note(due, on: end)
      peripherals[peripheral].handleShift = shift
      end.handleShift = shift
      // An indication is traffic, too: a fault that each PDU triggers would have no end.
      guard shift.isIndicated, end.indicatedShift != shift else { return }
      end.indicatedShift = shift
      end.connection.changeServices(from: shift.first, at: now)
    case .stallCredits(let time):
      note(due, on: end)
      end.central.handle(.credits(link: end.number, areLeft: false), in: self)
      guard let time else { return }
      let number = end.number
      enqueue({ air in air.links[number]?.central.handle(.credits(link: number, areLeft: true), in: air) }, at: now.advanced(by: time))
    case .rssi, .rotateAddress, .stopAdvertising, .powerOff: disturbRadio(due, of: peripheral, on: end)
    case .disconnect, .vanish, .silence, .error, .delayMTU, .duplicateMTU, .limitMTU, .forgetBond, .failEncryption: break
    }
  }

  /// Reports a fault where it takes effect.
  func note(_ due: FaultSet.Due, on end: LinkEnd?) {
    log.add(.fault(due.fault), link: end?.number ?? 0, at: now)
    faults.fired(due, at: now, link: end?.number ?? 0, pdus: end?.pdus ?? 0)
    if due.action.excuses { end?.connection.excuseRest() }
  }

  /// Takes out faults that a face cannot have; the verdict says why.
  func refuseFaults(impossibleOn face: Fault.Face) {
    for (fault, reason) in faults.remove(impossibleOn: face) {
      wrongFaults.append("the fault \(fault) is impossible on \(face): \(reason)")
    }
  }

  // MARK: - Connections

  /// What is due for an attempt to connect.
  func faultsOfAttempt(_ peripheral: Int) -> [FaultSet.Due] {
    guard !faults.isEmpty || !waitingForAttempt.isEmpty else { return [] }
    return (waitingForAttempt.removeValue(forKey: peripheral) ?? []) + faults.phase(.connecting)
  }

  /// Whether faults let an attempt to connect come about now; what else is due is kept for its link.
  func isAllowed(_ dues: [FaultSet.Due], _ central: any AirCentral, _ peripheral: Int) -> Bool {
    for (place, due) in dues.enumerated() {
      switch due.action {
      case .delayConnection(let time):
        note(due, on: nil)
        attempt(central, peripheral, faults: Array(dues[(place + 1)...]), after: time)
        return false
      case .refuseConnection(let reason), .disconnect(let reason):
        fail(central, peripheral, reason, due)
        return false
      default: keep(due, for: peripheral)
      }
      if !isPoweredOn { return false }
    }
    if peripherals[peripheral].isQuiet { hold(central, peripheral, faults: []) }
    return !peripherals[peripheral].isQuiet
  }

  /// Makes a fault happen that is due without a link, or keeps it until there is one.
  private func keep(_ due: FaultSet.Due, for peripheral: Int) {
    switch due.action.target {
    case .radio: disturbRadio(due, of: peripheral, on: nil)
    case .connection where due.action != .failEstablishment: Self.add(due, to: &waitingForAttempt[peripheral, default: []])
    default: Self.add(due, to: &waitingForLink[peripheral, default: []])
    }
  }

  /// Lets a fault wait once: a peripheral may advertise for long.
  private static func add(_ due: FaultSet.Due, to list: inout [FaultSet.Due]) { if !list.contains(due) { list.append(due) } }

  /// What is done once a link, and was not done on this one, waits for the next.
  func keepWaiting(of end: LinkEnd) {
    for due in end.connection.faultState.waiting where due.action.target != .request { keep(due, for: end.connection.report.peripheral) }
  }

  // MARK: - Radios

  private func disturbRadio(_ due: FaultSet.Due, of peripheral: Int, on end: LinkEnd?) {
    guard peripherals.indices.contains(peripheral) else { return }
    note(due, on: end)
    switch due.action {
    case .rssi(let strength): peripherals[peripheral].signalStrength = strength
    case .rotateAddress(let resolvable): peripherals[peripheral].rotateAddress(resolvable: resolvable, only: chosenSessions)
    case .stopAdvertising(let time): stopAdvertising(peripheral, for: time)
    case .powerOff(let time):
      setAdapter(isOn: false)
      if let time { enqueue({ $0.setAdapter(isOn: true) }, at: now.advanced(by: time)) }
    default: break
    }
  }

  /// Keeps a peripheral from advertising, and from being connected to; of several times the one that ends last holds.
  private func stopAdvertising(_ peripheral: Int, for time: Duration?) {
    let end = time.map(now.advanced(by:)) ?? AirInstant(nanoseconds: .max)
    let known = peripherals[peripheral].quietUntil ?? .start
    peripherals[peripheral].quietUntil = max(known, end)
    guard time != nil, end > known else { return }
    enqueue({ $0.resumeAdvertising(peripheral) }, at: end)
  }

  private func resumeAdvertising(_ peripheral: Int) {
    guard let end = peripherals[peripheral].quietUntil, end <= now else { return }
    peripherals[peripheral].quietUntil = nil
    if let attempt = heldAttempts.removeValue(forKey: peripheral) { add(attempt, at: now) }
  }

  /// Has an attempt to connect wait until the peripheral advertises again, as a phone's does.
  func hold(_ central: any AirCentral, _ peripheral: Int, faults: [FaultSet.Due]?) {
    heldAttempts[peripheral] = begin(central, peripheral, faults: faults)
  }

  /// Switches the centrals' adapters: with them go links, scans and attempts, and no central hears of each.
  package func setAdapter(isOn: Bool) {
    guard isPoweredOn != isOn else { return }
    isPoweredOn = isOn
    log.add(.adapter(isOn: isOn), link: 0, at: now)
    if !isOn {
      for link in links.keys.sorted() {
        links[link]?.connection.report.isExcused = true
        close(link, reason: .connectionTerminatedByLocalHost, tell: false)
      }
      (scans, attempts) = ([:], [:])
    }
    for central in presentCentrals { central.handle(.adapter(isOn: isOn), in: self) }
  }
}
