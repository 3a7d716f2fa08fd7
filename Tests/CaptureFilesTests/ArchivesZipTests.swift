import Foundation
import TestSupport
import Testing

@testable import CaptureFiles

struct ArchivesZipTests {
  static let contents: [(String, [UInt8])] = [
    ("a.log", Array("first".utf8)), ("FS/data/misc/b.log", ArchivesInflatingTests.text), ("empty", []), ("FS/", []),
    ("Ünïcode.log", Array(ArchivesInflatingTests.text.prefix(100))),
  ]

  static func archive(_ bytes: [UInt8]) throws -> ZipArchive { try ZipArchive(MemoryBytes(bytes: bytes), file: "report.zip") }

  /// What the entries hold, with their damage.
  static func read(_ bytes: [UInt8]) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    let archive = try archive(bytes)
    for entry in archive.entries {
      let source = try archive.source(of: entry)
      contents[entry.name] = try ArchivesInflatingTests.drain(source)
      #expect(source.toldDamage == nil)
    }
    return contents
  }

  @Test(arguments: [0, 8] as [UInt16], [false, true])
  func entriesAreRead(method: UInt16, isLarge: Bool) throws {
    var builder = ZipBuilder(Self.contents, method: method)
    for hasDescriptor in [false, true] {
      for index in builder.entries.indices {
        builder.entries[index].hasDescriptor = hasDescriptor
        builder.entries[index].isLarge = isLarge
      }
      builder.isLarge = isLarge
      for comment in [[], Array("made by PK\u{5}\u{6}".utf8), [UInt8](repeating: 0x50, count: 65_535)] {
        builder.comment = comment
        #expect(try Self.read(builder.bytes) == Dictionary(uniqueKeysWithValues: Self.contents))
        // What unpacks itself has a program before the archive.
        #expect(try Self.read([UInt8](repeating: 0x7F, count: 777) + builder.bytes) == Dictionary(uniqueKeysWithValues: Self.contents))
      }
    }
    let segments = try Self.archive(builder.bytes).segments
    #expect(segments.map(\.name) == ["a.log", "FS/data/misc/b.log", "empty", "Ünïcode.log"])
    #expect(try segments[0].firstBytes(3) == Array("fir".utf8))
  }

  @Test func zipsOfOtherWritersAreRead() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/zip") else { return }
    let folder = FileManager.default.temporaryDirectory.appending(path: "zip-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "deep"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(ArchivesInflatingTests.text).write(to: folder.appending(path: "deep/text.log"))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/zip")
    process.currentDirectoryURL = folder
    process.arguments = ["-q", "-r", "a.zip", "deep"]
    try process.run()
    process.waitUntilExit()
    let archive = try ZipArchive(try RandomAccessFile(path: folder.appending(path: "a.zip").path), file: "a.zip")
    #expect(archive.segments.map(\.name) == ["deep/text.log"])
    let segment = try #require(archive.segments.first)
    #expect(try ArchivesInflatingTests.drain(try segment.open()) == ArchivesInflatingTests.text)
  }

  @Test func cutAtEveryByte() throws {
    let bytes = ZipBuilder(Self.contents.map { ($0.0, Array($0.1.prefix(300))) }).bytes
    for end in 0..<bytes.count {
      #expect(throws: CaptureError(.damagedArchive, file: "", "")) { try Self.archive(Array(bytes.prefix(end))) }
    }
  }

  @Test func whatIsMissingInTheMiddleIsTold() throws {
    // The end is there, and so is not what it points to.
    let bytes = ZipBuilder(Self.contents).bytes
    for start in stride(from: 1, to: bytes.count - 22, by: 7) {
      guard let archive = try? Self.archive(Array(bytes.dropFirst(start))) else { continue }
      for entry in archive.entries {
        guard let source = try? archive.source(of: entry) else { continue }
        let content = try ArchivesInflatingTests.drain(source)
        #expect(source.toldDamage != nil || Self.contents.contains { $0.0 == entry.name && $0.1 == content })
      }
    }
  }

  @Test(arguments: 0..<8)
  func damageNeverTraps(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var builder = ZipBuilder(Self.contents.map { ($0.0, Array($0.1.prefix(300))) }, method: seed & 1 == 0 ? 8 : 0)
    builder.isLarge = seed & 2 != 0
    for index in builder.entries.indices { builder.entries[index].isLarge = seed & 4 != 0 }
    let original = builder.bytes
    for _ in 0..<500 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] =
          [0, 0xFF, 0x7F, UInt8.random(in: .min ... .max, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      do throws(CaptureError) {
        let archive = try ZipArchive(MemoryBytes(bytes: bytes), file: "report.zip")
        for entry in archive.entries {
          guard let source = try? archive.source(of: entry) else { continue }
          _ = try? ArchivesInflatingTests.drain(source)
        }
      } catch {
        #expect([.damagedArchive, .unsupportedArchive].contains(error.code))
      }
    }
  }

  @Test func whatCannotBeReadIsNamed() throws {
    var builder = ZipBuilder(Self.contents)
    builder.entries[0].flags = 1
    builder.entries[1].method = 93
    builder.entries[1].content = [1, 2, 3]
    let archive = try Self.archive(builder.bytes)
    let texts = archive.entries.prefix(2).map { entry in
      do throws(CaptureError) {
        _ = try archive.source(of: entry)
        return ""
      } catch { return error.description }
    }
    #expect(texts[0] == "report.zip@0: holds 'a.log' encrypted; unpack it with its password and name the capture")
    #expect(
      texts[1].hasSuffix(
        "holds 'FS/data/misc/b.log' compressed with method 93 (Zstandard); stored and deflated entries are read: unpack it and name the capture"
      ))
    #expect(try ArchivesInflatingTests.drain(try archive.source(of: archive.entries[4])).count == 100)
  }

  @Test func whatIsStatedIsHeldAgainstWhatIsThere() throws {
    var builder = ZipBuilder([("zeros", [UInt8](repeating: 0, count: 10_000_000)), ("short", [1, 2, 3]), ("other", [1, 2, 3])])
    builder.entries[0].statedByteCount = 1000
    builder.entries[1].statedByteCount = 4
    builder.entries[2].checksum = 7
    let archive = try Self.archive(builder.bytes)
    var told: [String?] = []
    for (entry, count) in zip(archive.entries, [1000, 3, 3]) {
      let source = try archive.source(of: entry)
      #expect(try ArchivesInflatingTests.drain(source).count == count)
      told.append(source.toldDamage)
    }
    #expect(
      told == [
        "'zeros' holds more than the 1000 bytes that are stated for it", "'short' ends at byte 3 of 4",
        "'other' is damaged: its checksum is another",
      ])
  }

  @Test func countsAreLimited() throws {
    var builder = ZipBuilder((0..<70_000).map { ("\($0)", []) }, method: 0)
    builder.isLarge = true
    let archive = try Self.archive(builder.bytes)
    #expect(archive.entries.count == 65_536)
    #expect(archive.omittedEntryCount == 70_000 - 65_536)
    builder = ZipBuilder([("a", [1])])
    for count in [2, 65_535, Int.max] {
      (builder.statedCount, builder.isLarge) = (count, true)
      #expect(throws: CaptureError(.damagedArchive, file: "", "")) { try Self.archive(builder.bytes) }
    }
  }
}
