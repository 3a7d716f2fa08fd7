import ReplayScenarios

extension ScenarioMinimizer {
  /// Cuts for as long as an app fails in the same way, numbers aside: `body` makes the app and runs the air of each trial, and throws or lets
  /// the verdict fail. `nil` where the app stands the whole scenario.
  public mutating func run(seed: UInt64 = 0, _ body: (VirtualAir) throws -> Void) -> Outcome? {
    var kind: String?
    return run { candidate in
      let kinds = Self.failureKinds(of: candidate, seed, body)
      guard let known = kind else {
        kind = kinds.first
        return kind != nil
      }
      return kinds.contains(known)
    }
  }

  private static func failureKinds(of scenario: Scenario, _ seed: UInt64, _ body: (VirtualAir) throws -> Void) -> [String] {
    let air = VirtualAir(scenarios: [scenario], seed: seed)
    defer { air.close() }
    var played = Played()
    do { try VirtualAir.$current.withValue(air) { try body(air) } } catch { played.add(error) }
    return played.failures.map(Verdict.kind) + air.verdict.failureKinds
  }
}
