import ReplayScenarios

/// Transactions that the peripheral begins, and that the central does not finish in time.
///
/// After 30 s without an answer no further requests, commands, notifications or indications go over a bearer
/// (Core 5.4, Vol 3, Part F, 3.3.3). All that follows from that is what is not sent, so it is looked at when something is to be sent.
extension PeripheralConnection {
  private static let transactionTimeout = Duration.seconds(30)

  /// Something that waits for its answer, one of each kind on a bearer.
  struct Transaction: Hashable {
    var bearer: Int
    var isIndication: Bool
  }

  /// An indication or a request went out over the bearer in hand.
  func awaitAnswer(isIndication: Bool) { unanswered[Transaction(bearer: bearer, isIndication: isIndication)] = moment }

  /// The central answered; `false` where that is too late to count.
  func answered(isIndication: Bool) -> Bool {
    guard !hasTimedOut else { return false }
    unanswered[Transaction(bearer: bearer, isIndication: isIndication)] = nil
    return true
  }

  /// Whether nothing more may be told over the bearer in hand.
  var hasTimedOut: Bool {
    !unanswered.isEmpty
      && unanswered.contains { $0.bearer == bearer && moment.duration(since: $1) >= Self.transactionTimeout }
  }

  /// Passes over an entry that would be told, if it may not be any more; whether that is so.
  func passesOver(_ index: Int, at now: AirInstant) -> Bool {
    guard hasTimedOut else { return false }
    switch session.entries[index].action {
    case .notify, .indicate, .exchangeMTU, .read, .readBlob, .write, .writeCommand, .pdu: break
    case .link, .disconnect, .vanish: return false
    }
    tape.use(index, in: session)
    report.timedOut += 1
    complete(index, at: now)
    return true
  }
}
