import ReplayScenarios

extension ScenarioMinimizer {
  /// Cuts for as long as an app fails in the same way, numbers aside: `body` makes the app and runs the air of each trial, and throws or lets
  /// the verdict fail. `nil` where the app stands the whole scenario.
  public mutating func run(seed: UInt64 = 0, _ body: (VirtualAir) throws -> Void) -> Outcome? {
    var sameness = Sameness()
    return run { candidate in
      let air = VirtualAir(scenarios: [candidate], seed: seed)
      defer { air.close() }
      var played = Played()
      do { try VirtualAir.$current.withValue(air) { try body(air) } } catch { played.add(error) }
      return sameness.holds(played, air)
    }
  }

  /// The same for an app that is run by asynchronous code.
  public mutating func run(
    seed: UInt64 = 0, isolation: isolated (any Actor)? = #isolation, _ body: (VirtualAir) async throws -> Void
  ) async -> Outcome? {
    var sameness = Sameness()
    return await run { candidate in
      let air = VirtualAir(scenarios: [candidate], seed: seed)
      defer { air.close() }
      var played = Played()
      do { try await VirtualAir.$current.withValue(air) { try await body(air) } } catch { played.add(error) }
      return sameness.holds(played, air)
    }
  }

  /// In which way the whole failed.
  private struct Sameness {
    private var kind: String?

    /// Whether a trial failed in that way; the first decides which.
    mutating func holds(_ played: Played, _ air: VirtualAir) -> Bool {
      let kinds = played.failures.map(Verdict.kind) + air.verdict.failureKinds
      guard let known = kind else {
        kind = kinds.first
        return kind != nil
      }
      return kinds.contains(known)
    }
  }
}
