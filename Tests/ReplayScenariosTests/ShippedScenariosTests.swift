import Foundation
import ReplayScenarios
import TestSupport
import Testing

/// All that stands in `scenarios`, its folders included, is sound.
struct ShippedScenariosTests {
  static let files: [URL] = {
    let all = FileManager.default.enumerator(at: Repository.root.appending(path: "scenarios"), includingPropertiesForKeys: nil)
    return (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "json5" }.sorted { $0.path < $1.path }
  }()

  @Test(arguments: files)
  func isSound(file: URL) throws {
    let scenario = try Scenario.read(file: file.path)
    #expect(scenario.problems().map(\.description) == [])
    // It can be read again as it is written.
    #expect(try ScenarioDocument(reading: scenario.document(), file: "again").scenario == scenario)
  }

  @Test func thereAreThoseOfTheField() throws {
    #expect(Self.files.count { $0.path.contains("/scenarios/field/") } >= 15)
    // The table names each, and each test that it names is there.
    let table = try String(contentsOf: Repository.root.appending(path: "scenarios/README.md"), encoding: .utf8)
    for file in Self.files { #expect(table.contains("`\(file.lastPathComponent)`"), "\(file.lastPathComponent)") }
    for name in table.matches(of: /`(\w+Tests)`/).map(\.1) {
      let path = Repository.root.appending(path: "Tests/FieldCaseTests/\(name).swift").path
      #expect(FileManager.default.fileExists(atPath: path), "\(name)")
    }
  }
}
