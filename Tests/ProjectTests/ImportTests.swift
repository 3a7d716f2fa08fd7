import Foundation
import TestSupport
import Testing

/// The rooms and arrows of `docs/architecture.md`, held against the import lines.
struct ImportTests {
  /// What each room may import of the project, directly; all that those may is allowed with it.
  static let arrows: [String: Set<String>] = [
    "ByteParsing": [],
    "BLEWire": ["ByteParsing"],
    "CaptureFiles": ["BLEWire"],
    "BLECrypto": ["BLEWire"],
    "SessionReconstruction": ["CaptureFiles", "BLECrypto"],
    "ReplayScenarios": ["BLEWire"],
    "ScenarioExtraction": ["SessionReconstruction", "ReplayScenarios", "BLECrypto"],
    "GATTStack": ["BLEWire"],
    "ReplayEngine": ["GATTStack", "ReplayScenarios"],
    "ReplayReports": ["ReplayEngine"],
    "VirtualCoreBluetooth": ["ReplayEngine"],
    "CoreBluetooth": ["VirtualCoreBluetooth"],
    "ReplayTesting": ["VirtualCoreBluetooth", "ReplayReports"],
    "understudy": ["ScenarioExtraction", "ReplayReports"],
  ]

  /// Modules of the toolchain that a room may use; C ones only where the file's name ends in `+System.swift`.
  static let toolchain: Set<String> = ["Foundation", "FoundationXML", "Dispatch", "Synchronization"]
  static let testing: Set<String> = ["XCTest", "Testing"]
  static let system: Set<String> = ["Glibc", "Musl", "Darwin"]
  /// The C targets of the rooms that have any.
  static let cTargets: [String: Set<String>] = [
    "BLECrypto": ["CUnderstudyCrypto"], "CaptureFiles": ["CUnderstudyPcap", "CUnderstudyZlib"],
  ]

  static func reachable(_ room: String) -> Set<String> {
    (arrows[room] ?? []).reduce(into: []) { $0.formUnion(reachable($1).union([$1])) }
  }

  static func swiftFiles(in folder: URL) -> [URL] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
  }

  static func imports(of text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init).filter { !$0.hasPrefix("@") }
      guard let place = words.firstIndex(of: "import"), place <= 1, place + 1 < words.count else { return nil }
      guard place == 0 || ["public", "package", "internal"].contains(words[0]) else { return nil }
      return words[place + 1]
    }
  }

  @Test func everyRoomIsInTheTable() throws {
    let rooms = try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: "Sources").path)
    #expect(Set(rooms.filter { !$0.hasPrefix(".") }) == Set(Self.arrows.keys).union(Self.cTargets.values.joined()))
  }

  @Test(arguments: arrows.keys.sorted())
  func importsGoWhereTheTableSays(room: String) throws {
    let allowed = Self.reachable(room).union(Self.toolchain).union(room == "ReplayTesting" ? Self.testing : [])
    let files = Self.swiftFiles(in: Repository.root.appending(path: "Sources/\(room)"))
    #expect(!files.isEmpty)
    for file in files {
      let isSystem = file.lastPathComponent.hasSuffix("+System.swift")
      for module in Self.imports(of: try String(contentsOf: file, encoding: .utf8)) {
        #expect(
          allowed.contains(module) || isSystem && Self.system.union(Self.cTargets[room] ?? []).contains(module),
          "\(room)/\(file.lastPathComponent) imports \(module)")
      }
    }
  }

  /// What a test bundle links has to run on iOS: no C target, and of the system only what the engine asks of its threads and its clock.
  @Test(arguments: [
    "ByteParsing", "BLEWire", "ReplayScenarios", "GATTStack", "ReplayEngine", "ReplayReports", "VirtualCoreBluetooth", "ReplayTesting",
  ])
  func roomsOfATestBundleCallNoC(room: String) throws {
    #expect(Self.reachable(room).union([room]).isDisjoint(with: Self.cTargets.keys))
    for file in Self.swiftFiles(in: Repository.root.appending(path: "Sources/\(room)")) {
      #expect(!file.lastPathComponent.hasSuffix("+System.swift") || room == "ReplayEngine")
    }
  }

  @Test func unsafeStandsWhereItMay() throws {
    for file in Self.swiftFiles(in: Repository.root.appending(path: "Sources")) {
      let isAllowed = file.path.contains("/Sources/ByteParsing/") || file.lastPathComponent.hasSuffix("+System.swift")
      guard !isAllowed else { continue }
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        #expect(!code.split { !$0.isLetter }.contains("unsafe"), "\(file.lastPathComponent): \(line)")
      }
    }
  }
}
