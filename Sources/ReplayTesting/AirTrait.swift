import ReplayEngine
public import ReplayScenarios
public import Testing

/// Gives each test, and each of its arguments, an air of its own; the test gets it as ``VirtualAir/required``.
public struct AirTrait: TestTrait, SuiteTrait, TestScoping {
  let sources: [ScenarioSource]
  let seed: UInt64
  let failsOnMisuse: Bool

  /// A suite's tests have one air each.
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let scenarios = try sources.map { try $0.load() }
    let air = VirtualAir(scenarios: scenarios, seed: seed)
    // No call comes to the app after its test.
    defer { air.close() }
    // What a test that failed is looked at with.
    func keep() throws {
      let report = KeptReport(of: "\(test.id)", air)
      report.attachToTest()
      try report.write()
    }
    do { try await VirtualAir.$current.withValue(air) { try await function() } } catch {
      try keep()
      throw error
    }
    let verdict = air.verdict
    if failsOnMisuse { for line in verdict.misuse { Issue.record("\(line)") } }
    if !verdict.passed || failsOnMisuse && !verdict.misuse.isEmpty { try keep() }
  }
}

extension Trait where Self == AirTrait {
  /// An air with the peripherals of these scenarios; with `failsOnMisuse` each wrong use of the framework fails the test.
  public static func air(_ sources: ScenarioSource..., seed: UInt64 = 0, failsOnMisuse: Bool = false) -> AirTrait {
    AirTrait(sources: sources, seed: seed, failsOnMisuse: failsOnMisuse)
  }
}
