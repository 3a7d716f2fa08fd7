import GATTStack
import ReplayScenarios

/// What faults make of what arrives, of what is about to be sent, and of what just happened.
extension PeripheralConnection {
  /// How far the triggers of a PDU that arrived have been looked at, in their order; of a copy that a fault made, none is.
  enum Stage: Int, Comparable {
    case none, phase, use, entry, all, copy
    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }

  /// What was found out about a PDU before a fault took it back: it is not looked for on the tape again when it arrives once more.
  final class Resumption {
    /// What the server made of it; `nil` where it is to look at it.
    let outcome: GATTServer.Outcome?
    /// The entry that it consumed.
    let entry: Int?
    /// Triggers up to here are not looked at again.
    let passed: Stage
    /// The fault that refuses it when it arrives.
    let refusal: FaultSet.Due?

    init(outcome: GATTServer.Outcome?, entry: Int?, passed: Stage, refusal: FaultSet.Due? = nil) {
      (self.outcome, self.entry, self.passed, self.refusal) = (outcome, entry, passed, refusal)
    }

    /// A PDU that no trigger waits for any more.
    static var passedAll: Resumption { Resumption(outcome: nil, entry: nil, passed: .all) }
    /// A PDU that nobody sent.
    static var copy: Resumption { Resumption(outcome: nil, entry: nil, passed: .copy) }
  }

  /// What faults made of a connection that go on with it.
  struct FaultState {
    /// What the server made of the PDU in hand, and the request that it is.
    var inHand: GATTServer.Outcome?
    var request: (opcode: ATTOpcode, handle: AttributeHandle)?
    /// Faults that act on the PDU that is sent next.
    var attached: [FaultSet.Due] = []
    /// Faults that wait for a request, for Exchange MTU, and for an encryption.
    var waiting: [FaultSet.Due] = []
    /// Whether the peripheral's host fell silent: the link stays.
    var isMute = false
    /// The range of attributes that Service Changed is still to tell of.
    var changedServices: [UInt8]?
  }

  // MARK: - What is due

  /// Whether faults keep the PDU in hand from being handled, now that `stage` is reached.
  func stops(_ stage: Stage, entry: Int? = nil, _ dues: @autoclosure () -> [FaultSet.Due], _ outputs: inout [Output]) -> Bool {
    guard passed < stage else { return false }
    let dues = dues()
    if dues.isEmpty { return false }
    var taken: [FaultSet.Due] = []
    var refusal: FaultSet.Due?
    for due in dues {
      switch due.action {
      case .delay, .drop, .duplicate, .reorder, .corrupt: taken.append(due)
      case .error where faultState.request != nil && refusal == nil: refusal = due
      default: if apply(due, &outputs) { return true }
      }
    }
    guard !taken.isEmpty else { return refusal.map { refuse(by: $0, &outputs) } ?? false }
    let resumption = Resumption(outcome: faultState.inHand, entry: entry ?? assigned, passed: stage, refusal: refusal)
    outputs.append(.takenBack(resumption, taken))
    return true
  }

  /// Whether faults keep what is about to be sent from being sent; what they do to the PDU goes out with it.
  func holdsBack(_ dues: [FaultSet.Due], _ outputs: inout [Output]) -> Bool {
    for due in dues {
      if due.action.target == .pdu {
        faultState.attached.append(due)
      } else if apply(due, &outputs) {
        faultState.attached = []
        return true
      }
    }
    return false
  }

  /// Lets faults happen that nothing is in hand for; whether the link is over then.
  @discardableResult
  func meet(_ dues: [FaultSet.Due], at now: AirInstant? = nil, _ outputs: inout [Output]) -> Bool {
    if let now { moment = now }
    for due in dues where apply(due, &outputs) { return true }
    return false
  }

  /// Sends a PDU, with what faults do to it.
  func send(_ bytes: [UInt8], _ outputs: inout [Output]) {
    if !faultState.attached.isEmpty {
      outputs.append(.attach(faultState.attached))
      faultState.attached = []
    }
    outputs.append(.send(bytes, bearer: bearer))
  }

  /// Does what a fault does, or keeps it for what it waits for; whether nothing more is to be done with what is in hand.
  private func apply(_ due: FaultSet.Due, _ outputs: inout [Output]) -> Bool {
    switch due.action {
    case .disconnect(let reason):
      report.isExcused = true
      outputs += [.fired(due), .end(reason)]
      close()
      return true
    case .vanish:
      report.isExcused = true
      outputs.append(.fired(due))
      fallSilent(for: supervisionTimeout ?? Self.usualSupervisionTimeout)
      return true
    case .silence:
      outputs.append(.fired(due))
      faultState.isMute = true
      stop()
      return true
    case .forgetBond:
      outputs.append(.fired(due))
      bond.isForgotten = true
      forgetConfigurationOfBond()
      return false
    case .error, .delayMTU, .duplicateMTU, .limitMTU, .failEncryption:
      faultState.waiting.append(due)
      return false
    case .localDisconnect:
      report.isExcused = true
      outputs.append(.fault(due))
      close()
      return true
    case .refuseConnection, .delayConnection, .failEstablishment, .delay, .drop, .duplicate, .reorder, .corrupt, .moveHandles,
      .stallCredits, .rssi, .rotateAddress, .stopAdvertising, .powerOff:
      outputs.append(.fault(due))
      return false
    }
  }

  /// The supervision timeout where the session tells none.
  private static let usualSupervisionTimeout = Duration.seconds(5)

  /// The peripheral hears and says nothing any more; the central takes the link for lost after a time.
  func fallSilent(for time: Duration) {
    isSilent = true
    stop()
    schedule.add(.lose, at: moment.advanced(by: time))
  }

  /// Drops what the peripheral was about to do, and what it waits for.
  private func stop() {
    schedule.removeAll()
    unanswered.removeAll()
    answersDue = 0
  }

  /// What the app does not do from here on may be the fault's doing.
  func excuseRest() {
    guard report.excusedFrom == nil else { return }
    report.excusedFrom = tape.firstUnused(in: session) ?? session.entries.count
  }

  /// Takes the first fault that waits for something of this kind.
  func takeWaiting(_ target: Fault.Action.Target) -> FaultSet.Due? {
    guard !faultState.waiting.isEmpty else { return nil }
    return faultState.waiting.firstIndex { $0.action.target == target }.map { faultState.waiting.remove(at: $0) }
  }

  // MARK: - Requests

  /// Answers a request with an error in place of its answer.
  private func refuse(
    _ request: ATTOpcode, _ handle: AttributeHandle, _ code: ATTErrorCode, _ due: FaultSet.Due?, _ outputs: inout [Output]
  ) {
    if let due { outputs.append(.fired(due)) }
    // A long write that is refused leaves nothing behind (Core 5.4, Vol 3, Part F, 3.4.6.3).
    if request == .executeWriteRequest { server.discardPrepared() }
    respond(.errorResponse(request: request, handle: handle, error: code), after: nil, at: moment)
  }

  /// Whether a fault refuses the request in hand.
  private func refuse(by due: FaultSet.Due, _ outputs: inout [Output]) -> Bool {
    guard let request = faultState.request, case .error(let code) = due.action else { return false }
    refuse(request.opcode, request.handle, code, due, &outputs)
    return true
  }

  /// Whether a fault that was kept for the request in hand or waited for any, or a bond that is forgotten, refuses it.
  func refuses(resuming resumption: Resumption?, _ outputs: inout [Output]) -> Bool {
    guard let request = faultState.request else { return false }
    if let due = resumption?.refusal ?? takeWaiting(.request) { return refuse(by: due, &outputs) }
    guard bond.isForgotten, bond.protected.contains(request.handle) else { return false }
    refuse(request.opcode, request.handle, .insufficientAuthentication, nil, &outputs)
    return true
  }

  /// The request that a PDU is, with the attribute that an error about it names.
  static func request(_ bytes: [UInt8]) -> (opcode: ATTOpcode, handle: AttributeHandle)? {
    guard let opcode = bytes.first.map({ ATTOpcode(rawValue: $0) }), opcode.role == .request else { return nil }
    let isAboutOne = opcode != .exchangeMTURequest && opcode != .executeWriteRequest && bytes.count >= 3
    return (opcode, AttributeHandle(isAboutOne ? UInt16(bytes[1]) | UInt16(bytes[2]) << 8 : 0))
  }

  /// What a response becomes when faults act on it; `nil` where it is not sent.
  func response(_ bytes: [UInt8], _ dues: [FaultSet.Due], to request: Answered, _ outputs: inout [Output]) -> [UInt8]? {
    var (bytes, rest) = (bytes, dues)
    if let place = rest.firstIndex(where: { $0.action.target == .request }), case .error(let code) = rest[place].action {
      let opcode =
        bytes.first == ATTOpcode.errorResponse.rawValue
        ? ATTOpcode(rawValue: bytes.dropFirst().first ?? 0) : ATTOpcode(rawValue: (bytes.first ?? 1) &- 1)
      outputs.append(.fired(rest.remove(at: place)))
      bytes = ATTPDU.errorResponse(request: opcode, handle: request.handle, error: code).bytes
    }
    return holdsBack(rest, &outputs) ? nil : bytes
  }

  // MARK: - Triggers

  /// Whether faults keep a request or command for an attribute from being handled; `part` tells the part of a long one that it is.
  func stopsUse(
    _ use: Fault.Use, _ handle: AttributeHandle, part: UInt16? = nil, _ faults: inout FaultSet, _ outputs: inout [Output]
  ) -> Bool {
    stops(.use, faults.attribute(use, handle: handle, uuid: attributes.types[handle], part: part, before: true), &outputs)
  }

  /// Whether faults keep a CCCD from being written.
  func stopsSubscribing(
    _ descriptor: AttributeHandle, _ value: [UInt8], _ faults: inout FaultSet, _ outputs: inout [Output]
  ) -> Bool {
    if stops(.phase, faults.phase(.subscribing), &outputs) { return true }
    guard let first = value.first, first & 3 != 0, let attribute = attributes.valueOfConfiguration[descriptor] else { return false }
    return stopsUse(.subscription, attribute, &faults, &outputs)
  }

  /// Whether faults keep the entry that the PDU in hand consumed from being played.
  func stopsEntry(_ entry: Int, _ faults: inout FaultSet, _ outputs: inout [Output]) -> Bool {
    stops(.entry, entry: entry, faults.entry(session.index, entry, before: true), &outputs)
  }

  /// Whether nothing more is to be done after something was done with an attribute.
  func used(_ use: Fault.Use, _ handle: AttributeHandle, part: UInt16? = nil, _ faults: inout FaultSet, _ outputs: inout [Output]) -> Bool {
    meet(faults.attribute(use, handle: handle, uuid: attributes.types[handle], part: part, before: false), &outputs)
  }

  /// Whether nothing more is to be done after an entry was played.
  @discardableResult
  func played(_ entry: Int, _ faults: inout FaultSet, _ outputs: inout [Output]) -> Bool {
    meet(faults.entry(session.index, entry, before: false), &outputs)
  }

  /// Whether faults keep a value from being told.
  func holdsBackValue(_ use: Fault.Use, _ handle: AttributeHandle, _ faults: inout FaultSet, _ outputs: inout [Output]) -> Bool {
    guard !faults.isEmpty else { return false }
    return streaming == handle && holdsBack(faults.phase(.streaming), &outputs)
      || holdsBack(faults.attribute(use, handle: handle, uuid: attributes.types[handle], before: true), &outputs)
  }

  /// Whether nothing more is to be done after a response was sent.
  func answered(_ request: Answered, _ faults: inout FaultSet, _ outputs: inout [Output]) -> Bool {
    guard !faults.isEmpty else { return false }
    let handle = request.handle
    if used(.response, handle, &faults, &outputs) { return true }
    if let use = request.use.part, used(use, handle, part: request.part, &faults, &outputs) { return true }
    guard request.isLast else { return false }
    if request.use != .preparedWrite, used(request.use, handle, &faults, &outputs) { return true }
    guard request.use == .write, configuration[handle, default: 0] != 0, let value = attributes.valueOfConfiguration[handle] else {
      return false
    }
    return used(.subscription, value, &faults, &outputs)
  }

  /// The entry that the PDU in hand consumed before it was taken back.
  func takeAssigned() -> Int? {
    guard assigned != nil else { return nil }
    defer { assigned = nil }
    return assigned
  }
}
