/// Finds what is inconsistent in rules and expectations.
struct RuleCheck {
  private(set) var problems: [ScenarioProblem] = []

  init(_ scenario: Scenario) {
    let known = Set(
      scenario.databases.joined().map { attribute -> AttributeHandle in
        if case .characteristic(_, _, let value) = attribute.kind { value } else { attribute.handle }
      })
    for (index, rule) in scenario.rules.enumerated() {
      var handles = [rule.attribute]
      for step in rule.steps {
        switch step.action {
        case .notify(let handle, let template), .set(let handle, let template): handles += [handle] + template.attributes
        case .disconnect: break
        }
        if step.delay < .zero {
          problems.append(ScenarioProblem(.negativeTime, .error, at: .rule(index), "the delay is negative; write milliseconds, as 20"))
        }
      }
      handles += rule.answer?.attributes ?? []
      for handle in handles where !known.contains(handle) {
        problems.append(
          ScenarioProblem(
            .unknownHandle, .error, at: .rule(index), "the database has no attribute \(handle); add it, or correct the handle"))
      }
      if case .write(_, let value, let matcher) = rule.trigger, !matcher.accepts(value, for: value) {
        problems.append(
          ScenarioProblem(
            .impossibleMatcher, .error, at: .rule(index), "the matcher does not fit a value of \(value.count) bytes; correct it"))
      }
      if case .write = rule.trigger {
      } else if rule.minimumLength > 0 {
        problems.append(
          ScenarioProblem(
            .impossibleAnswer, .error, at: .rule(index),
            "a template copies bytes of a write, and nothing is written; copy with {value:0x0018}"))
      }
    }
    for (index, expectation) in scenario.expectations.enumerated() {
      switch expectation.event {
      case .read(let handle), .write(let handle), .subscribe(let handle):
        if !known.contains(handle) {
          problems.append(
            ScenarioProblem(
              .unknownHandle, .error, at: .expectation(index), "the database has no attribute \(handle); add it, or correct the handle"))
        }
      case .scan, .attempt, .connect, .disconnect, .idle, .mark: break
      }
      if let most = expectation.atMost, most < expectation.count {
        problems.append(
          ScenarioProblem(
            .impossibleCount, .error, at: .expectation(index), "at least \(expectation.count) and at most \(most) cannot be; correct one"))
      }
      if [expectation.within, expectation.apart].contains(where: { $0.map { $0 < .zero } ?? false }) {
        problems.append(
          ScenarioProblem(.negativeTime, .error, at: .expectation(index), "the time is negative; write milliseconds, as 5000"))
      }
    }
  }
}
