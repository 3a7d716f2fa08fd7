import ReplayScenarios

/// Pairing of a central whose stack is played, and whose user is asked.
extension PeripheralConnection {
  /// How far a pairing is.
  enum PairingState {
    case none
    /// The recorded central's stack is about to begin it.
    case toCome
    /// The user is asked; with its entry, where it was recorded.
    case asked(LinkProcedure, entry: Int?)
    case underWay
  }

  /// Why a pairing fails that the user did not agree to: Unspecified Reason (Core 5.4, Vol 3, Part H, 3.5.5).
  private static let refusedByUser: UInt16 = 0x08

  /// Whether a pairing goes on, or is about to.
  var isPairing: Bool { if case .none = pairing { false } else { true } }

  func ask(_ procedure: LinkProcedure, _ entry: Int?, _ outputs: inout [Output]) {
    pairing = .asked(procedure, entry: entry)
    outputs.append(.pairingAsked(procedure))
  }

  /// What a device says to a pairing that was never seen to pair: Pairing Not Supported.
  private static let notSupported: UInt16 = 0x05

  /// The central wants to pair; one pairing at a time.
  func requestPairing(at now: AirInstant, outputs: inout [Output]) {
    guard case .none = pairing, isResponsive else { return }
    moment = now
    guard bond.pairs || bond.isForgotten else {
      return outputs.append(.settled(.pair(Pairing()), .failure(Self.notSupported), by: .peripheral))
    }
    ask(.pair(Pairing()), nil, &outputs)
  }

  /// The user has agreed or not.
  func consent(_ isGiven: Bool, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    guard case .asked(let procedure, let entry) = pairing else { return }
    moment = now
    pairing = isGiven ? .underWay : .none
    outputs.append(.procedure(procedure, by: .central))
    guard isGiven else { return outputs.append(.settled(procedure, .failure(Self.refusedByUser), by: .peripheral)) }
    guard let entry else { return perform(procedure, at: now, faults: &faults, outputs: &outputs) }
    if meet(faults.phase(.encrypting, of: report.peripheral), &outputs) { return }
    requested(entry, at: now)
    follow(procedure, entry, at: now, &outputs)
  }

  /// Whether the central has keys for the peripheral that this one does not have any more.
  var hasLostBond: Bool {
    bond.isForgotten && !bond.isForgottenByCentral
      && (session.session.bonded || session.entries.contains { $0.origin == .central && $0.action == .link(.encrypt(.bonded)) })
  }
}
