/// Rules and expectations, which people write.
extension ScenarioReader {
  mutating func rules(into rules: inout [Rule]) throws(JSON5Error) {
    try json.beginList("the rules")
    while try json.nextElement(isFirst: rules.isEmpty) {
      lines[.rule(rules.count)] = try json.peek().position.line
      rules.append(try rule())
    }
  }

  private mutating func rule() throws(JSON5Error) -> Rule {
    var trigger: Rule.Trigger?
    var (answer, error): (ValueTemplate?, ATTErrorCode?)
    var (steps, note): ([Rule.Step], String?) = ([], nil)
    var object = try json.beginObject("the rule", keys: ScenarioKeys.Rule.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .on: trigger = try self.trigger()
      case .answer: answer = try template("the answer")
      case .error: error = ATTErrorCode(rawValue: try octet("the error"))
      case .then:
        try json.beginList("what follows")
        while try json.nextElement(isFirst: steps.isEmpty) { steps.append(try step()) }
      case .note: note = try json.string("the note")
      }
    }
    let on = try object.require(trigger, .on, "on: { write: 0x0011 }, what the rule waits for")
    if answer != nil, error != nil { throw object.error(at: .error, "the rule has both an answer and an error", "remove one of them") }
    switch on {
    case .read: break
    case .write, .subscribe:
      if answer != nil { throw object.error(at: .answer, "only a read has an answer", "remove it, or write on: { read: 0x0011 }") }
      if case .subscribe = on, error != nil {
        throw object.error(at: .error, "a subscription is not refused by a rule", "give its descriptor a writeError in the database")
      }
    }
    return Rule(on: on, answer: answer, error: error, steps: steps, note: note)
  }

  private mutating func trigger() throws(JSON5Error) -> Rule.Trigger {
    var (write, read, subscribe): (AttributeHandle?, AttributeHandle?, AttributeHandle?)
    var (value, matcher): ([UInt8]?, WriteMatcher?)
    var object = try json.beginObject("what the rule waits for", keys: ScenarioKeys.Trigger.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .write: write = try handle("the handle that is written")
      case .read: read = try handle("the handle that is read")
      case .subscribe: subscribe = try handle("the handle that is subscribed to")
      case .value: value = try hex("the value")
      case .matches: matcher = try self.matcher()
      }
    }
    let kinds = [ScenarioKeys.Trigger.write, .read, .subscribe].filter { object.place(of: $0) != nil }
    if kinds.count > 1 {
      throw object.error(
        at: kinds[1], "the rule waits for both \"\(kinds[0].rawValue)\" and \"\(kinds[1].rawValue)\"", "write a rule for each")
    }
    if let write {
      if value == nil, matcher != nil {
        throw object.error(at: .matches, "a matcher needs the value that it compares with", "add value: \"a5\"")
      }
      return .write(write, value: value ?? [], matcher: value == nil ? .any : matcher ?? .exact)
    }
    for key in [ScenarioKeys.Trigger.value, .matches] where object.place(of: key) != nil {
      throw object.error(at: key, "only a write has a value", "remove \"\(key.rawValue)\", or write write: 0x0011")
    }
    if let read { return .read(read) }
    return .subscribe(try object.require(subscribe, .subscribe, "write: 0x0011, read: 0x0011 or subscribe: 0x0011"))
  }

  private mutating func step() throws(JSON5Error) -> Rule.Step {
    var (notify, set): (AttributeHandle?, AttributeHandle?)
    var (value, delay): (ValueTemplate?, Duration) = (nil, .zero)
    var reason: HCIErrorCode?
    var object = try json.beginObject("what follows", keys: ScenarioKeys.Step.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .notify: notify = try handle("the handle that is told")
      case .set: set = try handle("the handle whose value changes")
      case .disconnect: reason = HCIErrorCode(rawValue: try octet("the reason"))
      case .value: value = try template("the value")
      case .delay: delay = try json.milliseconds("the delay")
      }
    }
    let kinds = [ScenarioKeys.Step.notify, .set, .disconnect].filter { object.place(of: $0) != nil }
    if kinds.count > 1 {
      throw object.error(at: kinds[1], "there is both \"\(kinds[0].rawValue)\" and \"\(kinds[1].rawValue)\"", "write an element for each")
    }
    if let reason {
      if value != nil { throw object.error(at: .value, "the end of a link has no value", "remove it") }
      return Rule.Step(.disconnect(reason), delay: delay)
    }
    guard let handle = notify ?? set else {
      throw object.error(at: .notify, "nothing is to be done", "add notify: 0x0014, set: 0x0014 or disconnect: 0x13")
    }
    let template = try object.require(value, .value, "value: \"a5 {1} {sum}\"")
    return Rule.Step(notify == nil ? .set(handle, template) : .notify(handle, template), delay: delay)
  }

  private mutating func template(_ what: String) throws(JSON5Error) -> ValueTemplate {
    let text = try json.string(what)
    do { return try ValueTemplate(text) } catch { throw JSON5Error(json.place, "\(what) is no template", error.description) }
  }

  mutating func expectations(into expectations: inout [Expectation]) throws(JSON5Error) {
    try json.beginList("the expectations")
    while try json.nextElement(isFirst: expectations.isEmpty) {
      lines[.expectation(expectations.count)] = try json.peek().position.line
      expectations.append(try expectation())
    }
  }

  private mutating func expectation() throws(JSON5Error) -> Expectation {
    var event: Expectation.Event?
    var result = Expectation(.connect)
    var kinds: [ScenarioKeys.Expectation] = []
    var object = try json.beginObject("the expectation", keys: ScenarioKeys.Expectation.self)
    while let key = try json.nextKey(&object) {
      switch key {
      case .scan, .attempt, .connect, .disconnect:
        guard try json.boolean("\"\(key.rawValue)\"") else {
          throw JSON5Error(json.place, "\"\(key.rawValue)\" cannot be false", "remove the expectation, or write atMost: 0")
        }
        event = key == .scan ? .scan : key == .attempt ? .attempt : key == .connect ? .connect : .disconnect
      case .read: event = .read(try handle("the handle that is read"))
      case .write: event = .write(try handle("the handle that is written"))
      case .subscribe: event = .subscribe(try handle("the handle that is subscribed to"))
      case .idle: event = .idle(try json.milliseconds("the silence"))
      case .mark: event = .mark(try json.string("the mark"))
      case .count: result.count = try json.integer("the count", in: 0...Int(Int32.max))
      case .atMost: result.atMost = try json.integer("the greatest count", in: 0...Int(Int32.max))
      case .within: result.within = try json.milliseconds("the time")
      case .apart: result.apart = try json.milliseconds("the time between two")
      case .note: result.note = try json.string("the note")
      }
      switch key {
      case .count, .atMost, .within, .apart, .note: break
      default: kinds.append(key)
      }
    }
    if kinds.count > 1 {
      throw object.error(
        at: kinds[1], "the expectation is both \"\(kinds[0].rawValue)\" and \"\(kinds[1].rawValue)\"", "write an expectation for each")
    }
    result.event = try object.require(
      event, .connect,
      "scan: true, attempt: true, connect: true, disconnect: true, read: 0x0011, write: 0x0011, subscribe: 0x0011, idle: 5000 or mark: \"NAME\""
    )
    if object.place(of: .count) == nil, let most = result.atMost { result.count = min(1, most) }
    return result
  }
}
