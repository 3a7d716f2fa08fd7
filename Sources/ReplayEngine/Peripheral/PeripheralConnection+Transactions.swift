import GATTStack
import ReplayScenarios

/// Transactions that the peripheral begins, and that the central does not finish in time.
///
/// What gets no answer for 30 s ends its bearer (Core 5.4, Vol 3, Part F, 3.3.3): a channel of Enhanced ATT is closed, and with the fixed
/// channel the link ends.
extension PeripheralConnection {
  /// Something that waits for its answer, one of each kind on a bearer.
  struct Transaction: Hashable {
    var bearer: Int
    var isIndication: Bool
  }

  /// An indication or a request went out over the bearer in hand; `recorded` is how long its answer took then, where it may take longer.
  func awaitAnswer(isIndication: Bool, recorded: Duration? = nil) {
    let limit = max(GATTClient.transactionTimeout, (recorded ?? .zero) + .seconds(1))
    unanswered[Transaction(bearer: bearer, isIndication: isIndication)] = moment.advanced(by: limit)
  }

  /// The central answered.
  func answered(isIndication: Bool) { unanswered[Transaction(bearer: bearer, isIndication: isIndication)] = nil }

  /// When the earliest of them is overdue.
  var overdueTime: AirInstant? { unanswered.isEmpty ? nil : unanswered.values.min() }

  /// Ends the bearers over which an answer is overdue.
  func endOverdueBearers(at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    guard !hasEnded, let time = overdueTime, time <= now else { return }
    report.timedOut += 1
    let overdue = Set(unanswered.filter { $0.value <= now }.map(\.key.bearer))
    if overdue.contains(0) {
      outputs.append(.end(.remoteUserTerminatedConnection))
      return close()
    }
    for channel in overdue.sorted() { closeOverdue(channel, at: now, faults: &faults, outputs: &outputs) }
  }

  /// The bit of a bearer in a set of them; beyond the 64th none has one.
  static func bit(of bearer: Int) -> UInt64 { 1 << bearer }

  /// A client has one request at a time on a bearer (Core 5.4, Vol 3, Part F, 3.3.2); another came before the answer to the last.
  func noteOverlap(_ opcode: ATTOpcode, at now: AirInstant) {
    if opcode.role == .request { report.addOverlap(opcode, at: now) }
  }

  private func closeOverdue(_ channel: Int, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    indications.removeAll { session.entries[$0].bearer == channel }
    ruledIndications[channel] = nil
    ownRequests[channel] = nil
    unanswered = unanswered.filter { $0.key.bearer != channel }
    outputs.append(.procedure(.closeChannel(channel), by: .peripheral))
    removeBearer(channel)
    for place in heldRuledIndications.indices where heldRuledIndications[place].bearer == channel { heldRuledIndications[place].bearer = 0 }
    select(0)
    if !isUnconfirmed { indicateNext(at: now, faults: &faults, outputs: &outputs) }
  }
}
