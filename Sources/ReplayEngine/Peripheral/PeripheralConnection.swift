import GATTStack
import ReplayScenarios

/// A virtual peripheral's end of one link: a state machine without I/O that plays one session.
///
/// ATT PDUs and the clock go in, ATT PDUs and the end of the link come out. Which face it serves it does not know.
final class PeripheralConnection {
  enum Output {
    /// An ATT PDU, and the number of the channel that carries it, 0 for the fixed one.
    case send([UInt8], bearer: Int)
    /// Faults that act on the PDU that is sent next.
    case attach([FaultSet.Due])
    /// What an end does besides; the central's, where its stack is played for it.
    case procedure(LinkProcedure, by: TimelineEntry.Side)
    /// How something that the other end asked for came out.
    case settled(LinkProcedure, LinkProcedure.Outcome, by: TimelineEntry.Side)
    /// The central's user is asked whether to pair.
    case pairingAsked(LinkProcedure)
    /// The link ends, and the central is told this reason.
    case end(HCIErrorCode)
    /// A fault takes effect with what comes next.
    case fired(FaultSet.Due)
    /// A fault that is not the peripheral's to make happen.
    case fault(FaultSet.Due)
    /// The PDU in hand goes back to where it came from, for faults to act on it.
    case takenBack(Resumption, [FaultSet.Due])
  }

  enum Action {
    /// Send an answer, and count the entry as completed.
    case respond([UInt8], bearer: Int, entry: Int?, about: Answered?)
    /// Count an entry as completed whose answer nobody gets.
    case complete(Int)
    /// An entry that gets no answer is over.
    case pass(Int)
    /// Begin an entry of the peripheral's own, if it still waits for this turn.
    case begin(Int, turn: Int)
    /// Tell how a procedure came out, and count its entry as completed.
    case settle(LinkProcedure, LinkProcedure.Outcome, entry: Int?)
    /// Do one step of a rule.
    case follow(Rule.Step.Action, request: [UInt8], count: Int)
    /// Keep what a CCCD write set that ends a subscription: until its response the device may still tell values.
    case configure(AttributeHandle, [UInt8])
    /// The central takes the link for lost.
    case lose
    /// The ATT MTU that was granted late is in force.
    case agree(client: Int, server: Int, bearer: Int)
    /// Tell by Service Changed that attributes were moved.
    case tellServiceChanged
  }

  /// What a response answers.
  struct Answered {
    var use: Fault.Use
    var handle: AttributeHandle
    /// The number of a long one's part, from 1, and whether all is answered with it.
    var part: UInt16 = 1
    var isLast = true

    static func read(_ handle: AttributeHandle) -> Answered { Answered(use: .read, handle: handle) }
    static func write(_ handle: AttributeHandle) -> Answered { Answered(use: .write, handle: handle) }
  }

  /// The attributes of each database, and of the one that holds.
  let maps: [AttributeMap]
  private(set) var attributes: AttributeMap
  /// The number of the database that holds.
  private(set) var database: Int
  let session: CompiledSession
  /// Sessions that were played before, the latest last: requests that the tape does not have are looked up there.
  let earlier: [CompiledSession]
  let device: Device
  let match: MatchLevel
  let policy: UnmatchedPolicy
  var tape: TapeState
  var server: GATTServer
  var report: SessionReport
  /// CCCD values, by handle of the descriptor.
  var configuration = HandleTable<UInt16>()
  /// Those that were not written on this link, but are known from the bond.
  var configurationOfBond: Set<AttributeHandle> = []
  /// Whether the central pairs, encrypts and opens channels by itself.
  let centralPerforms: Bool
  /// Whether the central's user is asked before a pairing, and the one that waits for it.
  let asksBeforePairing: Bool
  var pairing = PairingState.none
  /// The channel of the PDU in hand, and the ATT MTU of each that is open but not in hand.
  var bearer = 0
  var bearerMTUs: [Int: Int] = [:]
  /// How many channels a central opened that were not recorded.
  var furtherChannels = 0
  /// Entries of the peripheral's that wait for the central's consent.
  var ownProcedures: [Int] = []
  var schedule = TimedQueue<Action>()
  var waiting: WaitingEntries
  var counts: WriteCounts
  /// What is done whatever the recording has.
  var rules: RuleBook
  /// Attributes whose last Read Request a rule answered: what follows of a long read goes on with its value.
  var ruledReads: Set<AttributeHandle> = []
  /// Entries in whose place a rule was followed, with the attributes that it tells: what the recording told of these is not told.
  var ruled: [Int: Set<AttributeHandle>] = [:]
  /// Attributes that were written: under `stateful` a read gets that.
  var changed: Set<AttributeHandle> = []
  /// The last write to each attribute that had a counter, as recorded and as made.
  var counters: [AttributeHandle: (recorded: [UInt8], written: [UInt8])] = [:]
  /// Recorded writes by their values, of attributes that were written when the tape was over.
  var writeIndexes: [WriteIndex.Key: WriteIndex] = [:]
  /// The place of the next entry among those that wait for silence, and when the last PDU went over the link.
  var nextIdle = 0
  var lastTraffic = AirInstant.start
  /// When the link came up.
  private var start = AirInstant.start
  /// Whether the central has looked for characteristics since the database holds.
  var hasDiscovered = false
  /// Whether the peripheral fell silent: it hears and says nothing until the link is lost.
  var isSilent = false
  /// Whether it hears and answers.
  var isResponsive: Bool { !hasEnded && !isSilent && !faultState.isMute }
  /// Entries whose indication waits for its confirmation.
  var indications: [Int] = []
  /// Entries whose indication waits until the one before is confirmed (Core 5.4, Vol 3, Part F, 3.3.3).
  var heldIndications: [Int] = []
  /// The attribute whose indication by a rule waits for its confirmation, by bearer, and those that wait until another is confirmed.
  var ruledIndications: [Int: AttributeHandle] = [:]
  var heldRuledIndications: [(bearer: Int, handle: AttributeHandle, value: [UInt8])] = []
  /// How long answers take, and what that is drawn from; how long the central waits for a peripheral that fell silent.
  let timing: LinkTiming
  private var random: SeededRandom
  /// When indications and requests of the peripheral's that wait for their answers are overdue.
  var unanswered: [Transaction: AirInstant] = [:]
  /// The bearers on which the answer to a request is still to be sent, a bit each.
  var answersDue: UInt64 = 0
  /// The entry whose request to the central waits for its answer, by channel.
  var ownRequests: [Int: Int] = [:]
  /// The attribute whose value was told last.
  var streaming: AttributeHandle?
  private(set) var hasEnded = false
  var barrier = TapeBarrier()
  /// When what is at hand happens.
  var moment = AirInstant.start
  /// How far the triggers of the PDU in hand have been looked at, and the entry that it consumed when it arrived before.
  private(set) var passed = Stage.none
  var assigned: Int?
  var faultState = FaultState()
  let bond: BondMemory
  /// How many parts of a long read, and of a long write, were asked for.
  var partsRead: UInt16 = 0
  var partsPrepared: UInt16 = 0
  /// The supervision timeout that other parameters brought; until then that of the session holds.
  var updatedSupervisionTimeout: Duration?

  init(
    scenario: Scenario, maps: [AttributeMap], session: CompiledSession, earlier: [CompiledSession],
    kept: VirtualPeripheral.Subscriptions? = nil, bond: BondMemory, centralPerforms: Bool = false,
    asksBeforePairing: Bool = false, timing: LinkTiming = .recorded,
    seed: UInt64 = 0, deviceRules: [DeviceRule] = [], report: SessionReport
  ) {
    self.bond = bond
    (self.centralPerforms, self.asksBeforePairing) = (centralPerforms, asksBeforePairing)
    self.timing = timing
    random = SeededRandom(seed: seed)
    self.maps = maps
    database = session.session.database
    attributes = maps.map(database)
    self.session = session
    self.earlier = earlier
    device = scenario.device
    match = scenario.match
    policy = scenario.unmatched
    rules = RuleBook(scenario.rules, code: deviceRules, attributes)
    tape = TapeState(session)
    waiting = WaitingEntries(session)
    counts = WriteCounts(session)
    server = GATTServer(database: attributes.database)
    server.mtu = session.session.mtu
    self.report = report
    if !bond.isForgotten { configuration = HandleTable(session.session.subscriptions) }
    if let (subscriptions, map) = kept {
      for (descriptor, value) in attributes.kept(subscriptions, from: map).all { configuration[descriptor] = value }
    }
    configurationOfBond = Set(configuration.all.lazy.map(\.handle))
    showConfiguration()
  }

  /// The moment at which ``wake(at:faults:outputs:)`` has something to do.
  var nextDeadline: AirInstant? {
    while case .begin(let entry, let turn)? = schedule.first, !waiting.isWaiting(entry, turn: turn, in: session) { schedule.removeFirst() }
    guard !hasEnded else { return nil }
    guard let overdue = overdueTime else { return schedule.next }
    return min(overdue, schedule.next ?? overdue)
  }

  // MARK: - Inputs

  /// The link came up.
  func open(at now: AirInstant) {
    (start, moment, lastTraffic) = (now, now, now)
    barrier.start = now
    cause(.connection, at: now)
    awaitSilence()
  }

  /// One ATT PDU arrived.
  func receive(
    _ bytes: [UInt8], bearer: Int = 0, resuming resumption: Resumption? = nil, at now: AirInstant, faults: inout FaultSet,
    outputs: inout [Output]
  ) {
    guard isResponsive, let first = bytes.first else { return }
    (lastTraffic, moment) = (now, now)
    select(bearer)
    // A copy that a fault made, or a PDU that it held up, is not the central's doing.
    if resumption == nil, answersDue & Self.bit(of: bearer) != 0 { noteOverlap(ATTOpcode(rawValue: first), at: now) }
    let outcome: GATTServer.Outcome
    if faults.isEmpty, faultState.waiting.isEmpty, !bond.isForgotten, resumption == nil {
      (passed, assigned) = (.none, nil)
      outcome = server.receive(bytes)
    } else {
      (passed, assigned) = (resumption?.passed ?? .none, resumption?.entry)
      (faultState.request, faultState.inHand) = (Self.request(bytes), resumption?.outcome)
      if refuses(resuming: resumption, &outputs) { return }
      if let phase = Self.phase(ATTOpcode(rawValue: first)), stops(.phase, faults.phase(phase, of: report.peripheral), &outputs) { return }
      outcome = resumption?.outcome ?? server.receive(bytes)
      faultState.inHand = outcome
    }
    switch outcome {
    case .exchangeMTU(let mtu): exchangeMTU(mtu, at: now, faults: &faults, outputs: &outputs)
    case .confirmation: confirm(at: now, faults: &faults, outputs: &outputs)
    case .response(let pdu): finishOwnRequest(pdu, at: now, faults: &faults, outputs: &outputs)
    case .respond(let computed):
      noteDiscovery(bytes)
      answerRecorded(bytes, else: computed, at: now, faults: &faults, outputs: &outputs)
    case .ignored: answerRecorded(bytes, else: nil, at: now, faults: &faults, outputs: &outputs)
    case .value(let request): value(request, bytes, at: now, faults: &faults, outputs: &outputs)
    }
  }

  /// The clock reached a deadline.
  func wake(at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    moment = now
    while !hasEnded, let (time, action) = schedule.pop(through: now) {
      let before = outputs.count
      switch action {
      case .respond(var bytes, let bearer, let entry, let request):
        select(bearer)
        if !faults.isEmpty, let request {
          let dues = faults.attribute(
            .response, handle: request.handle, uuid: attributes.types[request.handle], of: report.peripheral, before: true)
          guard let sent = response(bytes, dues, to: request, &outputs) else { return }
          bytes = sent
        }
        answersDue &= ~Self.bit(of: bearer)
        send(bytes, &outputs)
        if let entry { complete(entry, at: time) }
        if let request, answered(request, &faults, &outputs) { return }
        if let entry, played(entry, &faults, &outputs) { return }
      case .complete(let entry): complete(entry, at: time)
      case .pass(let entry): if played(entry, &faults, &outputs) { return }
      case .begin(let entry, let turn):
        guard waiting.isWaiting(entry, turn: turn, in: session), !isHeldByTraffic(entry, at: time) else { continue }
        waiting.remove(entry)
        begin(entry, at: time, faults: &faults, outputs: &outputs)
        if session.idle.indices.contains(nextIdle), session.idle[nextIdle] == entry {
          nextIdle += 1
          awaitSilence()
        }
      case .settle(let procedure, let outcome, let entry):
        finish(procedure, outcome, entry, at: time, faults: &faults, outputs: &outputs)
      case .follow(let step, let request, let count):
        follow(step, request, count, at: time, faults: &faults, outputs: &outputs)
        if hasEnded { return }
      case .configure(let descriptor, let value): subscribe(descriptor, value)
      case .lose:
        outputs.append(.end(.connectionTimeout))
        close()
      case .agree(let client, let granted, let bearer):
        select(bearer)
        server.agree(client: client, server: granted)
      case .tellServiceChanged: tellServiceChanged(faults: &faults, outputs: &outputs)
      }
      if outputs[before...].contains(where: { if case .send = $0 { true } else { false } }) { lastTraffic = time }
    }
    endOverdueBearers(at: now, faults: &faults, outputs: &outputs)
  }

  /// The link is gone; what waited is dropped.
  func close() {
    hasEnded = true
    schedule.removeAll()
    server.discardPrepared()
  }

  // MARK: - Causes and completion

  private func cause(_ cause: CompiledSession.Cause, at now: AirInstant) {
    for entry in session.waiting(for: cause) {
      if session.entries[entry].origin == .central {
        // The central's stack does each once.
        guard !centralPerforms, !tape.used[entry] else { continue }
        tape.use(entry, in: session)
        if asksBeforePairing, case .link(.pair) = session.entries[entry].action { pairing = .toCome }
      } else if let told = ruled(by: cause), let attribute = session.entries[entry].attribute, told.contains(attribute) {
        ruled[entry] = told
        complete(entry, at: now)
        continue
      }
      wait(entry, from: now)
    }
  }

  func complete(_ entry: Int, at now: AirInstant) {
    if let number = session.entries[entry].database { hold(number, from: entry) }
    tape.complete(entry, in: session)
    counts.complete(entry, in: session)
    barrier.complete(entry, at: now)
    cause(.completed(entry), at: now)
  }

  /// Another database holds from here on: its attributes have their first values, and what stands elsewhere is not subscribed to.
  func hold(_ number: Int, from entry: Int) {
    guard number != database else { return }
    let before = attributes
    database = number
    hasDiscovered = false
    attributes = maps.map(number)
    server.database = attributes.database
    tape.hold(database: number, from: entry, in: session)
    configuration = attributes.kept(configuration, from: before)
    showConfiguration()
  }

  /// A request of the central that stands on the tape arrived.
  func requested(_ entry: Int, at now: AirInstant) {
    if session.isCounted(entry) {
      report.timing.add(nanoseconds: (now.duration(since: start) - session.entries[entry].at).inNanoseconds)
    }
    cause(.requested(entry), at: now)
  }

  func respond(_ pdu: ATTPDU, after latency: Duration?, at now: AirInstant, entry: Int? = nil, about request: Answered? = nil) {
    respond(raw: pdu.bytes, after: latency, at: now, entry: entry, about: request)
  }

  func respond(
    raw bytes: [UInt8], after latency: Duration?, at now: AirInstant, entry: Int?, about request: Answered? = nil
  ) {
    let delay = timing.response == .recorded ? latency ?? .zero : timing.response.draw(latency, &random)
    answersDue |= Self.bit(of: bearer)
    schedule.add(.respond(bytes, bearer: bearer, entry: entry, about: request), at: now.advanced(by: delay), rank: entry ?? .max - 1)
  }

  static func phase(_ opcode: ATTOpcode) -> Fault.Phase? {
    switch opcode {
    case .exchangeMTURequest: .mtu
    case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest: .discovery
    case .prepareWriteRequest: .longWrite
    default: nil
    }
  }
}
