@testable import ReplayEngine
import ReplayScenarios

/// A central that does what the recorded one did, but slower, with another MTU, in another order, and the like.
///
/// It waits for answers, and where the recorded app went on after a value that it was told, it waits for that, too, with patience that
/// ends. It keeps no recorded times.
final class VariantCentral: AirCentral, @unchecked Sendable {
  private let scenario: Scenario
  private let habits: VariantHabits
  private var position = 0
  private var link: Int?
  private var steps: ArraySlice<VariantStep> = []
  private var mtu = 23
  private var askedMTU = 23
  private var told: [VariantStep.Told: Int] = [:]
  /// How many values never came that were waited for.
  private var missing: [VariantStep.Told: Int] = [:]
  private var ownRequests = 0
  /// Whether an answer is awaited, and what is asked next when it comes.
  private var isAsking = false
  private var goesOn: (([UInt8]) -> [UInt8]?)?
  private var mayFail = false
  private var timers: [Int: Purpose] = [:]
  private var timerCount = 0
  private var stepTimer: Int?

  private enum Purpose { case step, patience, transaction, reply([UInt8], link: Int), end(Int) }

  /// Whether all sessions were played.
  private(set) var isFinished = false
  /// How often it waited in vain for a value, for an answer, and for the link to end.
  private(set) var gaveUp = 0
  private(set) var unanswered = 0
  private(set) var overdue = 0
  /// Errors that the recording does not have.
  private(set) var errors: [String] = []
  /// Handles that its own discovery found, by session.
  private(set) var found: [Int: Set<UInt16>] = [:]

  init(_ scenario: Scenario, _ habits: VariantHabits) { (self.scenario, self.habits) = (scenario, habits) }

  func start(in air: AirCore) {
    guard position < scenario.sessions.count else {
      isFinished = true
      return
    }
    air.connect(self, to: 0)
  }

  private var session: Session { scenario.sessions[position] }

  func handle(_ event: AirEvent, in air: AirCore) {
    switch event {
    case .connected(let link, _):
      self.link = link
      steps = VariantStep.steps(of: session, scenario.database(of: session), habits, seed: position)[...]
      mtu = session.mtu
      (told, missing, timers, ownRequests) = ([:], [:], [:], 0)
      (isAsking, goesOn, stepTimer) = (false, nil, nil)
      advance(in: air)
    case .connectionFailed:
      position += 1
      start(in: air)
    case .received(let from, let bytes, _): if from == link { receive(bytes, in: air) }
    case .disconnected(let from, _): if from == link { next(in: air) }
    case .timer(let id):
      if let purpose = timers.removeValue(forKey: id) { due(purpose, in: air) }
    default: break
    }
  }

  @discardableResult
  private func set(_ purpose: Purpose, after delay: Duration, in air: AirCore) -> Int {
    timerCount += 1
    timers[timerCount] = purpose
    air.setTimer(self, at: air.now.advanced(by: delay), id: timerCount)
    return timerCount
  }

  private func due(_ purpose: Purpose, in air: AirCore) {
    switch purpose {
    case .step:
      stepTimer = nil
      step(in: air)
    case .patience:
      guard stepTimer == nil, !isAsking, let wanted = steps.first?.told, !came(wanted) else { return }
      gaveUp += 1
      missing[wanted.0, default: 0] = wanted.count - (told[wanted.0] ?? 0)
      advance(in: air)
    case .transaction:
      unanswered += 1
      (isAsking, goesOn) = (false, nil)
      advance(in: air)
    case .reply(let bytes, let to): if link == to { air.send(bytes, on: to) }
    case .end(let of):
      guard link == of else { return }
      if endsByItself { overdue += 1 }
      air.drop(of)
      next(in: air)
    }
  }

  private func next(in air: AirCore) {
    (link, timers) = (nil, [:])
    position += 1
    start(in: air)
  }

  // MARK: - Steps

  private func came(_ wanted: (VariantStep.Told, count: Int)) -> Bool {
    (told[wanted.0] ?? 0) + (missing[wanted.0] ?? 0) >= wanted.count
  }

  /// Whether the peripheral is to end the link.
  private var endsByItself: Bool {
    guard let last = session.entries.last, last.origin == .peripheral else { return false }
    switch last.action {
    case .disconnect, .vanish: return true
    default: return false
    }
  }

  /// Lets the next step begin when its time has come; after the last one the link may go on as long as it did.
  private func advance(in air: AirCore) {
    guard let link, stepTimer == nil, !isAsking else { return }
    guard let step = steps.first else {
      let length = session.entries.map { $0.at + ($0.latency ?? .zero) }.max() ?? .zero
      if !timers.values.contains(where: { if case .end = $0 { true } else { false } }) {
        set(.end(link), after: length + .seconds(60), in: air)
      }
      return
    }
    if let wanted = step.told, !came(wanted) {
      if !timers.values.contains(where: { if case .patience = $0 { true } else { false } }) {
        set(.patience, after: .seconds(600), in: air)
      }
      return
    }
    timers = timers.filter { if case .patience = $0.value { false } else { true } }
    stepTimer = set(.step, after: step.delay, in: air)
  }

  private func step(in air: AirCore) {
    guard let link, let step = steps.popFirst() else { return }
    mayFail = step.mayFail
    switch step.action {
    case .disconnect(let reason): return air.disconnect(link, reason: reason)
    case .pdu(let bytes): ask(Array(bytes.prefix(mtu)), step.isAnswered, in: air) { _ in nil }
    case .exchangeMTU(let mtu):
      askedMTU = Int(mtu)
      ask(ATTPDU.exchangeMTURequest(clientMTU: mtu).bytes, step.isAnswered, in: air) { _ in nil }
    case .read(let handle):
      var length = 0
      ask(ATTPDU.readRequest(handle: handle).bytes, step.isAnswered, in: air) { [mtu] answer in
        length += answer.count - 1
        guard answer.count == mtu, answer[0] != 0x01 else { return nil }
        return ATTPDU.readBlobRequest(handle: handle, offset: UInt16(clamping: length)).bytes
      }
    case .write(let handle, let value):
      guard value.count > mtu - 3 else {
        ask(ATTPDU.writeRequest(handle: handle, value: value).bytes, step.isAnswered, in: air) { _ in nil }
        break
      }
      var parts = stride(from: 0, to: value.count, by: mtu - 5).map { [mtu] start in
        ATTPDU.prepareWriteRequest(handle: handle, offset: UInt16(start), part: Array(value[start...].prefix(mtu - 5))).bytes
      }[...]
      parts.append(ATTPDU.executeWriteRequest(flags: 1).bytes)
      ask(parts.removeFirst(), true, in: air) { answer in answer[0] == 0x01 ? nil : parts.popFirst() }
    case .discover: discover(in: air)
    }
    advance(in: air)
  }

  private func ask(_ bytes: [UInt8], _ isAnswered: Bool, in air: AirCore, then: @escaping ([UInt8]) -> [UInt8]?) {
    guard let link else { return }
    if isAnswered {
      (isAsking, goesOn) = (true, then)
      set(.transaction, after: .seconds(30), in: air)
    }
    air.send(bytes, on: link)
  }

  /// Find Information, then Read By Type for characteristics, then Read By Group Type for services, each to its end.
  private func discover(in air: AirCore) {
    var (procedures, start) = ([0x04, 0x08, 0x10] as [UInt8], UInt16(1))
    func request() -> [UInt8]? {
      guard let opcode = procedures.first else { return nil }
      let range = [UInt8(start & 0xFF), UInt8(start >> 8), 0xFF, 0xFF]
      return [opcode] + range + (opcode == 0x04 ? [] : opcode == 0x08 ? [0x03, 0x28] : [0x00, 0x28])
    }
    ask(request() ?? [], true, in: air) { [weak self] answer in
      guard let self else { return nil }
      var last: UInt16?
      let size = answer[0] == 0x05 ? (answer[1] == 1 ? 4 : 18) : answer.count > 1 ? Int(answer[1]) : 0
      if answer[0] != 0x01, size >= 2 {
        for place in stride(from: 2, through: answer.count - size, by: size) {
          let handle = UInt16(answer[place]) | UInt16(answer[place + 1]) << 8
          last = answer[0] == 0x11 ? UInt16(answer[place + 2]) | UInt16(answer[place + 3]) << 8 : handle
          found[position, default: []].insert(handle)
        }
      }
      if let last, last < 0xFFFF { start = last + 1 } else { (procedures, start) = (Array(procedures.dropFirst()), 1) }
      mayFail = true
      return request()
    }
  }

  // MARK: - What comes

  private func receive(_ bytes: [UInt8], in air: AirCore) {
    guard let link, let opcode = bytes.first.map({ ATTOpcode(rawValue: $0) }) else { return }
    if opcode.role == .response {
      guard isAsking else { return }
      timers = timers.filter { if case .transaction = $0.value { false } else { true } }
      if opcode == .errorResponse, !mayFail { errors.append("session \(position + 1): \(Hexadecimal.encode(bytes))") }
      if case .exchangeMTUResponse(let granted)? = try? ATTPDU(parsing: bytes) { mtu = max(23, min(askedMTU, Int(granted))) }
      if let request = goesOn?(bytes) {
        set(.transaction, after: .seconds(30), in: air)
        return air.send(request, on: link)
      }
      (isAsking, goesOn) = (false, nil)
    } else if let value = VariantStep.Told(bytes) {
      told[value, default: 0] += 1
      if opcode == .handleValueIndication { set(.reply([0x1E], link: link), after: .milliseconds(1) * habits.slowness, in: air) }
    } else if let reply = reply(to: bytes) {
      set(.reply(reply, link: link), after: .milliseconds(2) * habits.slowness, in: air)
    }
    advance(in: air)
  }

  /// What it answers to the peripheral's own requests: what the recorded one did, but for its MTU.
  private func reply(to bytes: [UInt8]) -> [UInt8]? {
    let own = session.entries.filter { $0.origin == .peripheral && $0.answer != nil && CentralStep.request(of: $0).first == bytes.first }
    guard let entry = own.first(where: { CentralStep.request(of: $0) == bytes }) else { return nil }
    if case .exchangeMTU(let asked) = entry.action, case .mtu(let recorded)? = entry.answer {
      let answered = habits.mtu ?? recorded
      mtu = max(23, Int(min(asked, answered)))
      return ATTPDU.exchangeMTUResponse(serverMTU: answered).bytes
    }
    return CentralStep.reply(to: entry)
  }
}
