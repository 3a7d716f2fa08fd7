extension ScenarioWriter {
  /// Begins a session, whose entries are to follow, a line each.
  package mutating func beginSession(_ session: Session, hasEntries: Bool) {
    typealias Key = ScenarioKeys.Session
    hold(database: session.database)
    json.raw("    {\n      ")
    json.open("")
    let before = json.count
    json.optional(Key.link, session.link) { $0.raw(String($1)) }
    json.optional(Key.file, session.file) { $0.string($1) }
    json.optional(Key.time, session.time) { $0.string($1) }
    json.optional(Key.address, session.address) { $0.string($1.description) }
    json.optional(Key.bonded, session.bonded ? true : nil) { $0.raw(String($1)) }
    json.optional(Key.parameters, session.parameters) { Self.write($1, to: &$0) }
    json.optional(Key.complete, session.complete ? nil : false) { $0.raw(String($1)) }
    json.optional(Key.database, session.database == 1 ? nil : session.database) { $0.raw(String($1)) }
    json.optional(Key.mtu, session.mtu == 23 ? nil : session.mtu) { $0.raw(String($1)) }
    json.optional(Key.failed, session.failed) { $0.raw(hexadecimal($1.rawValue)) }
    json.optional(Key.subscriptions, session.subscriptions.isEmpty ? nil : session.subscriptions) { json, subscriptions in
      json.open("{ ")
      for (handle, value) in subscriptions.sorted(by: { $0.key < $1.key }) {
        json.element()
        json.string(handle.description)
        json.raw(": \(value)")
      }
      json.close(" }")
    }
    json.optional(Key.note, session.note) { $0.string($1) }
    let hasFields = json.count > before
    self.hasEntries = hasEntries || !hasFields
    guard self.hasEntries else { return }
    if hasFields { json.raw(",\n      ") }
    json.raw("entries: [\n")
  }

  /// Ends it.
  package mutating func endSession() {
    if hasEntries { json.raw("      ]") }
    json.raw(",\n    },\n")
  }

  static func write(_ parameters: ConnectionParameters, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.Parameters
    json.open("{ ")
    json.key(Key.interval)
    json.raw(String(parameters.interval))
    json.key(Key.latency)
    json.raw(String(parameters.latency))
    json.key(Key.timeout)
    json.raw(String(parameters.timeout))
    json.close(" }")
  }

  /// Writes one entry.
  package mutating func writeEntry(_ entry: TimelineEntry) {
    let anchorName: EntryLine.Name
    let anchor: EntryLine.Anchor
    switch entry.anchor?.cause {
    case nil: (anchor, anchorName) = (.none, .none)
    case .connection?: (anchor, anchorName) = (.connection, .none)
    case .previous?: (anchor, anchorName) = (.previous, .none)
    case .idle?: (anchor, anchorName) = (.idle, .none)
    case .every(let count, let handle, let since)?: (anchor, anchorName) = (.every(count, handle), since.map { .text($0) } ?? .none)
    case .entry(let id)?: (anchor, anchorName) = (.entry, .text(id))
    case .request(let id)?: (anchor, anchorName) = (.request, .text(id))
    }
    var rest = EntryLine.Rest()
    rest.bearer = entry.bearer
    if case .link(let procedure) = entry.action { rest.procedure = procedure }
    (rest.parts, rest.truncated, rest.answerTruncated) = (entry.parts, entry.truncated, entry.answerTruncated)
    (rest.matcher, rest.database, rest.isRequired, rest.note) = (entry.matcher, entry.database, entry.isRequired, entry.note)
    let (value, answer) = (entry.action.bytes, entry.answer?.bytes ?? [])
    writeLine(
      EntryLine(
        at: entry.at.wholeNanoseconds, isFromCentral: entry.origin == .central, key: entry.action.key, number: entry.action.number,
        offset: entry.action.offset, value: value.byteSpan, answer: EntryLine.Answer(entry.answer), answerBytes: answer.byteSpan,
        latency: entry.latency?.wholeNanoseconds, name: entry.id.map { .text($0) } ?? .none, anchor: anchor, anchorName: anchorName,
        delay: entry.anchor?.delay.wholeNanoseconds ?? 0, cancel: entry.anchor?.cancel ?? .unsubscribe, rest: rest))
  }

  /// Writes the line of an entry, however its parts are kept.
  package mutating func writeLine(_ line: borrowing EntryLine) {
    typealias Key = ScenarioKeys.Entry
    json.literal("        { at: ")
    json.milliseconds(nanoseconds: line.at)
    if line.isFromCentral != (EntryDraft.usualSide(line.key) == .central) {
      json.literal(line.isFromCentral ? ", by: \"central\"" : ", by: \"peripheral\"")
    }
    if let bearer = line.rest.bearer {
      json.literal(", bearer: ")
      json.raw(String(bearer))
    }
    if let procedure = line.rest.procedure { write(procedure, value: line.value) } else { writeAction(line) }
    writeAnswer(line)
    if let latency = line.latency {
      json.literal(", latency: ")
      json.milliseconds(nanoseconds: latency)
    }
    if !line.rest.parts.isEmpty {
      json.literal(", parts: ")
      Self.write(line.rest.parts, to: &json)
    }
    if line.rest.matcher != .exact { Self.write(line.rest.matcher, to: &json) }
    if line.name != .none {
      json.literal(", id: ")
      write(line.name)
    }
    writeAnchor(line)
    if let truncated = line.rest.truncated {
      json.literal(", truncated: ")
      json.raw(String(truncated))
    }
    if let truncated = line.rest.answerTruncated {
      json.literal(", answerTruncated: ")
      json.raw(String(truncated))
    }
    if let database = line.rest.database {
      json.literal(", database: ")
      json.raw(String(database))
    }
    if line.rest.isRequired { json.literal(", required: true") }
    if let note = line.rest.note {
      json.literal(", note: ")
      json.string(note)
    }
    json.literal(" }")
    json.endLine(comment: names.comment(line))
    if let database = line.rest.database { hold(database: database) }
  }

  private mutating func write(_ name: EntryLine.Name) {
    switch name {
    case .none: break
    case .text(let text): json.string(text)
    case .number(let number):
      json.literal("\"e")
      json.number(UInt64(number))
      json.literal("\"")
    }
  }

  private mutating func writeAnchor(_ line: borrowing EntryLine) {
    switch line.anchor {
    case .none: return
    case .connection: json.literal(", after: \"connection\"")
    case .previous: json.literal(", after: \"previous\"")
    case .entry:
      json.literal(", after: ")
      write(line.anchorName)
    case .request:
      json.literal(", after: { request: ")
      write(line.anchorName)
      json.literal(" }")
    case .idle: json.literal(", after: \"idle\"")
    case .every(let count, let handle):
      json.literal(", after: { every: ")
      json.raw(String(count))
      json.literal(", write: ")
      json.handle(handle)
      if line.anchorName != .none {
        json.literal(", since: ")
        write(line.anchorName)
      }
      json.literal(" }")
    }
    if line.delay != 0 {
      json.literal(", delay: ")
      json.milliseconds(nanoseconds: line.delay)
    }
    if line.cancel != .unsubscribe {
      json.literal(", cancel: [")
      let words = ScenarioWords.cancellations.filter { line.cancel.contains($0.option) }
      json.raw(words.map { "\"\($0.name)\"" }.joined(separator: ", "))
      json.literal("]")
    }
  }

  static func write(_ matcher: WriteMatcher, to json: inout JSON5Writer) {
    switch matcher {
    case .exact: return
    case .any: json.literal(", matches: \"any\"")
    case .length: json.literal(", matches: \"length\"")
    case .mask(let mask):
      json.literal(", matches: { mask: ")
      json.hex(mask)
      json.literal(" }")
    case .prefix(let count):
      json.literal(", matches: { prefix: ")
      json.raw(String(count))
      json.literal(" }")
    case .counter(let place, let bytes, let isBigEndian):
      json.literal(", matches: { counter: ")
      json.raw(String(place))
      if bytes != 1 { json.raw(", bytes: \(bytes)") }
      if isBigEndian { json.literal(", bigEndian: true") }
      json.literal(" }")
    }
  }

  private mutating func writeAction(_ line: borrowing EntryLine) {
    switch line.key {
    case .mtu:
      json.literal(", mtu: ")
      json.number(UInt64(line.number))
    case .read: json.literal(", read: ")
    case .readBlob: json.literal(", readBlob: ")
    case .write: json.literal(", write: ")
    case .command: json.literal(", command: ")
    case .notify: json.literal(", notify: ")
    case .indicate: json.literal(", indicate: ")
    case .disconnect:
      json.literal(", disconnect: ")
      json.raw(hexadecimal(UInt8(truncatingIfNeeded: line.number)))
    case .vanish: json.literal(", vanish: true")
    default:
      json.literal(", pdu: ")
      json.hex(line.value)
    }
    switch line.key {
    case .read: json.handle(AttributeHandle(line.number))
    case .readBlob:
      json.handle(AttributeHandle(line.number))
      json.literal(", offset: ")
      json.number(UInt64(line.offset))
    case .write, .command, .notify, .indicate:
      json.handle(AttributeHandle(line.number))
      json.literal(", value: ")
      json.hex(line.value)
    default: break
    }
  }

  private mutating func writeAnswer(_ line: borrowing EntryLine) {
    // Plain bytes are the whole PDU where the request is one, else the value; the other is named.
    let isPDU = line.key == .pdu
    switch line.answer {
    case .absent: break
    case .ok: json.literal(", answer: \"ok\"")
    case .none: json.literal(", answer: \"none\"")
    case .mtu(let mtu):
      json.literal(", answer: ")
      json.number(UInt64(mtu))
    case .error(let error):
      json.literal(", error: ")
      json.raw(hexadecimal(error))
    case .refused(let code):
      json.literal(", error: ")
      json.raw(code <= 0xFF ? hexadecimal(UInt8(truncatingIfNeeded: code)) : hexadecimal(code))
    case .value, .pdu:
      let isPlain = (line.answer == .pdu) == isPDU
      json.literal(isPlain ? ", answer: " : isPDU ? ", answer: { value: " : ", answer: { pdu: ")
      json.hex(line.answerBytes)
      if !isPlain { json.literal(" }") }
    }
  }

  private static func write(_ parts: [TimelineEntry.Part], to json: inout JSON5Writer) {
    json.open("[")
    for part in parts {
      json.element()
      json.open("[")
      json.element()
      json.milliseconds(part.offset)
      json.element()
      json.raw(part.count.map { String($0) } ?? "null")
      json.element()
      json.milliseconds(part.latency)
      json.close("]")
    }
    json.close("]")
  }
}
