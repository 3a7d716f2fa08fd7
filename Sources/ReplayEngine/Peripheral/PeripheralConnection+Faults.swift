import GATTStack
import ReplayScenarios

/// What faults make of what arrives, of what is about to be sent, and of what just happened.
extension PeripheralConnection {
  /// How far the triggers of a PDU that arrived have been looked at, in their order.
  enum Stage: Int, Comparable {
    case none, phase, use, entry, all
    static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
  }

  /// What was found out about a PDU before a fault took it back: it is not looked for on the tape again when it arrives once more.
  struct Resumption {
    /// What the server made of it; `nil` where it is to look at it.
    var outcome: GATTServer.Outcome?
    /// The entry that it consumed.
    var entry: Int?
    /// Triggers up to here are not looked at again.
    var passed: Stage

    /// A PDU that no trigger waits for any more.
    static let passedAll = Resumption(outcome: nil, entry: nil, passed: .all)
  }

  /// Whether faults keep the PDU in hand from being handled, now that `stage` is reached.
  func stops(_ stage: Stage, entry: Int? = nil, _ dues: @autoclosure () -> [FaultSet.Due], _ outputs: inout [Output]) -> Bool {
    guard passed < stage else { return false }
    let dues = dues()
    if dues.isEmpty { return false }
    var taken: [FaultSet.Due] = []
    for due in dues {
      switch due.action.target {
      case .pdu: taken.append(due)
      case .link: if apply(due, &outputs) { return true }
      }
    }
    guard !taken.isEmpty else { return false }
    outputs.append(.takenBack(Resumption(outcome: inHand, entry: entry ?? assigned, passed: stage), taken))
    return true
  }

  /// Whether faults keep what is about to be sent from being sent; what they do to the PDU goes out with it.
  func holdsBack(_ dues: [FaultSet.Due], _ outputs: inout [Output]) -> Bool {
    for due in dues {
      switch due.action.target {
      case .pdu: attached.append(due)
      case .link:
        if apply(due, &outputs) {
          attached = []
          return true
        }
      }
    }
    return false
  }

  /// Lets faults happen that nothing is in hand for; whether the link is over then.
  @discardableResult
  func meet(_ dues: [FaultSet.Due], _ outputs: inout [Output]) -> Bool {
    for due in dues where apply(due, &outputs) { return true }
    return false
  }

  /// Sends a PDU, with what faults do to it.
  func send(_ bytes: [UInt8], _ outputs: inout [Output]) {
    outputs.append(.send(bytes, bearer: bearer, faults: attached))
    if !attached.isEmpty { attached = [] }
  }

  private func apply(_ due: FaultSet.Due, _ outputs: inout [Output]) -> Bool {
    switch due.action {
    case .disconnect(let reason):
      report.isExcused = true
      outputs += [.fired(due), .end(reason)]
      close()
      return true
    case .delay, .drop, .duplicate, .reorder, .corrupt:
      outputs.append(.fault(due))
      return false
    }
  }

  // MARK: - Triggers

  /// Whether faults keep a request or command for an attribute from being handled.
  func stopsUse(_ use: Fault.Use, _ handle: AttributeHandle, _ faults: inout FaultSet, _ outputs: inout [Output]) -> Bool {
    stops(.use, faults.attribute(use, handle: handle, uuid: attributes.types[handle], before: true), &outputs)
  }

  /// Whether faults keep the entry that the PDU in hand consumed from being played.
  func stopsEntry(_ entry: Int, _ faults: inout FaultSet, _ outputs: inout [Output]) -> Bool {
    stops(.entry, entry: entry, faults.entry(session.index, entry, before: true), &outputs)
  }

  /// Whether the link is over after something was done with an attribute.
  func used(_ use: Fault.Use, _ handle: AttributeHandle, _ faults: inout FaultSet, _ outputs: inout [Output]) -> Bool {
    meet(faults.attribute(use, handle: handle, uuid: attributes.types[handle], before: false), &outputs)
  }

  /// Whether the link is over after an entry was played.
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

  /// The entry that the PDU in hand consumed before it was taken back.
  func takeAssigned() -> Int? {
    guard assigned != nil else { return nil }
    defer { assigned = nil }
    return assigned
  }
}
