import ByteParsing
import Foundation
import TestSupport
import Testing

@testable import CaptureFiles

struct ArchivesTarTests {
  static let long = "logs/" + String(repeating: "deep/", count: 18) + "bluetoothd-hci-latest.pklg"
  static let contents: [(String, [UInt8])] = [
    ("a.log", Array("first".utf8)), (long, ArchivesInflatingTests.text), ("empty", []), ("block", [UInt8](repeating: 7, count: 512)),
    ("end", [1]),
  ]

  static func archive(_ bytes: [UInt8]) throws -> TarArchive {
    try TarArchive { () throws(CaptureError) -> any ByteSource in MemorySource(bytes: bytes) }
  }

  static func read(_ archive: TarArchive) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for segment in archive.segments { contents[segment.name] = try ArchivesInflatingTests.drain(try segment.open()) }
    return contents
  }

  @Test(arguments: TarBuilder.Style.allCases)
  func entriesAreRead(style: TarBuilder.Style) throws {
    let bytes = TarBuilder.archive(Self.contents, style)
    let isTar = TarHeader.begins(bytes.byteSpan)
    #expect(isTar)
    let archive = try Self.archive(bytes)
    #expect(archive.damage == nil)
    #expect(archive.entries.map(\.name) == Self.contents.map(\.0))
    #expect(archive.entries.map(\.beginning.count) == [5, 4096, 0, 32, 1])
    #expect(try Self.read(archive) == Dictionary(uniqueKeysWithValues: Self.contents))
    let packed = Deflate.compress(bytes, .gzip)
    let inflated = try TarArchive { () throws(CaptureError) -> any ByteSource in InflatingSource(MemorySource(bytes: packed), .gzip) }
    #expect(try Self.read(inflated) == Dictionary(uniqueKeysWithValues: Self.contents))
  }

  @Test func whatIsNoFileIsPassedOver() throws {
    var builder = TarBuilder()
    builder.other("logs/", type: "5")
    builder.other("link", type: "2")
    builder.other("pax_global_header", type: "g")
    builder.file("logs/a", [1, 2])
    builder.end()
    let archive = try Self.archive(builder.bytes)
    #expect(archive.entries.map(\.name) == ["logs/a"])
  }

  @Test(arguments: ["ustar", "gnu", "pax"])
  func tarsOfOtherWritersAreRead(format: String) throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/tar") else { return }
    let folder = FileManager.default.temporaryDirectory.appending(path: "tar-\(UUID().uuidString)")
    let name = "sysdiagnose_" + String(repeating: "x", count: 80) + "/logs/Bluetooth/bluetoothd-hci-latest.pklg"
    let place = folder.appending(path: name)
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(ArchivesInflatingTests.text).write(to: place)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/tar")
    process.currentDirectoryURL = folder
    process.arguments = ["-czf", "a.tar.gz", "--format=\(format)", "sysdiagnose_" + String(repeating: "x", count: 80)]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return }
    let file = try RandomAccessFile(path: folder.appending(path: "a.tar.gz").path)
    let archive = try TarArchive { () throws(CaptureError) -> any ByteSource in InflatingSource(RangeSource(file), .gzip) }
    #expect(archive.entries.map(\.name) == [name])
    #expect(try Self.read(archive) == [name: ArchivesInflatingTests.text])
    #expect(archive.damage == nil)
  }

  @Test(arguments: TarBuilder.Style.allCases)
  func cutAtEveryByte(style: TarBuilder.Style) throws {
    let files = Self.contents.map { ($0.0, Array($0.1.prefix(700))) }
    let bytes = TarBuilder.archive(files, style)
    for end in 0..<bytes.count {
      let archive = try Self.archive(Array(bytes.prefix(end)))
      for (index, segment) in archive.segments.enumerated() where segment.name == files[index].0 {
        let source = try segment.open()
        let content = try ArchivesInflatingTests.drain(source)
        #expect(files[index].1.starts(with: content))
        #expect((source.toldDamage == nil) == (content.count == files[index].1.count))
      }
      if archive.entries.count < files.count, !end.isMultiple(of: 512) { #expect(archive.damage != nil, "\(end)") }
    }
  }

  @Test(arguments: TarBuilder.Style.allCases)
  func damageNeverTraps(style: TarBuilder.Style) throws {
    var random = SeededGenerator(seed: 0x7A2)
    let original = TarBuilder.archive(Self.contents.map { ($0.0, Array($0.1.prefix(700))) }, style)
    for _ in 0..<1000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      _ = try Self.read(try Self.archive(bytes))
    }
    // The fields of a header, under a checksum that holds.
    for offset in 0..<512 {
      var bytes = original
      for value in [0, 0x37, 0x80, 0xFF] as [UInt8] {
        bytes[offset] = value
        bytes.replaceSubrange(148..<156, with: [UInt8](repeating: 0x20, count: 8))
        let sum = String(bytes.prefix(512).reduce(0) { $0 + Int($1) }, radix: 8)
        bytes.replaceSubrange(148..<(148 + sum.utf8.count + 1), with: Array(sum.utf8) + [0])
        _ = try Self.read(try Self.archive(bytes))
      }
    }
  }

  @Test func recordsOfPax() {
    #expect(PaxRecords(Array("12 path=a b\n".utf8)).path == "a b")
    #expect(PaxRecords(Array("11 size=123\n".utf8)).size == nil)
    #expect(PaxRecords(Array("12 size=123\n15 path=/a=b/c\n".utf8)).path == "/a=b/c")
    for text in ["", " ", "0 ", "1 ", "2 \n", "99999 path=a\n", "5 a=\n", "x path=a\n", "999999999999999999999 a=b\n"] {
      #expect(PaxRecords(Array(text.utf8)).path == nil)
    }
  }
}
