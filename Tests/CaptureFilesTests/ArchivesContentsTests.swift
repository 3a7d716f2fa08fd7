import ByteParsing
import Foundation
import TestSupport
import Testing

@testable import CaptureFiles

struct ArchivesContentsTests {
  static func detect(_ bytes: [UInt8]) -> CaptureContainer { CaptureContainer.detect(bytes.byteSpan) }

  @Test func containersAreToldByTheirContent() {
    let btsnoop = ArchivesPhoneTests.btsnoop(1)
    let snooz = ArchivesSnoozTests.snooz()
    let cases: [([UInt8], CaptureContainer)] = [
      ([], .plain), (btsnoop, .plain), (ArchivesPhoneTests.packetLogger(1), .plain), (Deflate.compress(btsnoop, .gzip), .gzip),
      (ZipBuilder([("a", [1])]).bytes, .zip), (ZipBuilder().bytes, .zip), (TarBuilder.archive([("a", [1])]), .tar), (snooz.bytes, .snooz),
      (SnoozBuilder(version: 1).bytes, .plain), (snooz.text(), .snoozText), (Array("Bluetooth Status\n  enabled: true\n".utf8), .snoozText),
      (Array("any other text".utf8), .plain),
    ]
    for (bytes, container) in cases {
      #expect(Self.detect(bytes) == container)
      for end in 0..<min(bytes.count, 600) { _ = Self.detect(Array(bytes.prefix(end))) }
    }
    var random = SeededGenerator(seed: 1)
    for count in 0..<600 { _ = Self.detect(random.bytes(count)) }
  }

  @Test func everyContainerHoldsTheSameCapture() throws {
    let btsnoop = ArchivesPhoneTests.btsnoop(7)
    let folder = FileManager.default.temporaryDirectory.appending(path: "contents-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let forms: [([UInt8], CaptureContainer)] = [
      (btsnoop, .plain), (Deflate.compress(btsnoop, .gzip), .gzip), (ZipBuilder([("a.btsnoop", btsnoop)]).bytes, .zip),
      (TarBuilder.archive([("a.btsnoop", btsnoop)]), .tar), (Deflate.compress(TarBuilder.archive([("a.btsnoop", btsnoop)]), .gzip), .tar),
    ]
    for (index, (bytes, container)) in forms.enumerated() {
      let (place, pipe) = (folder.appending(path: "\(index)"), folder.appending(path: "\(index).pipe"))
      try Data(bytes).write(to: place)
      #expect(mkfifo(pipe.path, 0o600) == 0)
      let writer = Thread { try? Data(bytes).write(to: pipe, options: []) }
      let contents = try CaptureContents(path: place.path)
      writer.start()
      let piped = try CaptureContents(path: pipe.path)
      for contents in [contents, piped] {
        #expect(contents.container == container)
        #expect(try ArchivesInflatingTests.drain(try #require(contents.segments.first).open()) == btsnoop)
      }
      // A file can be opened as often as one likes.
      #expect(try ArchivesInflatingTests.drain(try #require(contents.segments.first).open()) == btsnoop)
    }
  }

  @Test func whatCannotBeOpenedOrReadIsTold() {
    #expect(throws: CaptureError(.cannotOpen, file: "", "")) { try CaptureContents(path: "/no/such/file") }
    #expect(throws: CaptureError(.cannotRead, file: "", "")) { try CaptureContents(path: "/tmp") }
  }

  @Test func temporaryFilesAreLimited() throws {
    let bytes = [UInt8](repeating: 5, count: 1_000_000)
    let file = try RandomAccessFile.spool(MemorySource(bytes: bytes), name: "a", limit: 1_000_000)
    #expect(try file.bytes(.max, at: 0) == bytes)
    #expect(try file.bytes(10, at: 999_995).count == 5)
    #expect(try file.bytes(10, at: -1) == [])
    #expect(throws: CaptureError(.cannotWrite, file: "", "")) {
      try RandomAccessFile.spool(MemorySource(bytes: bytes), name: "a", limit: 999_999)
    }
  }

  /// None of them is taken for an archive.
  @Test(.enabled(if: ForeignCaptures.folder != nil, Comment(rawValue: ForeignCaptures.missing)))
  func capturesOfOthersArePlain() throws {
    let folder = try #require(ForeignCaptures.folder).appending(path: "real")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let contents = try CaptureContents(path: folder.appending(path: name).path)
      #expect(contents.container == .plain, "\(name)")
    }
  }

  @Test func aSnoozAloneIsACapture() throws {
    let snooz = ArchivesSnoozTests.snooz()
    for bytes in [snooz.bytes, snooz.text(), Deflate.compress(snooz.bytes, .gzip), Deflate.compress(snooz.text(), .gzip)] {
      let contents = try CaptureContents(bytes: bytes, file: "a")
      let converted = try ArchivesInflatingTests.drain(try #require(contents.segments.first).open())
      #expect(try CaptureReaderTests.read(converted).records.count == 9)
    }
  }

  @Test func namesOfLogs() {
    let names: [(String, CaptureName.Completeness?, String, Int)] = [
      ("FS/data/BTSNOOP_hci.log", .full, "fs/data/btsnoop_hci.log", 0), ("btsnoop_hci.log.last", .full, "btsnoop_hci.log", 1),
      ("btsnoop_hci.log.7", .full, "btsnoop_hci.log", 8), ("btsnoop_hci.log.last.gz", .full, "btsnoop_hci.log", 1),
      ("btsnoop_hci.log.filtered.last", .filtered, "btsnoop_hci.log", 1), ("btsnooz_hci.log", .summary, "btsnooz_hci.log", 0),
      ("btsnoop_hci_2026.04.log", .full, "btsnoop_hci_2026.04.log", 0), ("a/BT_HCI_1.cfa.curf", .full, "a/bt_hci_1.cfa.curf", 0),
      ("hci_snoop20260420.log", .full, "hci_snoop20260420.log", 0), ("x.pklg", .full, "x.pklg", 0), ("btsnoop_hci.txt", nil, "", 0),
      ("btsnoop/a.txt", nil, "", 0), ("._x.pklg", nil, "", 0), ("logcat.log", nil, "", 0), ("", nil, "", 0), (".", nil, "", 0),
      ("btsnoop.log.99999999999999999999", .full, "btsnoop.log.99999999999999999999", 0),
    ]
    for (path, completeness, family, age) in names {
      let name = CaptureName(path)
      #expect(name?.completeness == completeness, "\(path)")
      if let name { #expect(name.family == family && name.age == age, "\(name)") }
    }
  }

  @Test func olderLogsLieBeside() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "siblings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = folder.appending(path: "btsnoop_hci.log").path
    for ending in ["", ".last", ".1", ".2", ".12"] { try Data(ArchivesPhoneTests.btsnoop(1)).write(to: URL(filePath: log + ending)) }
    try Data("a text".utf8).write(to: URL(filePath: log + ".3"))
    try Data().write(to: URL(filePath: log + ".4"))
    #expect(CaptureSiblings.siblings(of: log) == [".12", ".2", ".1", ".last", ""].map { log + $0 })
    #expect(CaptureSiblings.siblings(of: log + ".last") == [log + ".last"])
    #expect(CaptureSiblings.siblings(of: "-") == ["-"])
  }
}
