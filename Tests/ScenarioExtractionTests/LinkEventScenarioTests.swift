import CaptureFiles
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// What the ends of a link do besides attribute traffic becomes entries, and is replayed as recorded.
struct LinkEventScenarioTests {
  /// The scenario of the only subject, after it was held against the capture.
  private static func scenario(keepsKeys: Bool = false, _ build: (inout CaptureBuilder) -> Void) throws -> Scenario {
    var builder = CaptureBuilder()
    build(&builder)
    let recording = try CaptureRecording(bytes: builder.bytes, file: "synthetic.btsnoop")
    let extractor = ScenarioExtractor(recording, keepsKeys: keepsKeys)
    #expect(extractor.subjects.count == 1)
    let made = extractor.scenario(of: try #require(extractor.subjects.first))
    let read = try ScenarioDocument(reading: made.document(), file: "synthetic")
    #expect(read.scenario == made)
    #expect(read.problems().filter { $0.severity == .error } == [])
    let replay = ScenarioReplay(read.scenario)
    #expect(replay.differences == [])
    #expect(CaptureComparison(replay.trafficBySession, of: read.scenario, with: recording).differences == [])
    return made
  }

  @Test func aPairingAndItsEncryption() throws {
    for keepsKeys in [false, true] {
      let scenario = try Self.scenario(keepsKeys: keepsKeys) {
        $0.connect()
        $0.att(.host, hex("0a0300"))
        $0.att(.controller, hex("010a030005"))
        $0.pair()
        $0.identity(CaptureBuilder.peer, key: Array(0..<16))
        $0.att(.host, hex("0a0300"))
        $0.att(.controller, hex("0b01"))
        $0.disconnect()
        $0.connect()
        $0.encrypt()
        $0.att(.controller, hex("1b030002"))
        $0.disconnect()
      }
      #expect(scenario.sessions.map(\.bonded) == [false, true])
      let entries = scenario.sessions[0].entries
      guard entries.count == 6, case .link(.pair(let pairing)) = entries[2].action else { throw Missing() }
      #expect(entries[1].action == .link(.securityRequest([.bonding, .mitm])) && entries[1].origin == .peripheral)
      #expect(entries[1].anchor == Anchor(.entry("e1"), delay: .milliseconds(1)))
      #expect(entries[2].answer == .ok && entries[2].latency == .milliseconds(3))
      #expect(pairing.method == .passkeyEntry && pairing.isBonding)
      #expect(pairing.peripheral?.sent == .identity)
      #expect(pairing.peripheral?.keys?.identityResolvingKey == (keepsKeys ? Array(0..<16) : nil))
      #expect(entries[3].action == .link(.encrypt(.paired)) && entries[3].answer == .ok)
      #expect(scenario.sessions[1].entries.first?.action == .link(.encrypt(.bonded)))
    }
  }

  private struct Missing: Error {}

  @Test func whatIsRefusedAndWhatGetsNoAnswer() throws {
    let scenario = try Self.scenario {
      $0.connect()
      $0.pairing(.host, .pairingRequest(CaptureBuilder.request))
      $0.pairing(.controller, .pairingFailed(.pairingNotSupported))
      $0.encrypt(status: 6)
      $0.signal(
        .controller, .parameterUpdateRequest(ConnectionParameterRange(intervalMinimum: 6, intervalMaximum: 12, latency: 0, timeout: 500)))
      $0.signal(.host, .parameterUpdateResponse(result: 1))
      $0.pairing(.host, .pairingRequest(CaptureBuilder.request))
      $0.event(0x3E, hex("03 00 4000 0c00 0400 f401"))
      $0.disconnect(reason: 0x05)
    }
    #expect(scenario.sessions[0].entries.map(\.answer) == [.refused(5), .refused(6), .refused(1), TimelineEntry.Answer.none, nil, nil])
    #expect(scenario.sessions[0].entries[2].anchor?.cause == .entry("l2"))
    #expect(scenario.sessions.map(\.bonded) == [false])
  }

  @Test func bearersOfEnhancedATT() throws {
    let long = [UInt8](repeating: 0xA7, count: 79)
    let scenario = try Self.scenario {
      $0.connect()
      $0.openEnhanced()
      $0.frame(.host, hex("0a0500"), on: 0x50)
      $0.frame(.host, hex("0a0700"), on: 0x51)
      $0.att(.host, hex("0a0300"))
      $0.frame(.controller, hex("0b07"), on: 0x41)
      $0.att(.controller, hex("0b03"))
      // An answer that fills this channel's MTU, and the rest of the value.
      $0.frame(.controller, Array(([0x0B] + long).prefix(62)), on: 0x40, length: 80)
      $0.acl(.controller, CaptureBuilder.l2cap(Array(([0x0B] + long).dropFirst(62)), channel: 0x40))
      $0.frame(.host, hex("0c05004f00"), on: 0x50)
      $0.frame(.controller, hex("0d99"), on: 0x40)
      $0.frame(.controller, hex("1d0900") + long.prefix(70), on: 0x41, length: 73)
      $0.frame(.host, hex("1e"), on: 0x51)
      $0.disconnect()
    }
    let entries = scenario.sessions[0].entries
    #expect(entries.map(\.bearer) == [nil, nil, 1, 2, nil, 2, nil])
    #expect(entries[2].answer == .value(long + [0x99]) && entries[2].parts.count == 2)
    #expect(entries[5].answer == .ok)
  }

  @Test(arguments: [0 as UInt8, 1])
  func anAppsChannel(role: UInt8) throws {
    let (central, peripheral): (CaptureBuilder.Sender, CaptureBuilder.Sender) = role == 0 ? (.host, .controller) : (.controller, .host)
    let parameters = L2CAPChannelParameters(mtu: 100, mps: 64, credits: 4)
    let scenario = try Self.scenario {
      $0.connect(role: role)
      for identifier in [1, 2] as [UInt8] {
        let (opener, other) = identifier == 1 ? (central, peripheral) : (peripheral, central)
        let own = L2CAPChannel(rawValue: 0x60 + UInt16(identifier)), theirs = L2CAPChannel(rawValue: 0x44 + UInt16(identifier))
        $0.signal(opener, .creditConnectionRequest(psm: 0x80, source: own, parameters), identifier: identifier)
        $0.signal(other, .creditConnectionResponse(destination: theirs, parameters, result: 0), identifier: identifier)
        $0.frame(opener, hex("0102"), on: theirs.rawValue)
        $0.frame(other, hex("03"), on: own.rawValue)
        $0.signal(opener, .disconnectionRequest(destination: theirs, source: own), identifier: 9)
        $0.signal(other, .disconnectionResponse(destination: theirs, source: own), identifier: 9)
      }
    }
    let entries = scenario.sessions[0].entries
    #expect(entries.map(\.origin) == [.central, .central, .peripheral, .central, .peripheral, .peripheral, .central, .peripheral])
    #expect(entries[2].action == .link(.channelData(channel: 1, [3])))
    #expect(entries[2].anchor == Anchor(.entry("l2"), delay: .milliseconds(1)))
    #expect(entries[4].answer == .ok && entries[7].action == .link(.closeChannel(2)))
  }

  @Test(arguments: [CaptureBuilder.Sender.host, .controller])
  func attributesOverBREDR(opener: CaptureBuilder.Sender) throws {
    let other: CaptureBuilder.Sender = opener == .host ? .controller : .host
    let scenario = try Self.scenario {
      $0.event(0x03, hex("00 4000 5544332211c0 01 00"))
      $0.signal(opener, .connectionRequest(psm: 0x1F, source: L2CAPChannel(rawValue: 0x40)), channel: 1)
      $0.signal(
        other,
        .connectionResponse(destination: L2CAPChannel(rawValue: 0x41), source: L2CAPChannel(rawValue: 0x40), result: 0, status: 0),
        channel: 1)
      $0.acl(opener, CaptureBuilder.l2cap(hex("0a0300"), channel: 0x41))
      $0.acl(other, CaptureBuilder.l2cap(hex("0b01"), channel: 0x40))
      $0.acl(other, CaptureBuilder.l2cap(hex("1b0300") + [UInt8](repeating: 5, count: 400), channel: 0x40))
      $0.event(0x05, hex("00 4000 13"))
    }
    #expect(scenario.sessions[0].mtu == 672 && scenario.sessions[0].parameters == nil)
    #expect(scenario.origin?.capturedAt == (opener == .host ? .central : .peripheral))
    #expect(scenario.sessions[0].entries.map(\.bearer) == [nil, nil, nil, nil])
  }
}
