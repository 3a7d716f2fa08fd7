/// Rules and expectations, one a line.
extension ScenarioWriter {
  mutating func write(_ rule: Rule) {
    typealias Key = ScenarioKeys.Rule
    json.raw("    ")
    json.open("{ ")
    json.key(Key.on)
    Self.write(rule.trigger, to: &json)
    json.optional(Key.answer, rule.answer) { $0.string($1.text) }
    json.optional(Key.error, rule.error) { $0.raw(hexadecimal($1.rawValue)) }
    if !rule.steps.isEmpty {
      json.key(Key.then)
      json.open("[")
      for step in rule.steps {
        json.element()
        Self.write(step, to: &json)
      }
      json.close("]")
    }
    json.optional(Key.note, rule.note) { $0.string($1) }
    json.close(" }")
    json.raw(",\n")
  }

  private static func write(_ trigger: Rule.Trigger, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.Trigger
    json.open("{ ")
    switch trigger {
    case .read(let handle):
      json.key(Key.read)
      json.handle(handle)
    case .subscribe(let handle):
      json.key(Key.subscribe)
      json.handle(handle)
    case .write(let handle, let value, let matcher):
      json.key(Key.write)
      json.handle(handle)
      if matcher != .any || !value.isEmpty {
        json.key(Key.value)
        json.hex(value)
        write(matcher, to: &json)
      }
    }
    json.close(" }")
  }

  private static func write(_ step: Rule.Step, to json: inout JSON5Writer) {
    typealias Key = ScenarioKeys.Step
    json.open("{ ")
    func value(_ key: Key, _ handle: AttributeHandle, _ template: ValueTemplate) {
      json.key(key)
      json.handle(handle)
      json.key(Key.value)
      json.string(template.text)
    }
    switch step.action {
    case .notify(let handle, let template): value(.notify, handle, template)
    case .set(let handle, let template): value(.set, handle, template)
    case .disconnect(let reason):
      json.key(Key.disconnect)
      json.raw(hexadecimal(reason.rawValue))
    }
    json.optional(Key.delay, step.delay == .zero ? nil : step.delay) { $0.milliseconds($1) }
    json.close(" }")
  }

  mutating func write(_ expectation: Expectation) {
    typealias Key = ScenarioKeys.Expectation
    json.raw("    ")
    json.open("{ ")
    switch expectation.event {
    case .scan: json.optional(Key.scan, true) { $0.raw(String($1)) }
    case .attempt: json.optional(Key.attempt, true) { $0.raw(String($1)) }
    case .connect: json.optional(Key.connect, true) { $0.raw(String($1)) }
    case .disconnect: json.optional(Key.disconnect, true) { $0.raw(String($1)) }
    case .read(let handle): json.optional(Key.read, handle) { $0.handle($1) }
    case .write(let handle): json.optional(Key.write, handle) { $0.handle($1) }
    case .subscribe(let handle): json.optional(Key.subscribe, handle) { $0.handle($1) }
    case .idle(let time): json.optional(Key.idle, time) { $0.milliseconds($1) }
    case .mark(let name): json.optional(Key.mark, name) { $0.string($1) }
    }
    let usual = min(1, expectation.atMost ?? 1)
    json.optional(Key.count, expectation.count == usual ? nil : expectation.count) { $0.raw(String($1)) }
    json.optional(Key.atMost, expectation.atMost) { $0.raw(String($1)) }
    json.optional(Key.within, expectation.within) { $0.milliseconds($1) }
    json.optional(Key.apart, expectation.apart) { $0.milliseconds($1) }
    json.optional(Key.note, expectation.note) { $0.string($1) }
    json.close(" }")
    json.raw(",\n")
  }
}
