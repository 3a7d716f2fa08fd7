import ReplayEngine
public import ReplayScenarios
public import Testing

/// Gives each test, and each of its arguments, an air of its own; the test gets it as ``VirtualAir/required``.
public struct AirTrait: TestTrait, SuiteTrait, TestScoping {
  let sources: [ScenarioSource]
  let seed: UInt64

  /// A suite's tests have one air each.
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let scenarios = try sources.map { try $0.load() }
    try await VirtualAir.$current.withValue(VirtualAir(scenarios: scenarios, seed: seed)) { try await function() }
  }
}

extension Trait where Self == AirTrait {
  /// An air with the peripherals of these scenarios.
  public static func air(_ sources: ScenarioSource..., seed: UInt64 = 0) -> AirTrait { AirTrait(sources: sources, seed: seed) }
}
