import ReplayScenarios

/// A scenario's rules, by what they wait for.
struct RuleBook {
  let rules: [Rule]
  private var writes: [AttributeHandle: [Int]] = [:]
  /// The first rule for the read of an attribute, and all for its subscription.
  private(set) var reads: [AttributeHandle: Int] = [:]
  private(set) var subscriptions: [AttributeHandle: [Int]] = [:]
  /// The attributes that each rule tells.
  private(set) var told: [Set<AttributeHandle>] = []

  init(_ rules: [Rule]) {
    self.rules = rules
    for (index, rule) in rules.enumerated() {
      switch rule.trigger {
      case .write(let handle, _, _): writes[handle, default: []].append(index)
      case .read(let handle): reads[handle] = reads[handle] ?? index
      case .subscribe(let handle): subscriptions[handle, default: []].append(index)
      }
      told.append(Set(rule.steps.compactMap { if case .notify(let handle, _) = $0.action { handle } else { nil } }))
    }
  }

  /// The first rule that a write is for.
  func rule(for handle: AttributeHandle, _ value: [UInt8]) -> Int? {
    guard !writes.isEmpty else { return nil }
    return writes[handle]?.first { index in
      guard case .write(_, let expected, let matcher) = rules[index].trigger else { return false }
      return value.count >= rules[index].minimumLength && matcher.accepts(value, for: expected)
    }
  }
}
