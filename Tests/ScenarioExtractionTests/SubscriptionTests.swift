import CaptureFiles
import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// What captures tell of subscriptions, and of requests that get no answer.
struct SubscriptionTests {
  /// A characteristic 0x0005 with a CCCD 0x0006, which the central discovers.
  private static let discovery = ["> 08 0100 ffff 0328", "< 09 07 0400 10 0500 e1ff", "> 04 0600 0600", "< 05 01 0600 0229"]
  private static let on = ["> 12 0600 0100", "< 13"]
  private static let off = ["> 12 0600 0000", "< 13"]

  private func scenario(_ pdus: [String], connects: Bool = true) throws -> Scenario {
    var builder = CaptureBuilder()
    if connects { builder.connect() }
    for pdu in Self.discovery + pdus { builder.att(pdu.hasPrefix(">") ? .host : .controller, hex(String(pdu.dropFirst(2)))) }
    let recording = try CaptureRecording(bytes: builder.bytes, file: "synthetic.btsnoop")
    let extractor = ScenarioExtractor(recording)
    let scenario = try Scenario(
      reading: extractor.scenario(of: try #require(extractor.subjects.first)).document(), file: "synthetic.json5")
    let replay = ScenarioReplay(scenario)
    #expect(replay.differences == [])
    #expect(CaptureComparison(replay.trafficBySession, of: scenario, with: recording).differences == [])
    return scenario
  }

  @Test(arguments: [
    (on + ["< 1b 0500 aa"], false), (["< 1b 0500 aa"] + on, true), (on + off + ["< 1b 0500 aa"], true),
    (on + ["> 12 0600 0000", "< 1b 0500 aa", "< 13"], false), (["> 12 0600 0100", "< 1b 0500 aa", "< 13"], false),
    (on + ["< 1d 0500 aa", "> 1e"], true), (["> 12 0600 0100", "< 01 12 0600 05", "< 1b 0500 aa"], true),
  ])
  func tellingWithoutASubscriptionIsSeen(pdus: [String], isSeen: Bool) throws {
    let scenario = try scenario(pdus)
    #expect(scenario.device.sendsUnsubscribed == isSeen)
    #expect(scenario.sessions[0].subscriptions == [:])
  }

  /// A link that is older than its capture may have been subscribed before.
  @Test func anOlderLinkWasSubscribedBefore() throws {
    let scenario = try scenario(["< 1b 0500 aa"], connects: false)
    #expect(!scenario.device.sendsUnsubscribed)
    #expect(scenario.sessions[0].subscriptions == [AttributeHandle(6): 1])
    #expect(!(try self.scenario(Self.on + ["< 1b 0500 aa"], connects: false)).device.sendsUnsubscribed)
  }

  /// What got no answer in the recording gets none when it is played, and what comes after it goes on.
  @Test func whatGotNoAnswerGetsNone() throws {
    let scenario = try scenario(["> 12 0500 01", "> 0a 0500", "< 1b 0500 aa", "> 52 0500 02", "> 16 0500 0000 01"])
    let asked = scenario.sessions[0].entries.filter { $0.origin == .central }.suffix(4)
    #expect(asked.map(\.answer) == [TimelineEntry.Answer.none, TimelineEntry.Answer.none, nil, TimelineEntry.Answer.none])
    #expect(
      scenario.document().split(separator: UInt8(ascii: "\n")).count { String(decoding: $0, as: UTF8.self).contains("answer: \"none\"") }
        == 3)
  }
}
