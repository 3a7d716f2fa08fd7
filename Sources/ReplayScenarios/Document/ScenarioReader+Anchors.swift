/// What ties entries to their causes, and which values stand for the recorded ones.
extension ScenarioReader {
  /// Reads what an entry waits for; also the name that it refers to.
  mutating func cause() throws(JSON5Error) -> (Anchor.Cause, Reference?) {
    guard !json.isTextNext(), try json.peek().kind == .beginObject else {
      let text = try json.string("the cause")
      switch text {
      case ScenarioWords.connection: return (.connection, nil)
      case ScenarioWords.previous: return (.previous, nil)
      case ScenarioWords.idle: return (.idle, nil)
      default: return (.entry(text), Reference(id: text, place: json.place))
      }
    }
    var (request, since): (String?, String?)
    var (count, write): (Int?, AttributeHandle?)
    var object = try json.beginObject("the cause", keys: ScenarioKeys.Cause.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .request: request = try json.string("the request")
      case .every: count = try json.integer("the number of writes", in: 1...Int(Int32.max))
      case .write: write = try handle("the handle of the writes", recorded: true)
      case .since: since = try json.string("the entry since which writes are counted")
      }
    }
    func reference(_ id: String, _ key: ScenarioKeys.Cause) -> Reference { Reference(id: id, place: object.place(of: key) ?? object.start) }
    if let key = [ScenarioKeys.Cause.every, .write, .since].first(where: { object.place(of: $0) != nil }) {
      guard request == nil else {
        throw object.error(at: key, "the cause cannot be both a request and a number of writes", "remove one of them")
      }
      let every = try object.require(count, .every, "every: 12, the number of writes")
      let handle = try object.require(write, .write, "write: 0x0011, the attribute that is written")
      return (.every(count: every, write: handle, since: since), since.map { reference($0, .since) })
    }
    let id = try object.require(request, .request, "request: \"ID\", the entry whose request is the cause")
    return (.request(id), reference(id, .request))
  }

  /// Reads what calls an entry off besides the end of the link.
  mutating func cancellation() throws(JSON5Error) -> Anchor.Cancellation {
    var (cancellation, isFirst) = (Anchor.Cancellation(), true)
    try json.beginList("what cancels the entry")
    while try json.nextElement(isFirst: isFirst) {
      isFirst = false
      let text = try json.string("what cancels the entry")
      guard let known = ScenarioWords.cancellations.first(where: { $0.name == text }) else {
        throw unknownWord(text, "what cancels the entry", ScenarioWords.cancellations.map(\.name))
      }
      cancellation.insert(known.option)
    }
    return cancellation
  }

  /// Reads which values stand for the recorded one.
  mutating func matcher() throws(JSON5Error) -> WriteMatcher {
    guard try json.peek().kind == .beginObject else {
      let text = try json.string("the matcher")
      switch text {
      case ScenarioWords.any: return .any
      case ScenarioWords.length: return .length
      default: throw unknownWord(text, "the matcher", [ScenarioWords.any, ScenarioWords.length])
      }
    }
    var (mask, prefix, counter): ([UInt8]?, Int?, Int?)
    var (bytes, isBigEndian): (Int?, Bool?)
    var object = try json.beginObject("the matcher", keys: ScenarioKeys.Matcher.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .mask: mask = try hex("the mask")
      case .prefix: prefix = try json.integer("the length of the prefix", in: 0...0xFFFF)
      case .counter: counter = try json.integer("the counter's place in the value", in: 0...0xFFFF)
      case .bytes: bytes = try json.integer("the counter's size in bytes", in: 1...8)
      case .bigEndian: isBigEndian = try json.boolean("\"bigEndian\"")
      }
    }
    let kinds = [ScenarioKeys.Matcher.mask, .prefix, .counter].filter { object.place(of: $0) != nil }
    if kinds.count > 1, let last = kinds.last {
      throw object.error(at: last, "the matcher has both \"\(kinds[0].rawValue)\" and \"\(last.rawValue)\"", "remove one of them")
    }
    if let mask { return .mask(mask) }
    if let prefix { return .prefix(prefix) }
    let place = try object.require(counter, .counter, "mask: \"ff00\", prefix: 2, or counter: 4, the place of a number in the value")
    return .counter(at: place, bytes: bytes ?? 1, bigEndian: isBigEndian ?? false)
  }
}
