import GATTStack
package import ReplayScenarios

/// The tape's other half: a central that sends what the recorded app sent, when it sent it, and compares what comes back.
///
/// A request goes out at its recorded time, but not before the answer to the one before it came. Sessions follow each other.
package final class RecordedCentral: AirCentral, @unchecked Sendable {
  // Its state is only touched inside the air's lock.
  private let scenario: Scenario
  private let peripheral: Int
  private let sessionOrder: [Int]
  private var position = 0
  private var link: Int?
  private var linkStart = AirInstant.start
  private var steps: [CentralStep] = []
  private var nextStep = 0
  /// The answers that requests wait for, in the order of the requests, and the channels on which they come.
  private var awaited: [(bearer: Int, entry: Int, bytes: [UInt8]?, limit: AirInstant)] = []
  /// Whether a look at requests that wait too long is on the clock.
  private var isWatching = false
  /// How often in a row a connection has failed that was not to.
  private var failures = 0
  /// Procedures that are to be settled, and how.
  private var awaitedOutcomes: [(entry: Int, procedure: LinkProcedure, outcome: LinkProcedure.Outcome)] = []
  private enum Reply {
    case pdu([UInt8], bearer: Int)
    case outcome(LinkProcedure, LinkProcedure.Outcome)
  }
  private var replies: [Int: (reply: Reply, link: Int)] = [:]
  private var replyCount = 0
  private var expected = ExpectedTraffic()
  /// What came otherwise than recorded, in words.
  package private(set) var differences: [String] = []
  /// The same where it concerns what the scenario's rules answer or tell.
  package private(set) var differencesByRule: [String] = []
  private let reach: RuleReach
  /// Whether all sessions were played.
  package private(set) var isFinished = false
  private var currentSession: Session { scenario.sessions[sessionOrder[position]] }

  /// How many differences of a kind are kept.
  private static let limit = 100
  private static let stepTimer = -1
  private static let endTimer = -2
  private static let transactionTimer = Int.min
  /// How often it tries to connect for one session.
  private static let attempts = 10
  /// How long a session may go on after its last entry.
  private static let grace = Duration.seconds(60)

  package init(_ scenario: Scenario, peripheral: Int = 0, sessions: [Int]? = nil) {
    self.scenario = scenario
    reach = RuleReach(scenario.rules)
    self.peripheral = peripheral
    sessionOrder = (sessions ?? Array(scenario.sessions.indices)).filter { scenario.sessions.indices.contains($0) }
  }

  package var performsProcedures: Bool { true }
  package var face: Fault.Face? { .recordedCentral }
  package let followsTape = true

  /// Begins with the first session.
  package func start(in air: AirCore) { connect(in: air) }

  private func connect(in air: AirCore) {
    guard position < sessionOrder.count else {
      isFinished = true
      return
    }
    air.connect(self, to: peripheral)
  }

  package func handle(_ event: AirEvent, in air: AirCore) {
    switch event {
    case .connected(let link, _):
      self.link = link
      linkStart = air.now
      steps = CentralStep.steps(of: currentSession)
      nextStep = 0
      (awaited, awaitedOutcomes, isWatching, failures) = ([], [], false, 0)
      expected = ExpectedTraffic(currentSession)
      schedule(in: air)
      air.setTimer(self, at: linkStart.advanced(by: lastMoment), id: Self.endTimer - link)
    case .connectionFailed(_, let reason):
      if currentSession.failed == reason {
        position += 1
      } else {
        // A fault: the session is still to be played, and so it stays on both sides.
        note(nil, "the connection failed with \(reason)")
        failures += 1
        // An app tries again, but not without end.
        if failures >= Self.attempts { (position, failures) = (position + 1, 0) }
      }
      connect(in: air)
    case .received(let from, let bytes, let bearer): if from == link { receive(bytes, bearer, on: from, in: air) }
    case .procedure(let from, let procedure): if from == link { receive(procedure, on: from, in: air) }
    case .settled(let from, let procedure, let outcome): if from == link { settled(procedure, outcome) }
    case .disconnected(let from, let reason): if from == link { ended(reason, in: air) }
    case .timer(Self.stepTimer): step(in: air)
    case .timer(let id) where id == Self.transactionTimer + (link ?? 0): lookForOverdue(in: air)
    case .timer(let id) where id >= 0:
      guard let reply = replies.removeValue(forKey: id), reply.link == link else { break }
      switch reply.reply {
      case .pdu(let bytes, let bearer): air.send(bytes, on: reply.link, bearer: bearer)
      case .outcome(let procedure, let outcome): air.settle(procedure, outcome, on: reply.link)
      }
    case .timer(let id):
      if let current = link, id == Self.endTimer - current { overdue(current, in: air) }
    default: break
    }
  }

  private var hasEnd: Bool {
    currentSession.entries.contains {
      switch $0.action {
      case .disconnect, .vanish: true
      default: false
      }
    }
  }

  /// When the session is over for certain: its last entry, with time to spare where the peripheral is to end it.
  private var lastMoment: Duration {
    let entries = currentSession.entries
    var last: Duration?
    // Field by field: to look at a whole entry is to copy it.
    for index in entries.indices {
      let parts = entries[index].parts.last.map { $0.offset + $0.latency } ?? .zero
      let moment = entries[index].at + (entries[index].latency ?? .zero) + parts
      last = max(last ?? moment, moment)
    }
    return (last ?? .zero) + (hasEnd ? Self.grace : .milliseconds(1))
  }

  private func schedule(in air: AirCore) {
    guard nextStep < steps.count else { return }
    air.setTimer(self, at: linkStart.advanced(by: steps[nextStep].at), id: Self.stepTimer)
  }

  private func step(in air: AirCore) {
    guard let link, nextStep < steps.count else { return }
    let step = steps[nextStep]
    // A timer of an earlier step may come late; a request that waits for the answer before it goes on when that comes.
    guard linkStart.advanced(by: step.at) <= air.now, !step.waits || !awaited.contains(where: { $0.bearer == step.bearer }) else { return }
    nextStep += 1
    switch step.action {
    case .send(let bytes, let answer, let isAnswered):
      if isAnswered { awaitAnswer(step, answer, in: air) }
      air.send(bytes, on: link, bearer: step.bearer)
      if self.link == link { schedule(in: air) }
    case .perform(let procedure, let outcome):
      if let outcome { awaitedOutcomes.append((step.entry, procedure, outcome)) }
      air.perform(procedure, on: link)
      if self.link == link { schedule(in: air) }
    case .disconnect(let reason):
      expected.isEnding = true
      air.disconnect(link, reason: reason)
    }
  }

  /// Waits for an answer: for 30 s, or longer where that was recorded.
  private func awaitAnswer(_ step: CentralStep, _ answer: [UInt8]?, in air: AirCore) {
    let limit = max(GATTClient.transactionTimeout, step.latency + .seconds(1))
    awaited.append((step.bearer, step.entry, answer, air.now.advanced(by: limit)))
    if !isWatching { watch(in: air) }
  }

  private func watch(in air: AirCore) {
    isWatching = !awaited.isEmpty
    guard let link, let limit = awaited.map(\.limit).min() else { return }
    air.setTimer(self, at: limit, id: Self.transactionTimer + link)
  }

  /// A request that gets no answer in time ends the bearer, and with it the link (Core 5.4, Vol 3, Part F, 3.3.3).
  private func lookForOverdue(in air: AirCore) {
    guard let link, let late = awaited.first(where: { $0.limit <= air.now }) else { return watch(in: air) }
    note(late.entry, "got no answer in time and gave the link up")
    expected.isEnding = true
    air.disconnect(link)
  }

  private func receive(_ procedure: LinkProcedure, on link: Int, in air: AirCore) {
    guard let entry = expected.take(procedure) else { return note(nil, "got a \(procedure.words), recorded nothing") }
    let recorded = currentSession.entries[entry]
    if recorded.action != .link(procedure) { note(entry, "got another \(procedure.words) than recorded") }
    if let outcome = PeripheralConnection.outcome(recorded.answer) {
      reply(.outcome(procedure, outcome), after: recorded.latency, link, air)
    }
  }

  private func settled(_ procedure: LinkProcedure, _ outcome: LinkProcedure.Outcome) {
    guard let place = awaitedOutcomes.firstIndex(where: { $0.procedure == procedure }) else {
      return note(nil, "the \(procedure.words) was settled, recorded nothing")
    }
    let asked = awaitedOutcomes.remove(at: place)
    if asked.outcome != outcome { note(asked.entry, "the \(procedure.words) came out otherwise than recorded") }
  }

  private func reply(_ reply: Reply, after latency: Duration?, _ link: Int, _ air: AirCore) {
    replyCount += 1
    replies[replyCount] = (reply, link)
    air.setTimer(self, at: air.now.advanced(by: latency ?? .zero), id: replyCount)
  }

  private func receive(_ bytes: [UInt8], _ bearer: Int, on link: Int, in air: AirCore) {
    guard let opcode = bytes.first.map({ ATTOpcode(rawValue: $0) }) else { return }
    if opcode.role == .response, let place = awaited.firstIndex(where: { $0.bearer == bearer }) {
      let (_, entry, answer, _) = awaited.remove(at: place)
      if let answer, answer != bytes { note(entry, recorded: answer, got: bytes) }
      // The next request may be due already; it goes out after all that is due at this moment.
      schedule(in: air)
      return
    }
    guard let (entry, isEqual) = expected.take(bytes) else {
      note(nil, recorded: nil, got: bytes)
      return
    }
    // Most of what a peripheral tells is not answered; to look at a whole entry is to copy it.
    if isEqual, currentSession.entries[entry].answer == nil { return }
    let recorded = currentSession.entries[entry]
    if !isEqual { note(entry, recorded: CentralStep.request(of: recorded), got: bytes) }
    if let bytes = CentralStep.reply(to: recorded) { reply(.pdu(bytes, bearer: bearer), after: recorded.latency, link, air) }
  }

  private func note(_ entry: Int?, recorded: [UInt8]?, got: [UInt8]) {
    let attribute = entry == nil ? (try? ATTPDU(parsing: got))?.attributeHandle : nil
    note(entry, about: attribute, "got \(Hexadecimal.encode(got)), recorded \(recorded.map { Hexadecimal.encode($0) } ?? "nothing")")
  }

  /// Keeps a difference in an entry, or of an attribute; without either one of the link.
  private func note(_ entry: Int?, about attribute: AttributeHandle? = nil, isEnd: Bool = false, _ words: String) {
    let attribute = attribute ?? entry.flatMap { currentSession.entries[$0].action.attribute }
    let line = "session \(sessionOrder[position] + 1)\(entry.map { ", entry \($0 + 1)" } ?? ""): \(words)"
    if isEnd && reach.endsLinks || attribute.map({ reach.attributes.contains($0) }) ?? false {
      if differencesByRule.count < Self.limit { differencesByRule.append(line) }
    } else if differences.count < Self.limit {
      differences.append(line)
    }
  }

  private func ended(_ reason: HCIErrorCode, in air: AirCore) {
    let session = currentSession
    let recorded = session.entries.lazy.compactMap { entry -> HCIErrorCode? in
      switch entry.action {
      case .disconnect(let reason): reason
      case .vanish: .connectionTimeout
      default: nil
      }
    }.first
    if recorded != reason {
      note(nil, isEnd: true, "the link ended with \(reason)\(recorded.map { ", recorded \($0)" } ?? "")")
    }
    finishSession(in: air)
  }

  /// The recording ends in the middle of the link, or the peripheral did not end it.
  private func overdue(_ link: Int, in air: AirCore) {
    if hasEnd { note(nil, isEnd: true, "the link was not ended as recorded") }
    air.drop(link)
    finishSession(in: air)
  }

  private func finishSession(in air: AirCore) {
    for entry in expected.rest.prefix(2 * Self.limit) { note(entry, isEnd: true, "recorded, and did not come") }
    if nextStep < steps.count {
      note(steps[nextStep].entry, isEnd: true, "could not be sent any more")
    }
    link = nil
    replies = [:]
    position += 1
    connect(in: air)
  }
}
