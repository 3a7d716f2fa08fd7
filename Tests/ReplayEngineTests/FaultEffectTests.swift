import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// What a central gets of the faults that are not done to the link or to a PDU, at every trigger.
struct FaultEffectTests {
  typealias Point = FaultTableTests.Point
  static let points = FaultTableTests.points + [Point(trigger: "phase:advertising", pdu: "", last: "")]

  private static func run(_ action: String, _ point: Point) throws -> (central: ScriptedCentral, after: [String], before: [String]) {
    let fault = try Fault("\(action)@\(point.trigger)")
    let central = ScriptedCentral(FaultTableTests.scenario, faults: [fault])
    let parts = try #require(central.parts(fault), "\(fault): \(central.air.log.text)")
    #expect(central.verdict.firings.count == 1)
    #expect(central.air.log.text.contains(" fault \(fault)\n"))
    return (central, parts.after, parts.before)
  }

  @Test func theScriptIsFaithful() {
    let central = ScriptedCentral(FaultTableTests.scenario, faults: [])
    #expect(central.verdict.passed && central.verdict.notes == [])
    #expect(central.words.filter { $0.hasPrefix("connected") } == ["connected 1", "connected 2"])
    #expect(central.words.filter { $0 == "< 1d030099" }.count == 2)
  }

  // MARK: - Connections

  @Test(arguments: points)
  func aConnectionIsRefused(point: Point) throws {
    let (central, after, _) = try Self.run("refuseConnection:0x3e", point)
    #expect(central.words.filter { $0.hasPrefix("failed") } == ["failed \(HCIErrorCode.connectionFailedToBeEstablished)"])
    // The next attempt succeeds.
    let place = try #require(after.firstIndex { $0.hasPrefix("failed") })
    #expect(after[place...].contains { $0.hasPrefix("connected") })
  }

  @Test(arguments: points)
  func aConnectionIsLate(point: Point) throws {
    let (central, _, _) = try Self.run("delayConnection:50ms", point)
    let firing = try #require(central.verdict.firings.first)
    let connection = try #require(central.told.first { $0.at >= firing.time && $0.words.hasPrefix("connected") })
    #expect(connection.at.duration(since: firing.time) == .milliseconds(50))
    #expect(!central.words.contains { $0.hasPrefix("failed") })
  }

  @Test(arguments: points)
  func aConnectionIsNotEstablished(point: Point) throws {
    let (_, after, _) = try Self.run("failEstablishment", point)
    let place = try #require(after.firstIndex { $0.hasPrefix("connected") })
    #expect(after[place + 1] == "disconnected \(HCIErrorCode.connectionFailedToBeEstablished)")
  }

  // MARK: - The attribute server

  @Test(arguments: points)
  func aRequestGetsAnError(point: Point) throws {
    let (central, after, _) = try Self.run("error:0x80", point)
    let errors = central.words.filter { $0.hasPrefix("< 01") }
    #expect(errors.count == 1 && errors[0].hasSuffix("80"))
    #expect(after.contains(errors[0]))
    // It is for the request that was on the way, or the next one.
    let firing = try #require(central.verdict.firings.first)
    let asked = try #require(
      central.air.log.lines.last { line in
        guard line.time <= firing.time, case .pdu(true, let bytes, _) = line.event, let first = bytes.first else { return false }
        return ATTOpcode(rawValue: first).role == .request && first == hex(String(errors[0].dropFirst(2)))[1]
      })
    #expect(asked.time <= firing.time)
    #expect(central.verdict.passed)
  }

  @Test(arguments: points)
  func exchangeMTUIsSpoiled(point: Point) throws {
    let (late, _, _) = try Self.run("delayMTU:7ms", point)
    let firing = try #require(late.verdict.firings.first)
    let answer = try #require(late.told.first { $0.at >= firing.time && $0.words == "< 031700" })
    #expect(answer.at.duration(since: firing.time) == .milliseconds(12))

    let (twice, after, _) = try Self.run("duplicateMTU", point)
    #expect(Array(after.filter { $0.hasPrefix("< 03") }.prefix(2)) == ["< 031700", "< 031700"])
    #expect(twice.words.filter { $0.hasPrefix("< 03") }.count == 3)
  }

  @Test func anMTUIsLimited() throws {
    var scenario = Scenario.small([
      TimelineEntry(at: .milliseconds(0), action: .exchangeMTU(100), answer: .mtu(64), latency: .milliseconds(5)),
      TimelineEntry(at: .milliseconds(20), action: .read(AttributeHandle(3)), answer: .value(Array(0..<50)), latency: .milliseconds(5)),
    ])
    scenario.sessions.append(scenario.sessions[0])
    for trigger in ["phase:mtu", "before:entry:1.1", "pdu:1", "phase:connecting", "phase:advertising"] {
      let central = ScriptedCentral(scenario, faults: [try Fault("limitMTU:30@\(trigger)")])
      // At its number the request was already answered with the whole MTU.
      let isLate = trigger == "pdu:1"
      let answer = central.words.first { $0.hasPrefix("< 03") }
      #expect(answer == (isLate ? "< 034000" : "< 031e00"))
      let read = central.words.first { $0.hasPrefix("< 0b") }
      let bytes = isLate ? 51 : 30
      #expect(read?.count == 2 + 2 * bytes)
    }
  }

  @Test(arguments: points)
  func handlesAreMoved(point: Point) throws {
    let (central, after, before) = try Self.run("moveHandles:0x0003+64", point)
    let invalid = after.filter { $0.hasPrefix("< 01") && $0.hasSuffix("01") }
    #expect(invalid.contains { $0.dropFirst(6).hasPrefix("0300") })
    #expect(!before.contains { $0.hasPrefix("< 01") })
    // What is told comes from the new place.
    #expect(!after.dropFirst(2).contains { $0.hasPrefix("< 1b0300") } || central.verdict.firings[0].link == 1)
    #expect(central.words.filter { $0.hasPrefix("connected") }.count == 2)
  }

  // MARK: - Security

  @Test(arguments: points)
  func encryptionFails(point: Point) throws {
    let (central, after, _) = try Self.run("failEncryption:0x3d", point)
    #expect(central.words.filter { $0.hasPrefix("settled") && $0.hasSuffix("failure(61)") }.count == 1)
    #expect(after.contains { $0.hasSuffix("failure(61)") })
  }

  @Test(arguments: points)
  func theBondIsForgotten(point: Point) throws {
    let (_, after, before) = try Self.run("forgetBond", point)
    let outcomes = after.filter { $0.hasPrefix("settled") }
    #expect(!outcomes.isEmpty)
    // One that was under way may still come out well.
    #expect(outcomes.dropFirst().allSatisfy { $0.hasSuffix("failure(6)") })
    #expect(!before.contains { $0.hasSuffix("failure(6)") })
  }

  @Test func whatNeedsTheBondRefusesWithoutIt() throws {
    let pairing = LinkProcedure.pair(Pairing())
    let scenario = Scenario.small([
      TimelineEntry(
        at: .milliseconds(0), action: .read(AttributeHandle(3)), answer: .error(.insufficientEncryption), latency: .milliseconds(5)),
      TimelineEntry(at: .milliseconds(20), action: .link(.encrypt(.bonded)), answer: .ok, latency: .milliseconds(5)),
      .read(40, [7]), .read(60, [8]), TimelineEntry(at: .milliseconds(80), action: .link(pairing), answer: .ok, latency: .milliseconds(5)),
      .read(100, [9]),
    ])
    let central = ScriptedCentral(scenario, faults: [try Fault("forgetBond@after:read:FFE1#2")])
    let answers = central.words.filter { $0.hasPrefix("< 0") }
    // The second read was let through, the third is refused, and after the pairing it gets what it would have got.
    #expect(answers == ["< 010a03000f", "< 0b07", "< 010a030005", "< 0b08"])
  }

  // MARK: - Radios

  @Test(arguments: points)
  func commandsFindNoRoom(point: Point) throws {
    let (central, _, _) = try Self.run("stallCredits:30ms", point)
    let credits = central.told.filter { $0.words.hasPrefix("credits") }
    #expect(credits.first?.words == "credits false")
    if credits.count == 2 {
      #expect(credits[1].words == "credits true")
      #expect(credits[1].at.duration(since: credits[0].at) == .milliseconds(30))
    } else {
      // The link ended before.
      #expect(central.told.contains { $0.words.hasPrefix("disconnected") && $0.at.duration(since: credits[0].at) < .milliseconds(30) })
    }
    let (forever, _, _) = try Self.run("stallCredits", point)
    #expect(forever.words.filter { $0.hasPrefix("credits") } == ["credits false"])
  }

  @Test(arguments: points)
  func theSignalIsWeaker(point: Point) throws {
    let (central, after, before) = try Self.run("rssi:-97", point)
    #expect(after.filter { $0.hasPrefix("advertisement") }.allSatisfy { $0.hasSuffix(" -97") })
    #expect(!before.contains { $0.hasSuffix(" -97") })
    #expect(central.air.rssi(0) == -97)
  }

  @Test(arguments: points)
  func theAddressIsAnother(point: Point) throws {
    let before = ScriptedCentral(FaultTableTests.scenario, faults: []).air.appearance(0)
    let (unknown, after, _) = try Self.run("rotateAddress", point)
    #expect(unknown.air.appearance(0).own != before.own)
    #expect(unknown.air.appearance(0).address != before.address)
    #expect(unknown.air.appearance(0).address.value >> 46 == 0)
    let seen = after.filter { $0.hasPrefix("advertisement") }
    #expect(!seen.isEmpty && seen.allSatisfy { $0.contains("\(unknown.air.appearance(0).address)") })
    let (known, _, _) = try Self.run("rotateAddress:resolvable", point)
    #expect(known.air.appearance(0).own == before.own)
    #expect(known.air.appearance(0).address.value >> 46 == 1)
  }

  @Test(arguments: points)
  func advertisingStops(point: Point) throws {
    let (central, after, before) = try Self.run("stopAdvertising:3s", point)
    let times = central.told.filter { $0.words.hasPrefix("advertisement") }.map(\.at)
    let fired = try #require(central.air.firings.0.first?.time)
    #expect(!times.contains { $0 > fired && $0 < fired.advanced(by: .seconds(3)) }, "\(before) \(after)")
    let (forever, rest, _) = try Self.run("stopAdvertising", point)
    #expect(!rest.contains { $0.hasPrefix("advertisement") })
    #expect(forever.air.firings.0.count == 1)
  }

  @Test(arguments: points)
  func theAdapterIsOff(point: Point) throws {
    let (central, after, _) = try Self.run("powerOff:1s", point)
    let (off, on) = try (#require(after.firstIndex(of: "adapter false")), #require(after.firstIndex(of: "adapter true")))
    // Nothing is heard while it is off, and no end of a link is told.
    #expect(on == off + 1)
    #expect(!after[..<off].contains { $0.hasPrefix("disconnected") })
    let times = central.told.filter { $0.words.hasPrefix("adapter") }.map(\.at)
    #expect(times[1].duration(since: times[0]) == .seconds(1))
    #expect(after[on...].contains { $0.hasPrefix("connected") } || central.words.filter { $0.hasPrefix("connected") }.count == 2)
    let log = central.air.log.lines.map { AirLog.describe($0) }
    #expect(log.contains { $0.hasSuffix("0 adapter off") } && log.contains { $0.hasSuffix("0 adapter on") })
    let (forever, rest, _) = try Self.run("powerOff", point)
    #expect(rest.last == "adapter false")
    #expect(forever.air.isPoweredOn == false)
  }

  @Test(arguments: points)
  func offIsOff(point: Point) throws {
    let whole = ScriptedCentral(FaultTableTests.scenario, faults: [])
    for suffix in ["*0", "~0", "*all~0"] {
      let faults = try FaultTableTests.actions.map { try Fault("\($0)@\(point.trigger)\(suffix)") }
      let central = ScriptedCentral(FaultTableTests.scenario, faults: faults)
      #expect(central.air.log.text == whole.air.log.text)
      #expect(central.words == whole.words)
      #expect(central.verdict.firings == [] && central.verdict.faultsNotReached == [])
    }
  }
}
