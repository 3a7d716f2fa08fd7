import Foundation
import Testing

/// Every row of the sheet `corebluetooth-behaviour.md` has a test that cites its first words.
@Suite struct BehaviourTests {
  /// Why a row has no test.
  enum Reason: String {
    /// The row is about what Objective-C can see of a delegate.
    case notVisibleOnLinux
    /// Swift's types do not let it happen.
    case impossibleInSwift
  }

  static let untested: [String: Reason] = [
    "willRestoreState without id": .notVisibleOnLinux,
    "nil argument": .impossibleInSwift,
  ]

  struct Row: CustomTestStringConvertible, Sendable {
    var section: String
    var fact: String
    var testDescription: String { "\(section) \(fact.prefix(60))" }
  }

  static let rows: [Row] = {
    guard let url = Bundle.module.url(forResource: "corebluetooth-behaviour", withExtension: "md"),
      let sheet = try? String(contentsOf: url, encoding: .utf8)
    else { return [] }
    var (rows, section, isHeading): ([Row], String, Bool) = ([], "", false)
    for line in sheet.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("### ") { section = String(line.dropFirst(4).prefix { $0 != " " }) }
      if !line.hasPrefix("|") {
        isHeading = true
      } else if isHeading {
        isHeading = false
      } else if !line.hasPrefix("|--"), let fact = line.split(separator: "|").first {
        rows.append(Row(section: section, fact: fact.trimmingCharacters(in: .whitespaces)))
      }
    }
    return rows
  }()

  /// All that the tests of this folder say, in words.
  static let citations: String = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
    let sources = files.filter { $0.pathExtension == "swift" && $0.lastPathComponent != "BehaviourTests.swift" }
    return words(sources.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")).joined(separator: " ")
  }()

  private static func words(_ text: String) -> [Substring] {
    text.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
  }

  @Test func allRowsAreRead() {
    #expect(Self.rows.count == 83)
    #expect(Set(Self.rows.map(\.section)) == ["6.1", "6.2", "6.3", "6.4", "6.5", "6.6", "6.7", "6.9", "6.10"])
  }

  @Test(arguments: rows)
  func isCited(row: Row) {
    // What a row says of its sources' disagreement is not part of the fact.
    let words = Self.words(row.fact.replacing(#/^\*\*CONFLICT[^*]*\*\*:?/#, with: "")).prefix(5).joined(separator: " ")
    #expect(!words.isEmpty)
    let isCited = Self.citations.contains(words)
    if Self.untested[row.fact] == nil { #expect(isCited, "no test cites \"\(words)\"") } else { #expect(!isCited) }
  }
}
