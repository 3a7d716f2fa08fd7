import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// Pairing, encryption and channels of a virtual peripheral, for centrals that do them and for those whose stack is played.
struct ProcedureTests {
  private static let value = AttributeHandle(3)

  /// A read that is refused, the peripheral's request for security, pairing, encryption, and the read again.
  private static func secured(_ outcome: TimelineEntry.Answer = .ok) -> Scenario {
    .small([
      TimelineEntry(
        id: "a", at: .milliseconds(100), action: .read(value), answer: .error(.insufficientAuthentication), latency: .milliseconds(10)),
      TimelineEntry(
        at: .milliseconds(120), origin: .peripheral, action: .link(.securityRequest([.bonding])),
        anchor: Anchor(.entry("a"), delay: .milliseconds(10))),
      TimelineEntry(
        at: .milliseconds(150), action: .link(.pair(Pairing(method: .justWorks))), answer: .ok, latency: .milliseconds(200)),
      TimelineEntry(
        id: "s", at: .milliseconds(350), action: .link(.encrypt(.paired)), answer: outcome, latency: .milliseconds(50)),
      TimelineEntry(
        at: .milliseconds(500), origin: .peripheral, action: .link(.updateDataLength(central: 251, peripheral: 251)),
        anchor: Anchor(.entry("s"), delay: .milliseconds(100))),
      TimelineEntry(at: .milliseconds(600), action: .read(value), answer: .value([7]), latency: .milliseconds(10)),
    ])
  }

  @Test func theStackOfACentralThatDoesNothingIsPlayedForIt() {
    let central = TestCentral(Self.secured())
    central.connect()
    // Nothing begins before the app reads, however long that takes.
    central.wait(.seconds(10))
    #expect(central.air.log.traffic(link: 1).procedures == [])
    #expect(central.send("0a0300", wait: .milliseconds(200)) == ["010a030005"])
    #expect(central.send("0a0300", wait: .milliseconds(20)) == ["010a030005"])
    central.wait(.seconds(1))
    #expect(central.send("0a0300") == ["0b07"])
    let procedures = central.air.log.traffic(link: 1).procedures
    // The device asks again at the second refusal; the stack pairs once.
    #expect(procedures.map(\.fromCentral) == [false, true, false, true, false])
    #expect(procedures.map(\.outcome) == [nil, .success, nil, .success, nil])
    #expect(central.verdict.passed)
  }

  @Test func oneThatPairsIsAnsweredAsRecorded() throws {
    let central = TestCentral(Self.secured(.refused(6)), performsProcedures: true)
    central.connect()
    central.send("0a0300")
    let link = try #require(central.link)
    // Another method than recorded is answered all the same.
    central.air.perform(.pair(Pairing(method: .passkeyEntry)), on: link)
    central.wait(.milliseconds(300))
    central.air.perform(.encrypt(.paired), on: link)
    central.wait(.seconds(1))
    #expect(central.settled == ["pairing: success", "encryption with the paired key: failure(6)"])
    #expect(central.procedures == ["security request", "data length 251, 251"])
    // What the tape does not have is agreed to, but there is no such channel.
    central.air.perform(.encrypt(.paired), on: link)
    central.air.perform(.openChannel(L2CAPChannelOpening(channel: 1, psm: 0x80)), on: link)
    central.air.perform(.channelData(channel: 1, [1]), on: link)
    central.wait(.seconds(1))
    #expect(
      central.settled.suffix(2) == ["encryption with the paired key: success", "opening of channel 1 for PSM 0x0080: failure(2)"])
  }

  @Test func theRecordedCentralPlaysThemInOrder() {
    let replay = ScenarioReplay(Self.secured())
    #expect(replay.differences == [])
    #expect(replay.verdict.passed)
    var other = Self.secured()
    other.sessions[0].entries[3].answer = TimelineEntry.Answer.none
    other.sessions[0].entries[4].anchor = Anchor(.connection, delay: .milliseconds(500))
    #expect(ScenarioReplay(other).differences == [])
  }

  private static let opening = L2CAPChannelOpening(
    channel: 1, psm: L2CAPChannelOpening.enhancedATT, central: L2CAPChannelParameters(mtu: 64, mps: 64, credits: 2),
    peripheral: L2CAPChannelParameters(mtu: 64, mps: 64, credits: 2))

  private static let bearers = Scenario.small([
    TimelineEntry(id: "o", at: .milliseconds(10), action: .link(.openChannel(opening)), answer: .ok, latency: .milliseconds(10)),
    TimelineEntry(
      at: .milliseconds(50), action: .read(value), bearer: 1, answer: .value([UInt8](repeating: 9, count: 40)), latency: .milliseconds(20)),
    TimelineEntry(at: .milliseconds(60), action: .read(AttributeHandle(6)), answer: .value([1]), latency: .milliseconds(1)),
  ])

  @Test func everyBearerHasItsMTU() throws {
    #expect(ScenarioReplay(Self.bearers).differences == [])
    let pdus = ScenarioReplay(Self.bearers).log.pdus(link: 1)
    #expect(pdus.map(\.bearer) == [1, 0, 0, 1] && pdus.map(\.bytes.count) == [3, 3, 2, 41])
    // A central without such channels has all over the fixed one, at its MTU.
    let central = TestCentral(Self.bearers)
    central.connect()
    central.wait(.seconds(1))
    #expect(central.send("0a0300") == ["0b" + String(repeating: "09", count: 22)])
  }

  @Test func aClosedBearersEntriesGoOverTheFixedOne() throws {
    var scenario = Self.bearers
    scenario.sessions[0].entries.append(TimelineEntry(at: .milliseconds(100), action: .link(.closeChannel(1))))
    scenario.sessions[0].entries.append(
      TimelineEntry(
        at: .milliseconds(200), origin: .peripheral, action: .indicate(Self.value, [UInt8](repeating: 3, count: 40)), bearer: 1,
        answer: .ok, anchor: Anchor(.entry("o"), delay: .milliseconds(180))))
    scenario.device.sendsUnsubscribed = true
    let pdus = ScenarioReplay(scenario).log.pdus(link: 1)
    #expect(pdus.count == 5 + 1 && pdus[4].bearer == 0 && pdus[4].bytes.count == 23)
  }
}
