extension ScenarioReader {
  typealias EntryKey = ScenarioKeys.Entry

  /// Reads one entry; also the place of its id, and the name that its anchor refers to.
  mutating func entry() throws(JSON5Error) -> (TimelineEntry, named: TextPosition?, Reference?) {
    var object = try json.beginObject("the entry", keys: EntryKey.self)
    var draft = EntryDraft()
    while let key = try json.nextKey(&object, among: entryKeys) { try read(key, into: &draft, object) }
    return try draft.entry(object)
  }

  private mutating func read(_ key: EntryKey, into draft: inout EntryDraft, _ object: JSON5Object<EntryKey>) throws(JSON5Error) {
    if EntryDraft.isAction(key) {
      if let first = draft.actionKey {
        throw object.error(
          at: key, "the entry cannot do both \"\(first.rawValue)\" and \"\(key.rawValue)\"", "make two entries of it, each in its line")
      }
      draft.actionKey = key
    }
    switch key {
    case .at: draft.at = try json.milliseconds("the entry's time")
    case .by: draft.by = try word("the side that began the entry", TimelineEntry.Side.self)
    case .bearer: draft.bearer = try json.integer("the bearer", in: 1...0xFFFF)
    case .mtu: draft.mtu = try number16("the MTU")
    case .pdu: draft.pdu = try hex("the PDU")
    case .read, .readBlob, .write, .command, .notify, .indicate:
      draft.handle = try handle("the handle to \(key.rawValue)", recorded: true)
    case .securityRequest, .pair, .encrypt, .requestParameters, .updateParameters, .phy, .dataLength, .openChannel, .channelData,
      .closeChannel:
      draft.procedure = try procedure(key)
    case .disconnect: draft.reason = HCIErrorCode(rawValue: try octet("the reason of the disconnection"))
    case .vanish: try flag("vanish")
    case .offset: draft.offset = try number16("the offset")
    case .value: draft.value = try hex("the value")
    case .answer: draft.answer = try answer()
    case .error: draft.error = try number16("the error")
    case .latency: draft.latency = try json.milliseconds("the latency")
    case .parts: draft.parts = try parts()
    case .id: draft.id = try identifier()
    case .after: (draft.cause, draft.reference) = try cause()
    case .delay: draft.delay = try json.milliseconds("the delay")
    case .cancel: draft.cancel = try cancellation()
    case .matches: draft.matcher = try matcher()
    case .truncated: draft.truncated = try missingBytes()
    case .answerTruncated: draft.answerTruncated = try missingBytes()
    case .database: draft.database = try json.integer("the database's number", in: 1...0xFFFF)
    case .required:
      try flag("required")
      draft.isRequired = true
    case .note: draft.note = try json.string("the note")
    }
  }

  private mutating func missingBytes() throws(JSON5Error) -> Int {
    let place = json.place
    let count = Int(try number16("the number of bytes that are missing"))
    guard count > 0 else { throw JSON5Error(place, "nothing is truncated by 0 bytes", "leave the key out where all bytes are there") }
    return count
  }

  private mutating func identifier() throws(JSON5Error) -> String {
    let id = try json.string("the id")
    guard !id.isEmpty, !ScenarioWords.causes.contains(id) else {
      throw JSON5Error(
        json.place, "an id cannot be \(JSON5Writer.quoted(id))",
        "give the entry another id; \"connection\", \"previous\" and \"idle\" have a meaning")
    }
    return id
  }

  private mutating func answer() throws(JSON5Error) -> EntryDraft.Answer {
    if let bytes = json.plainBytes() { return .bytes(bytes) }
    let token = try json.peek()
    if token.number != nil { return .exactly(.mtu(try number16("the MTU that was answered"))) }
    guard token.kind == .beginObject else {
      let text = try json.string("the answer")
      switch text {
      case ScenarioWords.ok: return .exactly(.ok)
      case ScenarioWords.none: return .exactly(.none)
      default:
        if let bytes = Hexadecimal.decode(text) { return .bytes(bytes) }
        if let meant = Spelling.suggestion(for: text, among: [ScenarioWords.ok, ScenarioWords.none]) {
          throw JSON5Error(json.place, "the answer cannot be \(JSON5Writer.quoted(text, limit: 40))", "did you mean \"\(meant)\"?")
        }
        return .bytes(try hex("the answer", text))
      }
    }
    var answer: TimelineEntry.Answer?
    var object = try json.beginObject("the answer", keys: ScenarioKeys.Answer.self)
    while let key = try json.nextKey(&object) {
      if answer != nil { throw object.error(at: key, "the answer cannot be a PDU and a value", "remove one of them") }
      switch key {
      case .pdu: answer = .pdu(try hex("the answer's PDU"))
      case .value: answer = .value(try hex("the answer's value"))
      }
    }
    return .exactly(try object.require(answer, .pdu, "pdu: \"13\", the whole PDU in hexadecimal"))
  }

  private mutating func parts() throws(JSON5Error) -> [TimelineEntry.Part] {
    var parts: [TimelineEntry.Part] = []
    try json.beginList("the parts")
    while try json.nextElement(isFirst: parts.isEmpty) {
      try json.beginList("a part")
      try partElement(isFirst: true)
      let offset = try json.milliseconds("the part's time")
      try partElement()
      var count: Int?
      if try json.peek().kind == .name("null") {
        _ = try json.next()
      } else {
        count = try json.integer("the part's number of bytes", in: 0...0xFFFF)
      }
      try partElement()
      let latency = try json.milliseconds("the part's latency")
      if try json.nextElement(isFirst: false) { throw partShape(try json.peek().position) }
      parts.append(TimelineEntry.Part(offset: offset, count: count, latency: latency))
    }
    if parts.isEmpty { throw JSON5Error(json.place, "the list of parts is empty", "remove it, or write its parts") }
    return parts
  }

  private mutating func partElement(isFirst: Bool = false) throws(JSON5Error) {
    if try !json.nextElement(isFirst: isFirst) { throw partShape(json.place) }
  }

  private func partShape(_ place: TextPosition) -> JSON5Error {
    JSON5Error(place, "a part does not have three elements", "write [milliseconds since the entry, bytes or null, latency]")
  }
}
