import CaptureFiles
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

struct SyntheticCaptureTests {
  private func scenario(_ builder: CaptureBuilder) throws -> (Scenario, CaptureRecording) {
    let recording = try CaptureRecording(bytes: builder.bytes, file: "synthetic.btsnoop")
    let extractor = ScenarioExtractor(recording)
    return (extractor.scenario(of: try #require(extractor.subjects.first)), recording)
  }

  private func expectFaithful(_ scenario: Scenario, _ recording: CaptureRecording) throws {
    let read = try Scenario(reading: scenario.document(), file: "synthetic")
    let replay = ScenarioReplay(read)
    #expect(replay.differences == [])
    #expect(CaptureComparison(replay.trafficBySession, of: read, with: recording).differences == [])
  }

  /// Who ended a link, by the side that was captured and the reason that its host was told.
  @Test(arguments: [
    (0 as UInt8, 0x16 as UInt8, TimelineEntry.Side.central, TimelineEntry.Action.disconnect(.connectionTerminatedByLocalHost)),
    (0, 0x13, .peripheral, .disconnect(.remoteUserTerminatedConnection)), (0, 0x15, .peripheral, .disconnect(.remoteDevicePowerOff)),
    (0, 0x08, .peripheral, .vanish), (0, 0x3D, .peripheral, .disconnect(.terminatedDueToMICFailure)),
    (1, 0x16, .peripheral, .disconnect(.remoteUserTerminatedConnection)),
    (1, 0x13, .central, .disconnect(.connectionTerminatedByLocalHost)),
    (1, 0x08, .peripheral, .vanish), (1, 0x22, .peripheral, .disconnect(.lmpResponseTimeout)),
  ])
  func theEndHasItsSide(role: UInt8, reason: UInt8, side: TimelineEntry.Side, action: TimelineEntry.Action) throws {
    var builder = CaptureBuilder()
    builder.connect(role: role)
    let (central, peripheral): (CaptureBuilder.Sender, CaptureBuilder.Sender) = role == 0 ? (.host, .controller) : (.controller, .host)
    builder.att(central, hex("0a 0300"))
    builder.att(peripheral, hex("0b 01"))
    builder.disconnect(reason: reason)
    let (scenario, recording) = try scenario(builder)
    #expect(scenario.origin?.capturedAt == (role == 0 ? .central : .peripheral))
    let last = try #require(scenario.sessions[0].entries.last)
    #expect(last.origin == side)
    #expect(last.action == action)
    try expectFaithful(scenario, recording)
  }

  @Test func aLinkThatWasNotEstablishedIsAFailedSession() throws {
    var builder = CaptureBuilder()
    builder.connect()
    builder.disconnect(reason: 0x3E)
    builder.connect()
    builder.att(.host, hex("0a 0300"))
    builder.att(.controller, hex("0b 01"))
    let (scenario, recording) = try scenario(builder)
    #expect(scenario.sessions.map(\.failed) == [.connectionFailedToBeEstablished, nil])
    try expectFaithful(scenario, recording)
  }

  /// The cause is the latest write whose response had been seen, not simply the latest write.
  @Test func aNotificationBelongsToTheWriteThatWasComplete() throws {
    var builder = CaptureBuilder()
    builder.connect()
    for (sender, pdu) in [
      (CaptureBuilder.Sender.host, "12 0300 01"), (.controller, "13"), (.host, "12 0300 02"), (.controller, "1b 0500 aa"),
      (.controller, "13"),
      (.controller, "1b 0500 bb"), (.controller, "1b 0500 cc"), (.host, "52 0300 03"), (.controller, "1b 0500 dd"),
    ] { builder.att(sender, hex(pdu)) }
    let (scenario, recording) = try scenario(builder)
    let entries = scenario.sessions[0].entries
    let causes = entries.filter { $0.origin == .peripheral }.map { $0.anchor?.cause }
    #expect(causes == [.entry("e1"), .entry("e2"), .previous, .entry("e6")])
    try expectFaithful(scenario, recording)
  }

  /// A stream that goes on in its rhythm does not wait for what was written meanwhile.
  @Test func aStreamChainsToItself() throws {
    var builder = CaptureBuilder()
    builder.connect()
    builder.att(.host, hex("12 0300 01"))
    builder.att(.controller, hex("13"))
    for index in UInt8(0)..<12 {
      builder.time = CaptureTime(microseconds: builder.time.microseconds + 100_000)
      if index == 6 { builder.att(.host, hex("52 0900 07")) }
      builder.att(.controller, hex("1b 0500") + [index])
    }
    let (scenario, recording) = try scenario(builder)
    let causes = scenario.sessions[0].entries.filter { $0.origin == .peripheral }.map { $0.anchor?.cause }
    #expect(causes == [.entry("e1")] + Array(repeating: .previous, count: 11))
    try expectFaithful(scenario, recording)
  }

  /// Each write that brings a message far sooner than the rhythm would begins the rhythm anew.
  @Test func aStreamBeginsAnewWithEachWrite() throws {
    var builder = CaptureBuilder()
    builder.connect()
    for _ in 0..<3 {
      builder.att(.host, hex("12 0300 01"))
      builder.att(.controller, hex("13"))
      for index in UInt8(0)..<4 {
        builder.att(.controller, hex("1b 0500") + [index])
        builder.time = CaptureTime(microseconds: builder.time.microseconds + 100_000)
      }
    }
    let (scenario, recording) = try scenario(builder)
    let causes = scenario.sessions[0].entries.filter { $0.origin == .peripheral }.map { $0.anchor?.cause }
    #expect(causes == ["e1", "e6", "e11"].flatMap { [.entry($0), .previous, .previous, .previous] })
    try expectFaithful(scenario, recording)
  }

  /// A device that was lost while a request waited may have been lost by it.
  @Test func theLossOfALinkBelongsToWhatWasAskedLast() throws {
    var builder = CaptureBuilder()
    builder.connect()
    for (sender, pdu) in [(CaptureBuilder.Sender.host, "0a 0300"), (.controller, "0b 01"), (.host, "12 0300 1e")] {
      builder.att(sender, hex(pdu))
    }
    builder.disconnect(reason: 0x08)
    let (scenario, recording) = try scenario(builder)
    #expect(scenario.sessions[0].entries.last?.anchor?.cause == .request("e2"))
    try expectFaithful(scenario, recording)
  }

  /// A device that answers each write keeps its answers with the writes, however regular they are.
  @Test func repliesStayWithTheirWrites() throws {
    var builder = CaptureBuilder()
    builder.connect()
    for index in UInt8(0)..<10 {
      builder.time = CaptureTime(microseconds: builder.time.microseconds + 100_000)
      builder.att(.host, hex("52 0300") + [index])
      builder.att(.controller, hex("1b 0500") + [index])
    }
    let (scenario, recording) = try scenario(builder)
    let causes = scenario.sessions[0].entries.filter { $0.origin == .peripheral }.map { $0.anchor?.cause }
    #expect(causes == (0..<10).map { .entry("e\(2 * $0 + 1)") })
    try expectFaithful(scenario, recording)
  }

  /// Bytes of a write that differ from connection to connection don't count when it is replayed.
  @Test func bytesThatDifferFromLinkToLinkAreMasked() throws {
    var builder = CaptureBuilder()
    for byte in UInt8(1)...3 {
      builder.connect()
      builder.att(.host, hex("12 0300 0155") + [byte, 0x77])
      builder.att(.controller, hex("13"))
      builder.att(.controller, hex("1b 0500 aa"))
      builder.disconnect(reason: 0x16)
    }
    let (scenario, recording) = try scenario(builder)
    #expect(scenario.sessions.map { $0.entries[0].matcher } == Array(repeating: .mask(hex("ffff00ff")), count: 3))
    try expectFaithful(scenario, recording)
    let extractor = ScenarioExtractor(recording)
    let outline = extractor.outline(of: try #require(extractor.subjects.first))
    #expect(outline.scenario == scenario)
  }

  @Test func bothSidesMayAsk() throws {
    var builder = CaptureBuilder()
    builder.connect()
    for (sender, pdu) in [
      (CaptureBuilder.Sender.controller, "02 8000"), (.host, "03 0002"), (.controller, "10 0100 ffff 0028"), (.host, "0a 0300"),
      (.controller, "0b 77"), (.host, "11 06 0100 0500 0018"),
    ] { builder.att(sender, hex(pdu)) }
    let (scenario, recording) = try scenario(builder)
    #expect(scenario.sessions[0].entries.filter { $0.origin == .peripheral }.count == 2)
    try expectFaithful(scenario, recording)
  }

  @Test func whatTheSpecificationForbidsIsPlayedAsItWas() throws {
    var builder = CaptureBuilder()
    builder.connect()
    for (sender, pdu) in [
      (CaptureBuilder.Sender.controller, "0b 55"), (.host, "0a 0300"), (.host, "0a 0400"), (.controller, "0b 01"), (.controller, "0b 02"),
      (.host, "1e"), (.host, "3f 01"), (.controller, "01 3f 0000 06"), (.host, "08 01"), (.controller, "09 00"), (.host, "7f"),
      (.controller, "1d 0300 01"), (.controller, "1d 0300 02"), (.host, "1e"), (.host, "1e"), (.host, "12 0300"),
    ] { builder.att(sender, hex(pdu)) }
    let (scenario, recording) = try scenario(builder)
    try expectFaithful(scenario, recording)
  }

  /// A capture that kept less than was sent loses nothing that is there, and says what it lacks.
  @Test func cutRecordsKeepWhatIsThere() throws {
    var builder = CaptureBuilder()
    builder.connect()
    builder.acl(.controller, hex("0700 0400 1b 0500 01020304"), kept: 9)
    // The start of a fragmented PDU is cut; its second fragment is whole.
    builder.acl(.controller, hex("0d00 0400 1b 0500 0102030405"), kept: 10)
    builder.acl(.controller, hex("0607080910"), boundary: 1)
    builder.att(.host, hex("0a 0300"))
    builder.att(.controller, hex("0b 77"))
    let (scenario, recording) = try scenario(builder)
    let pdus = try #require(recording.links[1])
    #expect(pdus.pdus.count == 4)
    #expect(pdus.bytes(0) == hex("1b 0500 0102"))
    #expect(pdus.pdus[0].missing == 2)
    #expect(pdus.bytes(1) == hex("1b 0500 010203"))
    #expect(pdus.pdus[1].missing == 7)
    #expect(pdus.bytes(3) == hex("0b 77"))
    let entries = scenario.sessions[0].entries
    #expect(entries.map(\.truncated) == [2, 7, nil])
    #expect(entries[2].answer == .value([0x77]))
    #expect(recording.reconstruction.findings.filter { $0.code == .truncatedPDU }.count == 2)
    try expectFaithful(scenario, recording)
  }
}
