extension ScenarioReader {
  /// Reads the sessions, in order.
  mutating func sessions(into sessions: inout [Session]) throws(JSON5Error) {
    try json.beginList("the sessions")
    while try json.nextElement(isFirst: sessions.isEmpty) {
      lines[.session(sessions.count)] = try json.peek().position.line
      sessions.append(try session(sessions.count))
    }
  }

  private mutating func session(_ index: Int) throws(JSON5Error) -> Session {
    var session = Session()
    var object = try json.beginObject("the session", keys: ScenarioKeys.Session.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .link: session.link = try json.integer("the link's number", in: 0...Int(Int32.max))
      case .file: session.file = try json.string("the capture's file name")
      case .time: session.time = try json.string("the session's time")
      case .address: session.address = try randomAddress("the session's address")
      case .bonded: session.bonded = try json.boolean("\"bonded\"")
      case .parameters: session.parameters = try parameters()
      case .complete: session.complete = try json.boolean("\"complete\"")
      case .database: session.database = try json.integer("the database's number", in: 1...0xFFFF)
      case .mtu: session.mtu = try json.integer("the session's MTU", in: 23...0xFFFF)
      case .failed: session.failed = HCIErrorCode(rawValue: try octet("the status of the connection"))
      case .subscriptions: session.subscriptions = try subscriptions()
      case .note: session.note = try json.string("the note")
      case .entries: session.entries = try entries(index)
      }
    }
    return session
  }

  mutating func parameters() throws(JSON5Error) -> ConnectionParameters {
    var (interval, latency, timeout): (UInt16?, UInt16?, UInt16?)
    var object = try json.beginObject("the parameters", keys: ScenarioKeys.Parameters.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .interval: interval = try number16("the connection interval")
      case .latency: latency = try number16("the peripheral latency")
      case .timeout: timeout = try number16("the supervision timeout")
      }
    }
    return ConnectionParameters(
      interval: try object.require(interval, .interval, "interval: 36, in units of 1.25 ms"),
      latency: try object.require(latency, .latency, "latency: 0, in connection events"),
      timeout: try object.require(timeout, .timeout, "timeout: 500, in units of 10 ms"))
  }

  private mutating func subscriptions() throws(JSON5Error) -> [AttributeHandle: UInt16] {
    var values: [AttributeHandle: UInt16] = [:]
    let opening = try json.next()
    guard opening.kind == .beginObject else { throw JSON5Reader.expected("the subscriptions", opening, "write an object, { … }") }
    while let (text, place) = try json.nextFreeKey(isFirst: values.isEmpty) {
      guard text.hasPrefix("0x"), case .value(let number) = ExactNumber(text), let raw = UInt16(exactly: number), raw > 0,
        text.utf8.dropFirst(2).allSatisfy({ JSON5Tokenizer.hexValue($0) != nil })
      else {
        throw JSON5Error(
          place, "\(JSON5Writer.quoted(text, limit: 40)) is no descriptor's handle", "write it in quotes, as \"0x000c\": 1")
      }
      let handle = AttributeHandle(raw)
      guard values[handle] == nil else { throw JSON5Error(place, "the subscription of \(handle) stands twice", "remove one of them") }
      values[handle] = try number16("the subscription of \(handle)")
    }
    return values
  }

  /// A name that an anchor refers to, to be looked up when all of them are known.
  struct Reference {
    var id: String
    var place: TextPosition
  }

  private mutating func entries(_ session: Int) throws(JSON5Error) -> [TimelineEntry] {
    var entries: [TimelineEntry] = []
    var names: [String: Int] = [:]
    var references: [Reference] = []
    try json.beginList("the entries")
    while try json.nextElement(isFirst: entries.isEmpty) {
      let line = try json.peek().position.line
      lines[.entry(session: session, entries.count)] = line
      let (entry, named, reference) = try entry()
      if let id = entry.id, let named {
        if let first = names[id] {
          throw JSON5Error(
            named, "the id \(JSON5Writer.quoted(id, limit: 40)) stands twice in this session, first in line \(first)",
            "give one of them another id")
        }
        names[id] = line
      }
      if let reference { references.append(reference) }
      entries.append(entry)
    }
    for reference in references where names[reference.id] == nil {
      let known = Spelling.suggestion(for: reference.id, among: names.keys.sorted() + ScenarioWords.causes)
      throw JSON5Error(
        reference.place, "no entry of this session has the id \(JSON5Writer.quoted(reference.id, limit: 40))",
        known.map { "did you mean \"\($0)\"?" } ?? "write \"connection\", \"previous\", \"idle\" or the id of an entry")
    }
    return entries
  }
}
