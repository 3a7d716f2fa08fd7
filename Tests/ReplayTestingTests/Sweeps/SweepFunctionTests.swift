import CoreBluetooth
import ReplayTesting
import Testing

/// Sweeps in a test of Swift Testing.
struct SweepFunctionTests {
  /// One point of 200 ends the process; it is told, and all others are, too. What an expectation says is its point's failure.
  @Test func trapsAndExpectationsAreTheirPointsResults() async throws {
    var result: SweepResult?
    let reports = Guarded<[String]>([])
    try await withKnownIssue {
      result = try await sweep(.disconnect(.connectionTimeout), of: [.scenario(Stream.scenario(values: 200))], in: .otherProcesses(2)) {
        air in
        let app = StreamApp(wanted: 200) { count in
          let few = [1, 2, 3]
          if count == 40 { _ = few[count] }
        }
        try await air.run(until: app.isOver)
        #expect(app.values.count != 60)
      }
    } matching: { issue in
      reports.withValue { $0.append(issue.comments.first?.rawValue ?? "") }
      return true
    }
    let found = try #require(result)
    #expect(found.points.count == 200)
    #expect(found.count(of: .passed) == 198)
    #expect(found.points.filter { $0.outcome == .trapped }.map(\.number) == [39])
    #expect(found.points.filter { $0.outcome == .failed }.map(\.number) == [59])
    #expect(reports.value.map { $0.prefix(9) } == ["point 40,", "point 60,"])
    #expect(reports.value.last?.contains("app.values.count") ?? false)
  }

  /// The first failure ends it where that is asked for.
  @Test func endsAtTheFirstFailureInOtherProcesses() async throws { try await endsAtTheFirstFailure(.otherProcesses(2)) }
  @Test func endsAtTheFirstFailureInThisProcess() async throws { try await endsAtTheFirstFailure(.thisProcess) }

  private func endsAtTheFirstFailure(_ place: SweepPlace) async throws {
    let result = try await sweep(
      .vanish, of: [.scenario(Stream.scenario(values: 20))], stopsAtFirstFailure: true, in: place
    ) { air in
      let app = StreamApp(wanted: 20)
      try await air.run(until: app.isOver)
    }
    #expect(result.passed && result.count(of: .skipped) == 0)
    try await withKnownIssue {
      let result = try await sweep(
        .vanish, of: [.scenario(Stream.scenario(values: 20))], stopsAtFirstFailure: true, in: place
      ) { air in
        let app = StreamApp(wanted: 20)
        try await air.run(until: app.isOver)
        #expect(app.values.count != 5)
      }
      #expect(result.count(of: .passed) == 4 && result.count(of: .failed) == 1 && result.count(of: .skipped) == 15)
    } matching: { issue in
      issue.comments.first?.rawValue.hasPrefix("point 5,") ?? false
    }
  }
}
