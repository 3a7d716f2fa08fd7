import ReplayScenarios

/// What a scenario's rules have a hand in, so that it may differ from the recording.
struct RuleReach {
  /// Attributes that they answer for or tell.
  private(set) var attributes: Set<AttributeHandle> = []
  /// Whether one of them ends links.
  private(set) var endsLinks = false

  init(_ rules: [Rule]) {
    for rule in rules {
      attributes.insert(rule.attribute)
      for step in rule.steps {
        switch step.action {
        case .notify(let handle, _), .set(let handle, _): attributes.insert(handle)
        case .disconnect: endsLinks = true
        }
      }
    }
  }
}
