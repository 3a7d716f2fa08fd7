import CaptureFiles
import Foundation
import TestSupport
import Testing

struct CaptureReaderTests {
  /// A record by value.
  struct Copy: Equatable {
    var kind: CaptureRecord.Kind
    var direction: CaptureRecord.Direction
    var bytes: [UInt8]
    var originalLength: Int
    var time: CaptureTime
    var adapter: UInt16 = 0
  }

  static func read(_ bytes: [UInt8]) throws -> (records: [Copy], reader: CaptureReader) {
    var reader = try CaptureReader(bytes: bytes, file: "test")
    var records: [Copy] = []
    try reader.forEachRecord { record in
      #expect(record.number == records.count + 1)
      records.append(
        Copy(
          kind: record.kind, direction: record.direction, bytes: record.bytes.array, originalLength: record.originalLength,
          time: record.time,
          adapter: record.adapter))
    }
    #expect(reader.recordCount == records.count)
    return (records, reader)
  }

  static let hciDatalinks: [BtsnoopDatalink] = [.hciUnencapsulated, .hciUART, .monitor]

  @Test(arguments: hciDatalinks)
  func whatIsWrittenIsRead(datalink: BtsnoopDatalink) throws {
    let time = CaptureTime(microseconds: 1_552_223_551_939_584)
    var writer = BtsnoopWriter(datalink: datalink)
    var expected: [Copy] = []
    let packets: [(HCIPacketType, CaptureRecord.Kind, CaptureRecord.Direction, [UInt8])] = [
      (.command, .command, .hostToController, hex("030c00")), (.event, .event, .controllerToHost, hex("0e0401030c00")),
      (.aclData, .aclData, .hostToController, hex("40000700 0300 0400 02f700")),
      (.aclData, .aclData, .controllerToHost, hex("40200700 0300 0400 03f700")), (.aclData, .aclData, .controllerToHost, []),
    ]
    for adapter in 0..<UInt16(datalink == .monitor ? 2 : 1) {
      for (type, kind, direction, bytes) in packets {
        writer.append(bytes, type: type, direction: direction, time: time, adapter: adapter)
        expected.append(Copy(kind: kind, direction: direction, bytes: bytes, originalLength: bytes.count, time: time, adapter: adapter))
      }
    }
    let (records, reader) = try Self.read(writer.bytes)
    #expect(records == expected)
    #expect(reader.format == .btsnoop(datalink))
    #expect(reader.start == time)
    #expect(reader.byteOffset == writer.bytes.count)
    #expect(reader.findings.findings == [])
  }

  /// A preamble stands before the access address; the flags hold the frequency.
  @Test func theSimulatorsPacketsAreReadFromTheAir() throws {
    var writer = ByteWriter()
    writer.append(Array("btsnoop\0".utf8))
    writer.uint32BigEndian(1)
    writer.uint32BigEndian(2002)
    let packet = hex("aa d6be898e 4009 5544332211c0 020106 665544")
    for length in [UInt32(packet.count), UInt32(packet.count), 1 << 16 | 2480, 0] as [UInt32] { writer.uint32BigEndian(length) }
    writer.append([0x00, 0xE0, 0x3A, 0xB4, 0x4A, 0x67, 0x60, 0x00])
    writer.append(packet)
    let (records, reader) = try Self.read(writer.bytes)
    #expect(records.map(\.kind) == [.linkLayer])
    #expect(records.map(\.bytes) == [hex("4009 5544332211c0 020106")])
    #expect(reader.format == .btsnoop(.simulator))
    #expect(reader.emptiness == nil)
  }

  @Test(arguments: hciDatalinks)
  func whatWasKeptAndWhatWasThereAreToldApart(datalink: BtsnoopDatalink) throws {
    var builder = CaptureBuilder(datalink: datalink)
    builder.packet(hex("4000 1b00 1700 0400"), .aclData, .host, originalLength: 31)
    builder.packet(hex("030c00"), .command, .host)
    let (records, reader) = try Self.read(builder.bytes)
    #expect(records.map(\.originalLength) == [31, 3])
    #expect(records.map(\.bytes.count) == [8, 3])
    #expect(reader.findings.findings.map(\.code) == [.cutRecord])
  }

  @Test func lostPacketsAreCounted() throws {
    var builder = CaptureBuilder()
    for drops in [0, 0, 3, 3, 4, 1, 2] as [UInt32] { builder.packet(hex("030c00"), .command, .host, drops: drops) }
    let findings = try Self.read(builder.bytes).reader.findings.findings
    #expect(findings.map(\.code) == [.droppedRecords, .droppedRecords, .droppedRecords])
    #expect(findings.map(\.frame) == [3, 5, 7])
    #expect(findings.first?.message == "3 packets lost before record 3")
    #expect(findings.last?.message == "1 packet lost before record 7")
  }

  @Test func timeThatGoesBackIsFound() throws {
    var builder = CaptureBuilder()
    builder.command(0x0C03)
    builder.time = CaptureTime(microseconds: builder.time.microseconds - 5000)
    builder.command(0x0C03)
    #expect(try Self.read(builder.bytes).reader.findings.findings.map(\.code) == [.backwardTime])
  }

  @Test func theIndicatorIsTrustedBeforeTheFlags() throws {
    var builder = CaptureBuilder()
    builder.event(0x0E, hex("01030c00"))
    var bytes = builder.bytes
    bytes[16 + 11] = 2
    #expect(try Self.read(bytes).records.map(\.kind) == [.event])
    #expect(try Self.read(bytes).records.map(\.direction) == [.controllerToHost])
  }

  @Test func cutAtEveryByteKeepsTheCompleteRecords() throws {
    var builder = CaptureBuilder()
    var ends = [16]
    builder.command(0x0C03)
    ends.append(builder.bytes.count)
    builder.connect()
    ends.append(builder.bytes.count)
    builder.att(.host, hex("02f700"))
    ends.append(builder.bytes.count)
    builder.disconnect()
    ends.append(builder.bytes.count)
    let all = try Self.read(builder.bytes).records
    for count in 0..<builder.bytes.count {
      let cut = Array(builder.bytes.prefix(count))
      guard count >= 16 else {
        let error = #expect(throws: CaptureError.self) { try Self.read(cut) }
        #expect(error?.code == (count == 0 ? .empty : .cutHeader), "\(count)")
        if count > 0 { #expect(error?.byteOffset == count) }
        continue
      }
      let (records, reader) = try Self.read(cut)
      let complete = ends.filter { $0 <= count }.count - 1
      #expect(records == Array(all.prefix(complete)), "\(count)")
      #expect(reader.findings.findings.map(\.code) == (ends.contains(count) ? [] : [.cutLastRecord]), "\(count)")
      #expect(reader.findings.findings.first?.frame == (ends.contains(count) ? nil : complete + 1), "\(count)")
    }
  }

  @Test(arguments: [
    (1003 as UInt32, "1003 (HCI BCSP)"), (1004, "1004 (HCI serial, three-wire)"), (7, "datalink 7;"),
  ])
  func otherDatalinksAreNamed(number: UInt32, name: String) {
    var writer = ByteWriter()
    writer.append(Array("btsnoop\0".utf8))
    writer.uint32BigEndian(1)
    writer.uint32BigEndian(number)
    let error = #expect(throws: CaptureError.self) { try CaptureReader(bytes: writer.bytes, file: "a.log") }
    #expect(error?.code == .unsupportedLinkType)
    #expect(error?.description.hasPrefix("a.log@12: ") == true)
    #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "", "not a capture at all", "btsnoop\0\0\0\0\u{2}\0\0\u{3}\u{6A}",
  ])
  func otherFilesAreRefused(text: String) {
    let error = #expect(throws: CaptureError.self) { try CaptureReader(bytes: Array(text.utf8), file: "a.log") }
    #expect(error?.code == (text.isEmpty ? .empty : .unknownFormat))
  }

  @Test func aFileThatIsNotThereIsRefused() {
    let error = #expect(throws: CaptureError.self) { try CaptureReader(path: "/nonexistent/a.log") }
    #expect(error?.code == .cannotOpen)
    #expect(throws: CaptureError(.cannotRead, file: "", "")) {
      var reader = try CaptureReader(path: "/")
      try reader.forEachRecord { _ in }
    }
  }

  @Test func aRecordThatIsTooLongStopsReading() throws {
    var builder = CaptureBuilder()
    builder.command(0x0C03)
    let start = builder.bytes.count
    builder.command(0x0C03)
    var bytes = builder.bytes
    bytes[start + 4] = 0xFF
    let (records, reader) = try Self.read(bytes)
    #expect(records.count == 1)
    #expect(reader.findings.findings.map(\.code) == [.corruptRecord])
    #expect(reader.findings.findings.first?.message.contains("at byte \(start) ") == true)
  }

  @Test func oddRecordsAreKeptAndNoted() throws {
    var writer = ByteWriter()
    writer.append(Array("btsnoop\0".utf8))
    writer.uint32BigEndian(1)
    writer.uint32BigEndian(1002)
    for packet in [[], [0x07, 0x01], [0x05, 0x00]] as [[UInt8]] {
      writer.uint32BigEndian(UInt32(packet.count))
      writer.uint32BigEndian(UInt32(packet.count))
      writer.append([UInt8](repeating: 0, count: 16))
      writer.append(packet)
    }
    let (records, reader) = try Self.read(writer.bytes)
    #expect(records.map(\.kind) == [.unknown(0), .unknown(7), .isochronousData])
    #expect(reader.findings.findings.map(\.code) == [.unsetClock, .emptyRecord, .unknownRecord])
  }

  @Test func findingsOfOneCodeAreBounded() {
    var (log, other) = (FindingLog(), FindingLog())
    for frame in 1...150 {
      log.add(.cutRecord, .note, frame: frame, "cut")
      other.add(.cutRecord, .note, frame: frame, "cut")
    }
    log.merge(other)
    #expect(log.count(of: .cutRecord) == 300)
    #expect(log.findings.count == FindingLog.limit + 1)
    #expect(log.findings.last == Finding(.moreFindings, .note, frame: nil, "200 more of cutRecord"))
  }

  /// What the body throws ends only the call: the next one goes on behind that record, in every container, and one more finds nothing.
  @Test(arguments: Container.samples.indices)
  func readingGoesOnBehindTheRecordWhoseBodyThrew(index: Int) throws {
    struct Stop: Error {}
    let bytes = Container.samples[index].make(try Container.packets(of: Repository.capture("heart-strap")))
    var (once, often) = (try CaptureReader(bytes: bytes, file: "test"), try CaptureReader(bytes: bytes, file: "test"))
    var (expected, seen): ([[Int]], [[Int]]) = ([], [])
    try once.forEachRecord { expected.append([$0.number, $0.byteOffset, $0.bytes.byteCount]) }
    while seen.count < expected.count {
      #expect(throws: Stop.self) {
        try often.forEachRecord {
          seen.append([$0.number, $0.byteOffset, $0.bytes.byteCount])
          throw Stop()
        }
      }
      #expect(often.recordCount == seen.count)
      guard seen.count <= expected.count, seen.last == expected[seen.count - 1] else { break }
    }
    #expect(seen == expected)
    for _ in 0..<2 { try often.forEachRecord { _ in Issue.record("a record behind the last") } }
    #expect(often.findings.findings == once.findings.findings)
    #expect((often.byteOffset, often.recordCount) == (once.byteOffset, once.recordCount))
  }

  /// A cut end is told once, however often the reader is asked for more.
  @Test func theEndIsToldOnce() throws {
    var builder = CaptureBuilder()
    for drops in 1...3 { builder.packet([3, 12, 0], .command, .host, drops: UInt32(drops)) }
    var reader = try CaptureReader(bytes: Array(builder.bytes.dropLast()), file: "test")
    for _ in 0..<3 { try reader.forEachRecord { _ in } }
    #expect(reader.findings.count(of: .cutLastRecord) == 1)
    #expect(reader.findings.count(of: .droppedRecords) == 2)
  }
}
