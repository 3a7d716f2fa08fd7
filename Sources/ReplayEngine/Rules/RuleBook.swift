import ReplayScenarios

/// A connection's rules, those of the test's code first, by what they wait for.
struct RuleBook {
  /// A rule that is to be followed.
  struct Found {
    var rule: Rule
    /// The attributes that it tells.
    var told: Set<AttributeHandle>
    /// How often it was asked on this link, this time included.
    var count: Int

    init(_ rule: Rule, count: Int) {
      (self.rule, self.count) = (rule, count)
      told = Set(rule.steps.compactMap { if case .notify(let handle, _) = $0.action { handle } else { nil } })
    }
  }

  private let code: [DeviceRule]
  private let rules: [Rule]
  /// How often each was asked; those of the code come first.
  private var counts: [Int]
  /// Rules of the scenario by what they wait for, in order.
  private var places: [Asked: [Int]] = [:]
  /// Whether there is none, so that nobody need ask.
  let isEmpty: Bool
  /// Attributes that code names and that there are not.
  private(set) var unknown: [String] = []

  private struct Asked: Hashable {
    var trigger: DeviceRule.Trigger
    var handle: AttributeHandle
  }

  init(_ rules: [Rule], code: [DeviceRule] = [], _ attributes: AttributeMap) {
    (self.rules, self.code) = (rules, code)
    counts = Array(repeating: 0, count: rules.count + code.count)
    isEmpty = counts.isEmpty
    for (place, rule) in rules.enumerated() {
      let trigger: DeviceRule.Trigger =
        switch rule.trigger {
        case .write: .write
        case .read: .read
        case .subscribe: .subscribe
        }
      places[Asked(trigger: trigger, handle: rule.attribute), default: []].append(place)
    }
    for rule in code where attributes.handle(rule.attribute) == nil { note(rule.attribute) }
  }

  private mutating func note(_ name: String) { if unknown.count < 100, !unknown.contains(name) { unknown.append(name) } }

  /// The rules that a write, a read or a subscription is for: one, but of the scenario's rules for a subscription all.
  mutating func all(
    _ trigger: DeviceRule.Trigger, _ handle: AttributeHandle, _ value: [UInt8], at now: AirInstant, _ attributes: AttributeMap,
    _ values: @escaping @Sendable (AttributeHandle) -> [UInt8]
  ) -> [Found] {
    for (place, rule) in code.enumerated() where rule.trigger == trigger && attributes.handle(rule.attribute) == handle {
      let request = DeviceRule.Request(
        handle: handle, value: value, count: counts[place] + 1, time: now, attributes: attributes, values: values)
      guard let reaction = rule.body(request) else { continue }
      counts[place] += 1
      return [Found(made(reaction, handle, attributes), count: counts[place])]
    }
    guard let places = places[Asked(trigger: trigger, handle: handle)] else { return [] }
    if trigger == .subscribe { return places.map { found($0) } }
    return places.first { takes(rules[$0], value) }.map { [found($0)] } ?? []
  }

  private mutating func found(_ place: Int) -> Found {
    counts[code.count + place] += 1
    return Found(rules[place], count: counts[code.count + place])
  }

  private func takes(_ rule: Rule, _ value: [UInt8]) -> Bool {
    guard case .write(_, let expected, let matcher) = rule.trigger else { return true }
    return value.count >= rule.minimumLength && matcher.accepts(value, for: expected)
  }

  /// A reaction as a rule whose values are settled.
  private mutating func made(
    _ reaction: DeviceRule.Reaction, _ handle: AttributeHandle, _ attributes: AttributeMap
  ) -> Rule {
    var steps: [Rule.Step] = []
    for step in reaction.steps {
      let action: Rule.Step.Action
      switch step.action {
      case .disconnect(let reason): action = .disconnect(reason)
      case .notify(let name, let value), .set(let name, let value):
        guard let attribute = attributes.handle(name) else {
          note(name)
          continue
        }
        if case .notify = step.action {
          action = .notify(attribute, ValueTemplate(value))
        } else {
          action = .set(attribute, ValueTemplate(value))
        }
      }
      steps.append(Rule.Step(action, delay: step.delay))
    }
    return Rule(on: .read(handle), answer: reaction.answer.map { ValueTemplate($0) }, error: reaction.error, steps: steps)
  }
}
