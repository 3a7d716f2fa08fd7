import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Every input of the corpora, read as fuzzing reads it but without its runtime.
struct FuzzCorpusTests {
  static let corpus = Repository.root.appending(path: "Fuzz/Corpus")

  static func inputs(_ target: FuzzTarget) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: corpus.appending(path: target.rawValue), includingPropertiesForKeys: nil)
      .filter { !$0.lastPathComponent.hasPrefix(".") }.sorted { $0.path < $1.path }
  }

  @Test(arguments: FuzzTarget.allCases)
  func promisesAreKept(target: FuzzTarget) throws {
    let inputs = try Self.inputs(target)
    #expect(!inputs.isEmpty)
    for input in inputs {
      let broken = target.brokenPromises(Array(try Data(contentsOf: input)))
      #expect(broken == [], "\(target.rawValue)/\(input.lastPathComponent)")
    }
  }

  /// Seeds that the generator no longer makes would be left over, and new ones missing.
  @Test(arguments: FuzzTarget.allCases)
  func seedsAreThoseOfTheGenerator(target: FuzzTarget) throws {
    let seeds = try Seeds.of(target)
    let names = Set(try Self.inputs(target).map(\.lastPathComponent).filter { !$0.hasPrefix("found-") })
    #expect(names == Set(seeds.keys))
    for (name, bytes) in seeds {
      #expect(bytes.count <= Seeds.byteLimit, "\(name)")
      let isWanted = target.wants(bytes)
      #expect(isWanted, "\(name)")
    }
  }

  @Test func everyFolderIsATargets() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
    #expect(Set(folders) == Set(FuzzTarget.allCases.map(\.rawValue)))
  }
}
