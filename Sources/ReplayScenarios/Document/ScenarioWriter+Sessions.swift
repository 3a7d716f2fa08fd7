extension ScenarioWriter {
  /// Writes one session, its entries a line each.
  mutating func writeSession(_ session: Session) {
    typealias Key = ScenarioKeys.Session
    json.raw("    {\n      ")
    json.open("")
    let before = json.bytes.count
    json.optional(Key.link, session.link) { $0.raw(String($1)) }
    json.optional(Key.time, session.time) { $0.string($1) }
    json.optional(Key.parameters, session.parameters) { Self.write($1, to: &$0) }
    json.optional(Key.complete, session.complete ? nil : false) { $0.raw(String($1)) }
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
    let hasFields = json.bytes.count > before
    if !session.entries.isEmpty || !hasFields {
      if hasFields { json.raw(",\n      ") }
      json.raw("entries: [\n")
      for entry in session.entries { writeEntry(entry) }
      json.raw("      ]")
    }
    json.raw(",\n    },\n")
  }

  private static func write(_ parameters: ConnectionParameters, to json: inout JSON5Writer) {
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

  private mutating func writeEntry(_ entry: TimelineEntry) {
    typealias Key = ScenarioKeys.Entry
    json.raw("        ")
    json.open("{ ")
    json.key(Key.at)
    json.milliseconds(entry.at)
    let key = entry.action.key
    json.optional(Key.by, entry.origin == EntryDraft.usualSide(key) ? nil : entry.origin) { $0.string($1.rawValue) }
    writeAction(entry.action, key)
    if let answer = entry.answer { write(answer, to: entry.action) }
    json.optional(Key.latency, entry.latency) { $0.milliseconds($1) }
    json.optional(Key.parts, entry.parts.isEmpty ? nil : entry.parts) { Self.write($1, to: &$0) }
    json.optional(Key.id, entry.id) { $0.string($1) }
    if let anchor = entry.anchor {
      json.key(Key.after)
      switch anchor.cause {
      case .connection: json.string(ScenarioWords.connection)
      case .previous: json.string(ScenarioWords.previous)
      case .entry(let id): json.string(id)
      case .request(let id):
        json.open("{ ")
        json.key(ScenarioKeys.Cause.request)
        json.string(id)
        json.close(" }")
      }
      json.optional(Key.delay, anchor.delay == .zero ? nil : anchor.delay) { $0.milliseconds($1) }
    }
    json.optional(Key.truncated, entry.truncated) { $0.raw(String($1)) }
    json.optional(Key.answerTruncated, entry.answerTruncated) { $0.raw(String($1)) }
    json.optional(Key.note, entry.note) { $0.string($1) }
    json.close(" }")
    json.endLine(comment: names.comment(entry))
  }

  private mutating func writeAction(_ action: TimelineEntry.Action, _ key: ScenarioKeys.Entry) {
    typealias Key = ScenarioKeys.Entry
    json.key(key)
    switch action {
    case .exchangeMTU(let mtu): json.raw(String(mtu))
    case .pdu(let bytes): json.hex(bytes)
    case .read(let handle): json.handle(handle)
    case .readBlob(let handle, let offset):
      json.handle(handle)
      json.key(Key.offset)
      json.raw(String(offset))
    case .write(let handle, let value), .writeCommand(let handle, let value), .notify(let handle, let value),
      .indicate(let handle, let value):
      json.handle(handle)
      json.key(Key.value)
      json.hex(value)
    case .disconnect(let reason): json.raw(hexadecimal(reason.rawValue))
    case .vanish: json.raw("true")
    }
  }

  private mutating func write(_ answer: TimelineEntry.Answer, to action: TimelineEntry.Action) {
    typealias Key = ScenarioKeys.Entry
    if case .error(let error) = answer {
      json.key(Key.error)
      json.raw(hexadecimal(error.rawValue))
      return
    }
    json.key(Key.answer)
    // Plain bytes are the whole PDU where the request is one, else the value; the other is named.
    let isPDU = action.key == .pdu
    switch answer {
    case .ok: json.string(ScenarioWords.ok)
    case .none: json.string(ScenarioWords.none)
    case .mtu(let mtu): json.raw(String(mtu))
    case .value(let bytes) where !isPDU: json.hex(bytes)
    case .pdu(let bytes) where isPDU: json.hex(bytes)
    case .value(let bytes), .pdu(let bytes):
      json.open("{ ")
      json.key(isPDU ? ScenarioKeys.Answer.value : .pdu)
      json.hex(bytes)
      json.close(" }")
    case .error: break
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

extension TimelineEntry.Action {
  /// The key under which the action is written.
  var key: ScenarioKeys.Entry {
    switch self {
    case .exchangeMTU: .mtu
    case .read: .read
    case .readBlob: .readBlob
    case .write: .write
    case .writeCommand: .command
    case .pdu: .pdu
    case .notify: .notify
    case .indicate: .indicate
    case .disconnect: .disconnect
    case .vanish: .vanish
    }
  }
}
