import CaptureFiles
import Foundation
import ReplayScenarios
import ScenarioExtraction
import SessionReconstruction
import TestSupport
import Testing

/// What people met with captures, from the file to the scenario.
struct FieldCaseTests {
  static func scenarios(_ bytes: [UInt8]) throws -> [Scenario] {
    let extractor = ScenarioExtractor(try CaptureRecording(bytes: bytes, file: "a"))
    return extractor.subjects.map { extractor.scenario(of: $0) }
  }

  /// Systems cut payloads by policy: a PDU ends where it was cut, and the next one is whole.
  @Test(arguments: [0, 1, 4, 5, 6, 7, 11, 26])
  func cutFragmentsEndTheirPDUOnly(kept: Int) throws {
    let long = hex("1b0500") + [UInt8](repeating: 0x77, count: 40)
    let rest = CaptureBuilder.l2cap(long).dropFirst(27)
    var builder = CaptureBuilder()
    builder.connect()
    builder.acl(.controller, Array(CaptureBuilder.l2cap(long).prefix(27)), kept: kept)
    builder.acl(.controller, Array(rest), boundary: 1)
    builder.att(.controller, hex("1b0500 0102"))
    builder.att(.host, hex("0a0500"))
    builder.att(.controller, hex("0b 09"))
    builder.disconnect()
    let recording = try CaptureRecording(bytes: builder.bytes, file: "a")
    let link = try #require(recording.reconstruction.links.first)
    #expect(link.endReason == .remoteUserTerminatedConnection)
    #expect(recording.reconstruction.findingCounts[.cutRecord] == 1)
    #expect((recording.reconstruction.findingCounts[.truncatedPDU] ?? 0) >= 1)
    let pdus = try #require(recording.links[1]?.pdus)
    #expect(pdus.suffix(3).allSatisfy { $0.missing == 0 })
    // What was kept of the PDU is its beginning, and how much is missing is known.
    if kept > 4 {
      let cut = try #require(pdus.first)
      #expect(pdus.count == 4)
      #expect(cut.missing == long.count - (kept - 4))
    }
    let scenario = try #require(Self.scenarios(builder.bytes).first)
    let entries = scenario.sessions.flatMap(\.entries)
    let document = String(decoding: scenario.document(), as: UTF8.self)
    #expect(document.contains("0102"))
    if kept > 4 {
      #expect(entries.compactMap(\.truncated) == [long.count - (kept - 4)], "\(document)")
      let again = try ScenarioDocument(reading: scenario.document(), file: "a")
      #expect(again.scenario == scenario)
      #expect(again.problems().filter { $0.code == .truncated }.map(\.severity) == [.warning])
    }
  }

  /// One file with two controllers that both use handle 0x0040.
  @Test func controllersWithOneHandleAreTwoSessions() throws {
    var writer = PcapBuilder(linkType: 254)
    var first = CaptureBuilder(datalink: .monitor)
    for adapter in [0, 1] as [UInt16] {
      first.connect(0x40, peer: adapter == 0 ? CaptureBuilder.peer : CaptureBuilder.otherPeer, adapter: adapter)
    }
    for value in 1...3 as ClosedRange<UInt8> {
      for adapter in [0, 1] as [UInt16] { first.att(.controller, hex("1b0500") + [value, UInt8(adapter)], adapter: adapter) }
    }
    for adapter in [0, 1] as [UInt16] { first.disconnect(adapter: adapter) }
    // The same through pcap's link type, whose fields stand otherwise.
    var reader = try CaptureReader(bytes: first.bytes, file: "a")
    try reader.forEachRecord { record in
      let opcode = UInt8(record.typeNumber)
      writer.record([0, UInt8(record.adapter), 0, opcode] + record.bytes.array, time: record.time)
    }
    for bytes in [first.bytes, writer.bytes] {
      let capture = try Reconstruction(bytes: bytes, file: "a")
      #expect(capture.links.map(\.adapter) == [0, 1])
      #expect(capture.links.map(\.connection) == [.handle(ConnectionHandle(0x40)), .handle(ConnectionHandle(0x40))])
      #expect(capture.links.map(\.attPDUs) == [3, 3])
      #expect(capture.links.map(\.peer) == [CaptureBuilder.peer, CaptureBuilder.otherPeer])
    }
    #expect(try Self.scenarios(writer.bytes).map { $0.document() } == Self.scenarios(first.bytes).map { $0.document() })
    #expect(try Self.scenarios(writer.bytes).count == 2)
  }

  /// The log and its older part hold one session.
  @Test func aSessionGoesOnAcrossTheSeam() throws {
    var builder = CaptureBuilder()
    var cuts: [Int] = []
    builder.connect()
    for value in 1...8 as ClosedRange<UInt8> {
      cuts.append(builder.bytes.count)
      builder.att(.controller, hex("1b0500") + [value])
    }
    builder.disconnect()
    let whole = builder.bytes
    // The older part ends after the sixth notification, the newer begins before the fifth.
    let zip = ZipBuilder([
      ("FS/data/misc/bluetooth/logs/btsnoop_hci.log.last", Array(whole.prefix(cuts[6]))),
      ("FS/data/misc/bluetooth/logs/btsnoop_hci.log", Array(whole.prefix(16)) + whole.dropFirst(cuts[4])),
    ]).bytes
    let capture = try Reconstruction(bytes: zip, file: "a")
    #expect(capture.links.map(\.attPDUs) == [8])
    #expect(capture.links.first?.endReason == .remoteUserTerminatedConnection)
    #expect(try Self.scenarios(zip).map { $0.document() } == Self.scenarios(whole).map { $0.document() })
  }

  /// Nothing is joined above ATT.
  @Test func twoNotificationsAreTwoEntries() throws {
    var builder = CaptureBuilder()
    builder.connect()
    for byte in [UInt8(ascii: "a"), UInt8(ascii: ".")] { builder.att(.controller, hex("1b0500") + [UInt8](repeating: byte, count: 20)) }
    builder.disconnect()
    let scenario = try #require(Self.scenarios(builder.bytes).first)
    let notifications = scenario.sessions.flatMap(\.entries).filter { if case .notify = $0.action { true } else { false } }
    #expect(notifications.count == 2)
  }

  /// A clock that goes back never makes a negative delay, unless raw times are asked for.
  @Test func delaysAreNeverNegative() throws {
    var builder = CaptureBuilder()
    builder.connect()
    for step in [10, 11, 5, 12] as [Int64] {
      builder.time = CaptureTime(microseconds: 1_700_000_000_000_000 + step * 1_000_000)
      builder.att(.controller, hex("1b0500") + [UInt8(step)])
    }
    builder.disconnect()
    let mended = try Reconstruction(bytes: builder.bytes, file: "a")
    #expect(mended.findingCounts[.backwardTime] == 1)
    let scenario = try #require(Self.scenarios(builder.bytes).first)
    let times = scenario.sessions.flatMap(\.entries).map(\.at)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
  }

  /// What is written entry by entry is what the whole scenario's document says.
  @Test(arguments: Repository.captures.map(\.path) + ForeignCaptures.btsnoopFiles.map(ForeignCaptures.path))
  func writingEntryByEntryGivesTheDocument(path: String) throws {
    let extractor = ScenarioExtractor(try CaptureRecording(path: path))
    let file = FileManager.default.temporaryDirectory.appending(path: "outline-\(UUID().uuidString).json5")
    defer { try? FileManager.default.removeItem(at: file) }
    for subject in extractor.subjects {
      let outline = extractor.outline(of: subject)
      try outline.write(to: file.path)
      let scenario = extractor.scenario(of: subject)
      #expect([UInt8](try Data(contentsOf: file)) == scenario.document())
      #expect(outline.entryCount == scenario.sessions.reduce(0) { $0 + $1.entries.count })
    }
  }
}
