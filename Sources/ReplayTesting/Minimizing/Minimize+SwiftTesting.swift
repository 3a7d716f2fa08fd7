public import ReplayEngine
public import ReplayScenarios
public import Testing

/// Cuts a scenario, with these faults, down to the smallest with which `body` still fails in the same way: throws, fails an expectation, or
/// lets the verdict fail. Writes it to `path`, faults included, and returns it; records an issue where the app stands the whole.
///
/// For tests of Swift Testing. All runs are made in this process.
@discardableResult
public func minimize(
  _ faults: Fault..., of source: ScenarioSource, seed: UInt64 = 0, to path: String, sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: (VirtualAir) async throws -> Void
) async throws -> Scenario? {
  var minimizer = try ScenarioMinimizer(try source.load(), faults: faults)
  let outcome = await minimizer.run(seed: seed) { air in try await recordingIssues { try await body(air) } }
  guard let outcome else {
    Issue.record(Comment(rawValue: MinimizedScenario.nothing), sourceLocation: sourceLocation)
    return nil
  }
  try MinimizedScenario.write(outcome, seed: seed, to: path)
  return outcome.scenario
}
