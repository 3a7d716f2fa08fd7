/// Holds the entries of a session against the database and against each other.
struct SessionCheck {
  private(set) var problems: [ScenarioProblem] = []
  private let session: Session
  private let index: Int
  private let databaseCount: Int
  private var known: Set<AttributeHandle> = []
  private var properties: [AttributeHandle: UInt8] = [:]
  private var told: Set<Told> = []

  /// What was told of a handle already, so that a stream does not tell it a thousand times.
  private struct Told: Hashable {
    var handle: AttributeHandle
    var bit: UInt8
  }

  init(_ session: Session, index: Int, scenario: Scenario) {
    (self.session, self.index, databaseCount) = (session, index, scenario.databases.count)
    hold(scenario.database(session.database))
    checkSession()
    var latest = Duration.seconds(Int64.min / 4)
    for (place, entry) in session.entries.enumerated() {
      if entry.at < latest {
        add(.timeOrder, .warning, place, "the entry's time lies before that of the entry above; move it, or correct \"at\"")
      }
      latest = entry.at
      checkHandle(entry, place)
      checkTimes(entry, place)
      checkAnswer(entry, place)
      checkMatcher(entry, place)
      if let number = entry.database {
        if !(1...databaseCount).contains(number) { add(.unknownDatabase, .error, place, Self.unknownDatabase(number)) }
        hold(scenario.database(number))
      }
    }
  }

  /// The database that the entries from here on are held against.
  private mutating func hold(_ database: [Attribute]) {
    (known, properties, told) = ([], [:], [])
    for attribute in database {
      known.insert(attribute.handle)
      if case .characteristic(_, let bits, let value) = attribute.kind {
        known.insert(value)
        properties[value] = bits
      }
    }
  }

  private static func unknownDatabase(_ number: Int) -> String {
    "there is no database \(number); 1 is \"database\", and 2 the first of \"laterDatabases\""
  }

  private mutating func add(_ code: ScenarioProblem.Code, _ severity: ScenarioProblem.Severity, _ entry: Int, _ message: String) {
    problems.append(ScenarioProblem(code, severity, at: .entry(session: index, entry), message))
  }

  private mutating func checkSession() {
    if !(1...databaseCount).contains(session.database) {
      problems.append(ScenarioProblem(.unknownDatabase, .error, at: .session(index), Self.unknownDatabase(session.database)))
    }
    for handle in session.subscriptions.keys.sorted() where !known.contains(handle) {
      problems.append(
        ScenarioProblem(
          .unknownHandle, .warning, at: .session(index),
          "the subscription of \(handle) is of no attribute of the database; add the descriptor"))
    }
    if session.mtu < 23 {
      problems.append(
        ScenarioProblem(
          .invalidMTU, .error, at: .session(index), "the session's MTU is \(session.mtu); the least that ATT allows is 23"))
    }
    if let time = session.time, !isUTC(time) {
      problems.append(
        ScenarioProblem(
          .invalidText, .warning, at: .session(index),
          "the session's time \(JSON5Writer.quoted(time, limit: 40)) is not UTC in ISO 8601; write it as 2026-11-30T10:00:00Z"))
    }
  }

  // MARK: Attributes

  private mutating func checkHandle(_ entry: TimelineEntry, _ place: Int) {
    let (handle, bit, did): (AttributeHandle, UInt8, String)
    switch entry.action {
    case .read(let target), .readBlob(let target, _):
      (handle, bit, did) = (target, hasValue(entry) ? 0x02 : 0, "read")
    case .write(let target, _): (handle, bit, did) = (target, entry.answer == .ok ? 0x08 : 0, "write")
    // A central may send a command that nothing allows; it gets no answer that would contradict.
    case .writeCommand(let target, _): (handle, bit, did) = (target, 0, "writeWithoutResponse")
    case .notify(let target, _): (handle, bit, did) = (target, 0x10, "notify")
    case .indicate(let target, _): (handle, bit, did) = (target, 0x20, "indicate")
    default: return
    }
    // What the peripheral reads and writes, and what the central tells, is of the central's own server.
    let peripheralServes = entry.origin == .central ? bit & 0x30 == 0 : bit & 0x30 != 0
    guard peripheralServes, entry.answer != .error(.invalidHandle) else { return }
    if !known.contains(handle) {
      if told.insert(Told(handle: handle, bit: 0)).inserted {
        add(.unknownHandle, .warning, place, "no attribute of the database has the handle \(handle); add it, or correct the handle")
      }
    } else if let allowed = properties[handle], bit != 0, allowed & bit == 0, told.insert(Told(handle: handle, bit: bit)).inserted {
      add(
        .contradictedProperties, .warning, place,
        "the traffic shows \(did) of \(handle), which its properties do not have; add \"\(did)\" to them")
    }
  }

  private func hasValue(_ entry: TimelineEntry) -> Bool {
    if case .value? = entry.answer { true } else { false }
  }

  private mutating func checkMatcher(_ entry: TimelineEntry, _ place: Int) {
    let value: [UInt8]
    switch (entry.action, entry.matcher) {
    case (_, .exact): return
    case (.write(_, let bytes), _), (.writeCommand(_, let bytes), _): value = bytes
    default: return add(.impossibleMatcher, .error, place, "only writes and commands have a matcher; remove \"matches\"")
    }
    // Each of these refuses the recorded value itself.
    guard !entry.matcher.accepts(value, for: value) else { return }
    switch entry.matcher {
    case .mask(let mask):
      add(
        .impossibleMatcher, .error, place,
        "the mask has \(mask.count) bytes, the value \(value.count); write a digit for each of the value's")
    case .prefix(let count):
      add(.impossibleMatcher, .error, place, "the value has no \(count) bytes; shorten the prefix to \(value.count) at the most")
    default:
      add(.impossibleMatcher, .error, place, "the counter does not lie within the \(value.count) bytes of the value; correct its place")
    }
  }

  // MARK: Times and answers

  private mutating func checkTimes(_ entry: TimelineEntry, _ place: Int) {
    for (missing, what) in [(entry.truncated, "its PDU"), (entry.answerTruncated, "its answer")] {
      guard let missing else { continue }
      add(
        .truncated, .warning, place,
        "the capture did not keep the last \(missing) bytes of \(what), which is played without them; complete it and remove the key")
    }
    let times = [entry.latency, entry.anchor?.delay].compactMap { $0 } + entry.parts.flatMap { [$0.offset, $0.latency] }
    if times.contains(where: { $0 < .zero }) {
      add(.negativeTime, .error, place, "a latency, a delay or the time of a part is negative; correct it")
    }
  }

  private mutating func checkAnswer(_ entry: TimelineEntry, _ place: Int) {
    let key = entry.action.key.rawValue
    switch (entry.action, entry.answer) {
    case (.notify, _?), (.writeCommand, _?), (.disconnect, _?), (.vanish, _?):
      add(.impossibleAnswer, .error, place, "\"\(key)\" gets no answer; remove it")
    case (.exchangeMTU, .ok?), (.exchangeMTU, .value?), (.read, .ok?), (.readBlob, .ok?), (.read, .mtu?), (.readBlob, .mtu?),
      (.write, .value?), (.write, .mtu?), (.indicate, .value?), (.indicate, .mtu?), (.indicate, .error?):
      add(.impossibleAnswer, .error, place, "\"\(key)\" cannot have this answer; \(Self.remedy(entry.action))")
    case (.pdu, .ok?), (.pdu, .value?), (.pdu, .mtu?), (.pdu, .error?):
      add(.impossibleAnswer, .error, place, "the answer to a PDU is a whole PDU; write it in hexadecimal, or \"none\"")
    case (.link(let procedure), let answer):
      checkAnswer(procedure, answer, entry, place)
    case (_, .refused?):
      add(.impossibleAnswer, .error, place, "\"\(key)\" cannot have this answer; \(Self.remedy(entry.action))")
    case (.vanish, nil) where entry.origin == .central:
      add(.impossibleAnswer, .error, place, "only the peripheral can vanish; write disconnect: 0x08, or remove \"by\"")
    default: break
    }
    guard !entry.parts.isEmpty else { return }
    checkParts(entry, place)
  }

  private mutating func checkAnswer(
    _ procedure: LinkProcedure, _ answer: TimelineEntry.Answer?, _ entry: TimelineEntry, _ place: Int
  ) {
    switch (procedure.isAsked, answer) {
    case (_, nil), (true, .ok?), (true, .refused?), (true, TimelineEntry.Answer.none?): break
    case (true, _):
      add(
        .impossibleAnswer, .error, place,
        "\"\(procedure.key.rawValue)\" cannot have this answer; write \"ok\", an error or \"none\"")
    case (false, _): add(.impossibleAnswer, .error, place, "\"\(procedure.key.rawValue)\" gets no answer; remove it")
    }
  }

  private static func remedy(_ action: TimelineEntry.Action) -> String {
    switch action {
    case .exchangeMTU: "write the MTU that was answered, an error or \"none\""
    case .read, .readBlob: "write the value in hexadecimal, an error or \"none\""
    case .indicate: "write \"ok\" or \"none\""
    default: "write \"ok\", an error or \"none\""
    }
  }

  private mutating func checkParts(_ entry: TimelineEntry, _ place: Int) {
    let carried = entry.parts.reduce(0) { sum, part in sum &+ (part.count ?? 0) }
    switch (entry.action, entry.answer) {
    case (.read, .value(let value)?):
      if carried != value.count || entry.parts.contains(where: { $0.count == nil }) {
        add(.impossibleParts, .error, place, "the parts carry \(carried) bytes, the answer has \(value.count); correct one of them")
      }
    case (.read, _): break
    case (.write(_, let value), _):
      if carried != value.count {
        add(.impossibleParts, .error, place, "the parts carry \(carried) bytes, the value has \(value.count); correct one of them")
      } else if entry.parts.dropLast().contains(where: { $0.count == nil }) || entry.parts.last?.count != nil {
        add(
          .impossibleParts, .error, place,
          "the parts of a long write end with the Execute Write Request; write it last, with null for its bytes")
      }
    default: add(.impossibleParts, .error, place, "only a long read or a long write has parts; remove them")
    }
  }
}
