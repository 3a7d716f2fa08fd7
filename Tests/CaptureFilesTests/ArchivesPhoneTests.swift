import ByteParsing
import Foundation
import TestSupport
import Testing

@testable import CaptureFiles

struct ArchivesPhoneTests {
  static let logs = "FS/data/misc/bluetooth/logs/"

  /// A btsnoop log with one command, whose opcode tells the logs apart.
  static func btsnoop(_ opcode: UInt16) -> [UInt8] {
    var builder = CaptureBuilder()
    builder.command(opcode)
    return builder.bytes
  }

  static func packetLogger(_ opcode: UInt8) -> [UInt8] {
    var builder = PacketLoggerBuilder(.bigEndian)
    for _ in 0..<2 { builder.record([opcode, 0x0C, 0], type: 0, time: CaptureTime(seconds: 1_784_912_406, nanoseconds: 0)) }
    return builder.bytes
  }

  /// The low byte of each segment's first opcode.
  static func opcodes(_ contents: CaptureContents) throws -> [UInt8] {
    try contents.segments.map { segment in
      let source = try segment.open()
      let bytes = try ArchivesInflatingTests.drain(source)
      #expect(source.toldDamage == nil)
      var reader = try CaptureReader(bytes: bytes, file: segment.name)
      var opcode: UInt8?
      try reader.forEachRecord { record in opcode = opcode ?? record.bytes.array.first }
      return try #require(opcode)
    }
  }

  static func zip(_ entries: [(String, [UInt8])]) throws -> CaptureContents {
    try CaptureContents(bytes: ZipBuilder(entries).bytes, file: "bugreport.zip")
  }

  static func message(_ entries: [(String, [UInt8])]) -> String {
    do throws(CaptureError) {
      _ = try CaptureContents(bytes: ZipBuilder(entries).bytes, file: "report.zip")
      return ""
    } catch { return error.description }
  }

  @Test func rotatedLogsOfAndroidComeInOrder() throws {
    let contents = try Self.zip([
      ("version.txt", [0x32]), (Self.logs + "btsnoop_hci.log", Self.btsnoop(9)), (Self.logs + "btsnoop_hci.log.last", Self.btsnoop(8)),
      (Self.logs + "btsnoop_hci.log.2", Self.btsnoop(6)), (Self.logs + "btsnoop_hci.log.10", Self.btsnoop(5)),
      (Self.logs + "btsnoop_hci.log.1", Self.btsnoop(7)), (Self.logs + "btsnoop_hci.log.3", []),
      (Self.logs + "btsnoop_hci.log.4", Array("no log at all, but a text".utf8)), ("bugreport-x-2026.txt", Array("== dumpstate: x".utf8)),
    ])
    #expect(contents.container == .zip)
    #expect(try Self.opcodes(contents) == [5, 6, 7, 8, 9])
    #expect(contents.segments.first?.name == "bugreport.zip(\(Self.logs)btsnoop_hci.log.10)")
    #expect(
      contents.archive?.leftOut == [
        "\(Self.logs)btsnoop_hci.log.3: is empty", "\(Self.logs)btsnoop_hci.log.4: holds no capture",
      ])
    #expect(contents.archive?.summary == nil)
    #expect(contents.archive?.isSummaryOnly == false)
  }

  @Test func logsOfOtherVendorsComeByName() throws {
    let names = ["BT_HCI_2026_0420_185425.cfa.curf", "BT_HCI_2026_0419_120000.cfa", "CsLog_btsnoop_hci.log", "._btsnoop_hci.log"]
    let contents = try Self.zip(names.enumerated().map { ("logs/" + $1, $1.hasPrefix(".") ? [1] : Self.btsnoop(UInt16($0))) })
    #expect(try Self.opcodes(contents) == [1, 0, 2])
    #expect(contents.archive?.leftOut == [])
  }

  @Test func theMostCompleteLogIsTaken() throws {
    let report = ArchivesSnoozTests.snooz().text(padding: 100_000)
    var entries = [("bugreport-x.txt", report)]
    var contents = try Self.zip(entries)
    #expect(contents.archive?.isSummaryOnly == true)
    #expect(contents.archive?.summary == nil)
    #expect(contents.segments.map(\.name) == ["bugreport.zip(bugreport-x.txt)"])
    let summary = try ArchivesInflatingTests.drain(try #require(contents.segments.first).open())
    #expect(try CaptureReaderTests.read(summary).records.count == 9)

    entries.append((Self.logs + "btsnooz_hci.log", Self.btsnoop(1)))
    contents = try Self.zip(entries)
    #expect(try Self.opcodes(contents) == [1])
    #expect(contents.archive?.isSummaryOnly == true)

    entries.append((Self.logs + "btsnoop_hci.log.filtered", Self.btsnoop(3)))
    entries.append((Self.logs + "btsnoop_hci.log.filtered.last", Self.btsnoop(2)))
    contents = try Self.zip(entries)
    #expect(try Self.opcodes(contents) == [2, 3])
    #expect(contents.archive?.isSummaryOnly == false)

    entries.append((Self.logs + "btsnoop_hci.log", Self.btsnoop(4)))
    contents = try Self.zip(entries)
    #expect(try Self.opcodes(contents) == [4])
    #expect(contents.archive?.leftOut.count == 3)
    let unused = try #require(contents.archive?.summary)
    #expect(try ArchivesInflatingTests.drain(try unused.open()) == summary)
  }

  @Test(arguments: [false, true])
  func sysdiagnosesHoldPacketLogger(isPacked: Bool) throws {
    let folder = "sysdiagnose_2026.06.18_09-52-04+0200_iPhone-OS_iPhone_23E261/logs/Bluetooth/"
    func log(_ opcode: UInt8) -> [UInt8] {
      isPacked ? Deflate.compress(Self.packetLogger(opcode), .gzip) : Self.packetLogger(opcode)
    }
    let ending = isPacked ? ".pklg.gz" : ".pklg"
    let tar = TarBuilder.archive(
      [
        (folder + "bluetoothd-hci-latest" + ending, log(2)), (folder + "bluetooth_status.txt", [0x41]),
        (folder + "bluetoothd-hci-2026-06-18_09-52-04" + ending, log(1)),
      ], .pax)
    for bytes in [tar, Deflate.compress(tar, .gzip)] {
      let contents = try CaptureContents(bytes: bytes, file: "sysdiagnose.tar.gz")
      #expect(contents.container == .tar)
      #expect(try Self.opcodes(contents) == [1, 2])
      #expect(contents.damage == nil)
    }
    // Somebody put the whole of it into a zip.
    #expect(try Self.opcodes(try Self.zip([("for you/sysdiagnose.tar.gz", Deflate.compress(tar, .gzip))])) == [1, 2])
  }

  @Test func oneLevelOfArchivesIsLookedInto() throws {
    let inner = ZipBuilder([(Self.logs + "btsnoop_hci.log", Self.btsnoop(1))]).bytes
    let middle = ZipBuilder([("dumpstate.zip", inner)]).bytes
    let contents = try Self.zip([("a/dumpState_x.zip", inner), ("b.log.gz", [1])])
    #expect(try Self.opcodes(contents) == [1])
    #expect(contents.segments.map(\.name) == ["bugreport.zip(a/dumpState_x.zip)(\(Self.logs)btsnoop_hci.log)"])
    #expect(throws: CaptureError(.noCapture, file: "", "")) { try Self.zip([("c.zip", middle)]) }
  }

  @Test func whatSomebodyPackedIsFoundByContent() throws {
    let entries = [("b/second", Self.btsnoop(2)), ("readme.txt", [0x41]), ("a.dump.gz", Deflate.compress(Self.btsnoop(1), .gzip))]
    #expect(try Self.opcodes(try Self.zip(entries)) == [1, 2])
    #expect(try Self.opcodes(try CaptureContents(bytes: TarBuilder.archive(entries), file: "logs.tar")) == [1, 2])
  }

  @Test func archivesWithoutALogSayHowToGetOne() {
    let android = "in Android's developer options set 'Enable Bluetooth HCI snoop log' to full"
    let apple = "install Apple's Bluetooth logging profile"
    let report = Self.message([("bugreport-x.txt", Array("== dumpstate:".utf8)), ("FS/data/anr/a", [])])
    #expect(report.hasPrefix("report.zip: holds no log of Bluetooth; \(android)"))
    #expect(!report.contains(apple))
    #expect(Self.message([("sysdiagnose_x/summaries/a.txt", [])]).hasPrefix("report.zip: holds no log of Bluetooth; \(apple)"))
    let both = Self.message([("a.txt", [1])])
    #expect(both.contains(android) && both.contains(apple))
    #expect(Self.message([]).contains("holds no log of Bluetooth; "))
    #expect(
      Self.message([(Self.logs + "btsnoop_hci.log", [])]).contains("(\(Self.logs)btsnoop_hci.log: is empty); \(android)"))
    var builder = ZipBuilder([(Self.logs + "btsnoop_hci.log", Self.btsnoop(1))])
    builder.entries[0].flags = 1
    let encrypted = builder.bytes
    #expect(throws: CaptureError(.unsupportedArchive, file: "", "")) { try CaptureContents(bytes: encrypted, file: "a.zip") }
  }

  @Test func everyArchiveCutAnywhereGivesAnErrorOrItsCaptures() throws {
    let files = [
      ("logs/btsnoop_hci.log.last", Self.btsnoop(1)), ("logs/btsnoop_hci.log", Self.btsnoop(2)),
      ("bugreport-x.txt", ArchivesSnoozTests.snooz().text()),
    ]
    let tar = TarBuilder.archive(files)
    for whole in [tar, Deflate.compress(tar, .gzip), ZipBuilder(files).bytes, Deflate.compress(Self.btsnoop(1), .gzip), files[2].1] {
      for end in 0..<whole.count {
        guard let contents = try? CaptureContents(bytes: Array(whole.prefix(end)), file: "cut") else { continue }
        for (segment, file) in Swift.zip(contents.segments, files) where contents.archive?.isSummaryOnly == false {
          let source = try segment.open()
          let bytes = try ArchivesInflatingTests.drain(source)
          #expect(file.1.starts(with: bytes))
          #expect(bytes == file.1 || source.toldDamage != nil)
        }
        for segment in contents.segments { _ = try? ArchivesInflatingTests.drain(try segment.open()) }
      }
    }
  }

  @Test(arguments: 0..<4)
  func damageNeverTraps(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let files = [
      ("logs/btsnoop_hci.log", Self.btsnoop(2)), ("bugreport-x.txt", ArchivesSnoozTests.snooz().text()),
      ("in.zip", ZipBuilder([("x.pklg", Self.packetLogger(1))]).bytes),
    ]
    let original = seed == 0 ? ZipBuilder(files).bytes : seed == 1 ? ZipBuilder(files, method: 0).bytes : TarBuilder.archive(files)
    for _ in 0..<300 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      if seed == 3 { bytes = Deflate.compress(bytes, .gzip) }
      guard let contents = try? CaptureContents(bytes: bytes, file: "damaged") else { continue }
      for segment in contents.segments { _ = try? ArchivesInflatingTests.drain(try segment.open()) }
    }
  }
}
