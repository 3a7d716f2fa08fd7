import CoreBluetooth
import Foundation
import ReplayTesting
import Testing

/// Minimising in a test of Swift Testing.
struct MinimizeFunctionTests {
  /// What an expectation says is a failure, and none of the test's.
  @Test func findsOneEntry() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json5").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let small = try await minimize(of: .scenario(Stream.scenario(values: 20)), to: path) { air in
      let app = StreamApp(wanted: 20)
      do { try await air.run(until: app.isOver) } catch is AirIdle {}
      let isStood = !app.values.contains(11)
      #expect(isStood)
    }
    let entries = try #require(small).sessions.flatMap(\.entries)
    #expect(entries.map(\.action) == [.notify(AttributeHandle(3), [11, 0])])
    #expect(try Scenario.read(file: path).sessions.flatMap(\.entries).count == 1)
  }

  @Test func anAppThatStandsItAllIsAnIssue() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json5").path
    try await withKnownIssue {
      let small = try await minimize(of: .scenario(Stream.scenario(values: 3)), to: path) { air in
        let app = StreamApp(wanted: 3)
        try await air.run(until: app.isOver)
      }
      #expect(small == nil)
    } matching: { issue in
      issue.comments.first?.rawValue == "the app stands the scenario, so there is nothing to minimise"
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
