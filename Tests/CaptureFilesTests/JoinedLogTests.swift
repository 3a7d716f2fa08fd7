import CaptureFiles
import Foundation
import TestSupport
import Testing

/// Logs in several parts: rotated, in a report, with an overlap.
struct JoinedLogTests {
  static func log(_ numbers: ClosedRange<Int>) -> [UInt8] {
    var writer = BtsnoopWriter()
    for number in numbers {
      writer.append(
        [0x03, 0x0C, UInt8(number)], type: .command, direction: .hostToController,
        time: CaptureTime(microseconds: 1_700_000_000_000_000 + Int64(number) * 1000))
    }
    return writer.bytes
  }

  static func snooz() -> [UInt8] {
    var builder = SnoozBuilder()
    builder.packet([0x03, 0x0C, 9], type: 0x20, time: 1_700_000_000_009_000)
    return builder.text()
  }

  static let logs = "FS/data/misc/bluetooth/logs/"

  static func numbers(_ bytes: [UInt8]) throws -> (numbers: [Int], reader: CaptureReader) {
    let (records, reader) = try RecordCopy.all(of: bytes)
    return (records.map { Int($0.bytes[2]) }, reader)
  }

  @Test func aReportsLogAndItsOlderPartAreOne() throws {
    let zip = ZipBuilder([
      (Self.logs + "btsnoop_hci.log", Self.log(5...9)), (Self.logs + "btsnoop_hci.log.last", Self.log(1...6)),
      ("bugreport-phone.txt", Self.snooz()),
    ]).bytes
    let (numbers, reader) = try Self.numbers(zip)
    #expect(numbers == Array(1...9))
    #expect(
      reader.findings.findings.map(\.message) == [
        "read as one log: test(\(Self.logs)btsnoop_hci.log.last), test(\(Self.logs)btsnoop_hci.log)",
        "the report also has a summary (btsnooz), which is shortened; the full log was taken",
        "2 records of test(\(Self.logs)btsnoop_hci.log) stood in the part before, too, and count once",
      ])
  }

  @Test func aSummaryAloneIsLabelled() throws {
    let (numbers, reader) = try Self.numbers(ZipBuilder([("bugreport-phone.txt", Self.snooz())]).bytes)
    #expect(numbers == [9])
    let finding = try #require(reader.findings.findings.first)
    #expect((finding.code, finding.severity) == (.shortenedLog, .warning))
    #expect(finding.message.contains("Enable Bluetooth HCI snoop log"))
  }

  /// A short log between two that overlap hides nothing of what they have in common.
  @Test func aLogInsideAnother() throws {
    let zip = ZipBuilder([
      (Self.logs + "btsnoop_hci.log.2", Self.log(1...9)), (Self.logs + "btsnoop_hci.log.1", Self.log(2...3)),
      (Self.logs + "btsnoop_hci.log", Self.log(5...12)),
    ]).bytes
    #expect(try Self.numbers(zip).numbers == Array(1...12))
  }

  /// Whatever the names say, times decide.
  @Test func partsComeInTheOrderOfTheirTimes() throws {
    let zip = ZipBuilder([
      (Self.logs + "btsnoop_hci.log", Self.log(1...3)), (Self.logs + "btsnoop_hci.log.last", Self.log(4...6)),
    ]).bytes
    #expect(try Self.numbers(zip).numbers == Array(1...6))
  }

  @Test func partsThatHoldTheSameCountOnce() throws {
    let zip = ZipBuilder([
      ("a/btsnoop_hci.log", Self.log(1...7)), ("b/btsnoop_hci.log", Self.log(1...7)), ("c/btsnoop_hci.log", Self.log(3...5)),
    ]).bytes
    #expect(try Self.numbers(zip).numbers == Array(1...7))
  }

  /// Two equal packets at one moment in one log are two packets.
  @Test func equalRecordsOfOneLogStay() throws {
    let twice = Self.log(1...1) + Self.log(1...2).dropFirst(16)
    let zip = ZipBuilder([(Self.logs + "btsnoop_hci.log", Self.log(2...3)), (Self.logs + "btsnoop_hci.log.last", twice)]).bytes
    #expect(try Self.numbers(zip).numbers == [1, 1, 2, 3])
    let both = ZipBuilder([(Self.logs + "btsnoop_hci.log", twice), (Self.logs + "btsnoop_hci.log.last", twice)]).bytes
    #expect(try Self.numbers(both).numbers == [1, 1, 2])
  }

  @Test func olderPartsBesideALogBelongToIt() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "understudy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, log) in [("x.log", 7...9), ("x.log.last", 4...7), ("x.log.2", 1...3)] {
      try Data(Self.log(log)).write(to: folder.appending(path: name))
    }
    try Data("text".utf8).write(to: folder.appending(path: "x.log.3"))
    var reader = try CaptureReader(path: folder.appending(path: "x.log").path)
    var numbers: [Int] = []
    try reader.forEachRecord { numbers.append(Int($0.bytes.array[2])) }
    #expect(numbers == Array(1...9))
    reader = try CaptureReader(path: folder.appending(path: "x.log.last").path)
    numbers = []
    try reader.forEachRecord { numbers.append(Int($0.bytes.array[2])) }
    #expect(numbers == Array(4...7))
  }

  /// A part that is no capture does not cost those before it.
  @Test func aDamagedPartIsTold() throws {
    var gzip = Deflate.compress(Self.log(4...9), .gzip)
    gzip.removeLast(20)
    let zip = ZipBuilder([(Self.logs + "btsnoop_hci.log.last", Self.log(1...3)), (Self.logs + "btsnoop_hci.log.gz", gzip)]).bytes
    let (numbers, reader) = try Self.numbers(zip)
    #expect(numbers.starts(with: [1, 2, 3]))
    #expect(reader.findings.count(of: .damagedArchive) == 1)
  }

  @Test func cutCompressionKeepsWhatIsThere() throws {
    let gzip = Deflate.compress(Self.log(1...200), .gzip)
    for end in stride(from: 0, through: gzip.count, by: 1) {
      guard let (numbers, reader) = try? Self.numbers(Array(gzip.prefix(end))) else { continue }
      #expect(numbers == Array((1...200).prefix(numbers.count)))
      if end < gzip.count { #expect(reader.findings.count(of: .damagedArchive) == 1, "\(end)") } else { #expect(numbers.count == 200) }
    }
  }

  /// A part that is cut in its header, or makes no sense from its first record on, costs no other: not even where it is the oldest.
  @Test(arguments: [Array(log(1...3).prefix(14)), log(1...3).prefix(16) + [UInt8](repeating: 0xFF, count: 40)], [false, true])
  func aDamagedPartCostsNoOther(damaged: [UInt8], isOldest: Bool) throws {
    let (older, newer) = isOldest ? (damaged, Self.log(4...6)) : (Self.log(4...6), damaged)
    let zip = ZipBuilder([(Self.logs + "btsnoop_hci.log", newer), (Self.logs + "btsnoop_hci.log.last", older)]).bytes
    let (numbers, reader) = try Self.numbers(zip)
    #expect(numbers == [4, 5, 6])
    let problem = try #require(reader.findings.findings.first { $0.severity == .problem })
    #expect(problem.message.contains("btsnoop_hci.log\(isOldest ? ".last" : "")"))
    #expect(reader.emptiness == nil)
  }

  @Test func whereEveryPartIsDamagedTheFirstIsTold() throws {
    let damaged = Self.log(1...3).prefix(16) + [UInt8](repeating: 0xFF, count: 40)
    let zip = ZipBuilder([(Self.logs + "btsnoop_hci.log", Array(damaged)), (Self.logs + "btsnoop_hci.log.last", Array(damaged))]).bytes
    let (numbers, reader) = try Self.numbers(zip)
    #expect(numbers.isEmpty)
    #expect(reader.emptiness == CaptureError(.damaged, file: "", ""))
    #expect(reader.emptiness?.description.hasPrefix("test(\(Self.logs)btsnoop_hci.log.last)@16: is damaged at its first record") == true)
    let cut = Array(damaged.prefix(9))
    let both = ZipBuilder([(Self.logs + "btsnoop_hci.log", cut), (Self.logs + "btsnoop_hci.log.last", cut)]).bytes
    #expect(throws: CaptureError(.cutHeader, file: "", "")) { try CaptureReader(bytes: both, file: "test") }
  }

  /// An unreadable part between two that overlap does not make their common records count twice.
  @Test func anUnreadablePartBetweenOthersKeepsTheirOverlap() throws {
    let zip = ZipBuilder([
      (Self.logs + "btsnoop_hci.log", Self.log(3...6)), (Self.logs + "btsnoop_hci.log.1", Array(Self.log(1...3).prefix(14))),
      (Self.logs + "btsnoop_hci.log.2", Self.log(1...4)),
    ]).bytes
    #expect(try Self.numbers(zip).numbers == Array(1...6))
  }

  /// A pipe beside a log is nobody's older part, and nobody waits for it.
  @Test(.timeLimit(.minutes(1))) func aPipeBesideALogIsNotOpened() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "understudy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let log = folder.appending(path: "x.log").path
    try Data(Self.log(1...2)).write(to: URL(fileURLWithPath: log))
    #expect(mkfifo(log + ".1", 0o600) == 0)
    var reader = try CaptureReader(path: log)
    try reader.forEachRecord { _ in }
    #expect(reader.recordCount == 2)
  }
}
