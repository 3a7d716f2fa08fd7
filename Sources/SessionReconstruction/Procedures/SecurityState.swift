import CaptureFiles

/// How far the pairing and the encryption of a link have come.
struct SecurityState {
  /// A pairing that was asked for, as it was told last, and the record of its last command before encryption.
  struct Running {
    var event: LinkEvent
    var pairing: Pairing
    var last: CaptureTime
    /// Whether keys are all that is still to come.
    var isSettled = false
  }
  var running: Running?
  /// Encryption that was asked for and has not come about.
  var encryption: LinkEvent?
  /// Whether a pairing on this link made a key.
  var hasPaired = false
}

// Following pairing, encryption and the distribution of keys.
extension LinkState {
  /// Takes a command of the Security Manager.
  mutating func secure(_ payload: RawSpan, missing: Int, from sender: LinkRole, _ context: Context, log: inout FindingLog) {
    do {
      follow(try SMPPDUView(parsing: payload), from: sender, context)
    } catch {
      if missing == 0 {
        log.add(
          .malformedPDU, .warning, frame: context.frame,
          "link \(link.index): a pairing command that the specification does not allow (\(error))")
      }
    }
  }

  private mutating func follow(_ view: borrowing SMPPDUView, from sender: LinkRole, _ context: Context) {
    switch view {
    case .securityRequest(let authentication): tell(.securityRequest(authentication), by: sender, context)
    case .pairingRequest(let features):
      var pairing = Pairing()
      pairing[sender] = Pairing.End(features)
      let event = tell(.pair(pairing), by: sender, context)
      security.running = SecurityState.Running(event: event, pairing: pairing, last: context.time)
      note(pairing, outcome: nil)
    case .pairingResponse(let features):
      change(context) { running in
        guard !running.isSettled, let request = running.pairing[sender.other]?.features else { return }
        running.pairing.agree(request, features, responder: sender)
        running.last = context.time
      }
    case .pairingConfirm, .pairingRandom, .pairingPublicKey, .pairingDHKeyCheck, .pairingKeypressNotification:
      if security.running?.isSettled == false { security.running?.last = context.time }
    case .pairingFailed(let reason):
      guard var running = security.running, !running.isSettled else { return }
      settle(&running.event, .failure(UInt16(reason.rawValue)), context)
      security.running = nil
      note(running.pairing, outcome: running.event.outcome)
    case .encryptionInformation(let key): keep(.encryption, of: sender, context) { [key = Self.reversed(key)] in $0.longTermKey = key }
    case .centralIdentification(let diversifier, let random):
      keep(.encryption, of: sender, context) { [random = Self.reversed(random)] in ($0.diversifier, $0.random) = (diversifier, random) }
    case .identityInformation(let key): keep(.identity, of: sender, context) { [key = Self.reversed(key)] in $0.identityResolvingKey = key }
    case .identityAddressInformation(let address): keep(.identity, of: sender, context) { $0.identity = address }
    case .signingInformation(let key): keep(.signing, of: sender, context) { [key = Self.reversed(key)] in $0.signatureKey = key }
    case .unknown: break
    }
  }

  /// On the air the least significant octet comes first.
  private static func reversed(_ bytes: RawSpan) -> [UInt8] { bytes.array.reversed() }

  private mutating func keep(_ kind: KeyDistribution, of sender: LinkRole, _ context: Context, _ set: (inout PairingKeys) -> Void) {
    change(context) { running in
      guard var end = running.pairing[sender] else { return }
      end.sent.insert(kind)
      var keys = end.keys ?? PairingKeys()
      set(&keys)
      end.keys = keys
      running.pairing[sender] = end
    }
  }

  /// Changes what is known of the pairing, and tells of it.
  private mutating func change(_ context: Context, _ body: (inout SecurityState.Running) -> Void) {
    guard var running = security.running else { return }
    body(&running)
    running.event.procedure = .pair(running.pairing)
    security.running = running
    note(running.pairing, outcome: running.event.outcome)
    hand(running.event)
  }

  private mutating func note(_ pairing: Pairing, outcome: LinkProcedure.Outcome?) {
    link.pairing = pairing
    link.pairingOutcome = outcome
  }

  // MARK: - Encryption

  /// Somebody asks for encryption.
  mutating func beginEncryption(by sender: LinkRole, _ context: Context) {
    let isPairing = security.running.map { $0.pairing.method != nil && !$0.isSettled } ?? false
    let key: LinkProcedure.EncryptionKey = isPairing || security.hasPaired ? .paired : .bonded
    security.encryption = tell(.encrypt(key), by: sender, context)
  }

  /// It came about, or did not.
  mutating func endEncryption(_ outcome: LinkProcedure.Outcome, _ context: Context) {
    if security.encryption == nil { beginEncryption(by: .central, context) }
    guard var event = security.encryption else { return }
    security.encryption = nil
    settle(&event, outcome, context)
    guard outcome == .success else { return }
    if case .encrypt(.bonded) = event.procedure { link.isBonded = true }
    guard case .encrypt(.paired) = event.procedure, var running = security.running, !running.isSettled else { return }
    running.isSettled = true
    settle(&running.event, .success, at: running.last, context)
    security.running = running
    security.hasPaired = true
    note(running.pairing, outcome: .success)
  }
}

extension Pairing {
  /// An end's part.
  subscript(end: LinkRole) -> End? {
    get { end == .central ? central : peripheral }
    set { if end == .central { central = newValue } else { peripheral = newValue } }
  }

  /// Takes what the response adds to the request.
  fileprivate mutating func agree(_ request: PairingFeatures, _ response: PairingFeatures, responder: LinkRole) {
    self[responder] = End(response)
    settle(initiator: request, responder: response)
  }
}
