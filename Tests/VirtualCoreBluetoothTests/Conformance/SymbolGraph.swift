import Foundation
import TestSupport

/// What a built module declares in public, as the compiler tells it.
struct SymbolGraph {
  /// One declaration.
  struct Symbol {
    var kind: String
    var path: [String]
    /// In the form in which the sheet writes it.
    var declaration: String
    var owner: String { path.dropLast().joined(separator: ".") }
    var name: String { path.joined(separator: ".") }
  }

  private struct File: Decodable {
    struct Symbol: Decodable {
      struct Kind: Decodable { var identifier: String }
      struct Identifier: Decodable { var precise: String }
      struct Fragment: Decodable {
        var kind: String
        var spelling: String
      }
      var kind: Kind
      var identifier: Identifier
      var pathComponents: [String]
      var declarationFragments: [Fragment]
    }
    struct Relationship: Decodable {
      var kind: String
      var source: String
      var target: String
      var targetFallback: String?
    }
    var symbols: [Symbol]
    var relationships: [Relationship]
  }

  /// Declarations by their path.
  private(set) var symbols: [Symbol] = []
  /// Superclasses and protocols, by the path of who has them, without modules.
  private(set) var parents: [String: Set<String>] = [:]
  /// Requirements that a protocol has an implementation for, as `Protocol.declaration`.
  private(set) var defaults: Set<String> = []

  /// The compiler could not tell.
  struct Failure: Error { var words: String }

  /// Asks the compiler for the graph of a module that was built beside the tests.
  init(module: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "symbols-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let modules = try BuiltProgram("understudy").location().deletingLastPathComponent().appending(path: "Modules")
    let result = try BuiltProgram.runTool(
      "swift",
      ["symbolgraph-extract", "-module-name", module, "-I", modules.path, "-target", Self.target, "-output-dir", folder.path])
    guard result.code == 0 else { throw Failure(words: result.errors) }
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: folder.appending(path: "\(module).symbols.json")))
    var named: [String: Symbol] = [:]
    for symbol in file.symbols {
      let text = symbol.declarationFragments.map(\.spelling).joined()
      let read = Symbol(kind: symbol.kind.identifier, path: symbol.pathComponents, declaration: Self.normalized(text))
      named[symbol.identifier.precise] = read
      symbols.append(read)
    }
    for relationship in file.relationships {
      guard let source = named[relationship.source] else { continue }
      switch relationship.kind {
      case "inheritsFrom", "conformsTo":
        let target = named[relationship.target]?.name ?? relationship.targetFallback.map { $0.components(separatedBy: ".").last ?? $0 }
        if let target { parents[source.name, default: []].insert(target) }
      case "defaultImplementationOf":
        if let target = named[relationship.target] { defaults.insert("\(target.owner).\(target.declaration)") }
      default: break
      }
    }
  }

  private static var target: String {
    #if arch(x86_64)
      "x86_64-unknown-linux-gnu"
    #else
      "aarch64-unknown-linux-gnu"
    #endif
  }

  /// Types that have another name on Linux.
  static let equivalents = ["dispatch_queue_t": "DispatchQueue"]

  /// A declaration without what does not matter to who uses it: spaces, attributes, and whether a constant cannot change.
  static func normalized(_ declaration: String) -> String {
    var words = declaration.split { $0 == " " || $0 == "\n" }.map(String.init)
    words.removeAll { $0.hasPrefix("@") || ["override", "final", "open", "public"].contains($0) }
    var text = words.joined(separator: " ")
    for (apple, linux) in equivalents { text = text.replacingOccurrences(of: apple, with: linux) }
    if text.hasPrefix("let ") { text = "var " + text.dropFirst(4) + " { get }" }
    if text.hasSuffix(" { get set }") { text.removeLast(" { get set }".count) }
    return text
  }

  /// The declaration at a path, of members the one with these words.
  func symbol(_ name: String) -> Symbol? { symbols.first { $0.name == name } }
  func has(_ member: APISheet.Member) -> Bool {
    let declaration = Self.normalized(member.declaration)
    return symbols.contains { $0.owner == member.owner && $0.declaration == declaration }
  }

  /// All that a class or a protocol is made from, indirectly too.
  func ancestors(of name: String) -> Set<String> {
    (parents[name] ?? []).reduce(into: parents[name] ?? []) { $0.formUnion(ancestors(of: $1)) }
  }
}
