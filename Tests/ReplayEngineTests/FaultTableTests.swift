import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// Every action at every trigger, asserted on what went over the link and what the central got.
struct FaultTableTests {
  // MARK: - A session with one of everything

  private static let long = Array(UInt8(0)..<40)

  /// Entries, from 1: 1 Exchange MTU, 2 discovery, 3 subscription, 4 read, 5 write, 6 command, 7 long read, 8 long write, 9 encryption,
  /// 10 and 11 notifications, 12 an indication, 13 a read, 14 a command, 15 the peripheral ends
  /// the link.
  static let scenario: Scenario = {
    var indication = TimelineEntry(
      at: .milliseconds(500), origin: .peripheral, action: .indicate(AttributeHandle(3), [0x99]), answer: .ok, latency: .milliseconds(5),
      anchor: Anchor(.connection, delay: .milliseconds(500)))
    indication.id = "i"
    var read = TimelineEntry(
      at: .milliseconds(120), action: .read(AttributeHandle(8)), answer: .value(long), latency: .milliseconds(5))
    read.parts = [
      .init(offset: .zero, count: 22, latency: .milliseconds(5)), .init(offset: .milliseconds(10), count: 18, latency: .milliseconds(5)),
    ]
    var write = TimelineEntry(at: .milliseconds(150), action: .write(AttributeHandle(8), long), answer: .ok, latency: .milliseconds(5))
    write.parts = [
      .init(offset: .zero, count: 18, latency: .milliseconds(5)), .init(offset: .milliseconds(10), count: 18, latency: .milliseconds(5)),
      .init(offset: .milliseconds(20), count: 4, latency: .milliseconds(5)),
      .init(offset: .milliseconds(30), count: nil, latency: .milliseconds(5)),
    ]
    func command(_ at: Int, _ value: UInt8) -> TimelineEntry {
      TimelineEntry(at: .milliseconds(at), action: .writeCommand(AttributeHandle(6), [value]))
    }
    let entries: [TimelineEntry] = [
      TimelineEntry(at: .milliseconds(0), action: .exchangeMTU(23), answer: .mtu(23), latency: .milliseconds(5)),
      TimelineEntry(
        at: .milliseconds(20), action: .pdu(hex("10 0100 ffff 0028")), answer: .pdu(hex("11 06 0100 1000 e0ff")), latency: .milliseconds(5)),
      .write(40, [3, 0], handle: 4), .read(60, [7]), .write(80, [1]), command(100, 8), read, write,
      TimelineEntry(at: .milliseconds(200), action: .link(.encrypt(.bonded)), answer: .ok, latency: .milliseconds(5)),
      .notify(300, [0xAA], after: .connection, 300), .notify(400, [0xBB], after: .connection, 400), indication, .read(600, [7]),
      command(620, 9),
      TimelineEntry(
        at: .milliseconds(900), origin: .peripheral, action: .disconnect(.remoteUserTerminatedConnection),
        anchor: Anchor(.connection, delay: .milliseconds(900))),
    ]
    var scenario = Scenario.small(entries)
    scenario.database.append(
      Attribute(
        handle: AttributeHandle(7),
        kind: .characteristic(uuid: BluetoothUUID(0xFFE3 as UInt16), properties: 0x0A, value: AttributeHandle(8)),
        content: long))
    scenario.sessions[0].parameters = ConnectionParameters(interval: 24, latency: 0, timeout: 72)
    scenario.sessions.append(scenario.sessions[0])
    return scenario
  }()

  // MARK: - Triggers

  /// A trigger, with the PDU that it is about, and the number of lines of PDUs that stand before what follows it.
  struct Point: Sendable, CustomTestStringConvertible {
    var trigger: String
    /// The PDU that the trigger is about, or else the next one.
    var pdu: String
    /// The last PDU that goes over the link where this ends it.
    var last: String
    var testDescription: String { trigger }
  }

  static let points: [Point] = [
    Point(trigger: "before:entry:1.4", pdu: "> 0a0300", last: "> 0a0300"),
    Point(trigger: "after:entry:1.4", pdu: "> 12030001", last: "< 0b07"),
    Point(trigger: "before:entry:1.10", pdu: "< 1b0300aa", last: "< 19"),
    Point(trigger: "after:entry:1.10", pdu: "< 1b0300bb", last: "< 1b0300aa"),
    Point(trigger: "pdu:7", pdu: "> 0a0300", last: "> 0a0300"),
    Point(trigger: "pdu:8", pdu: "< 0b07", last: "< 0b07"),
    Point(trigger: "phase:mtu", pdu: "> 021700", last: "> 021700"),
    Point(trigger: "phase:discovery", pdu: "> 100100ffff0028", last: "> 100100ffff0028"),
    Point(trigger: "phase:subscribing", pdu: "> 1204000300", last: "> 1204000300"),
    Point(trigger: "phase:longWrite", pdu: "> 1608000000", last: "> 1608000000"),
    Point(trigger: "phase:streaming", pdu: "< 1b0300bb", last: "< 1b0300aa"),
    Point(trigger: "phase:encrypting", pdu: "< 1b0300aa", last: "< 19"),
    Point(trigger: "phase:connecting", pdu: "> 021700", last: ""),
    Point(trigger: "time:70ms", pdu: "< 0b07", last: "> 0a0300"),
    Point(trigger: "time:250ms", pdu: "< 1b0300aa", last: "< 19"),
    Point(trigger: "before:read:FFE1", pdu: "> 0a0300", last: "> 0a0300"),
    Point(trigger: "after:read:FFE1", pdu: "> 12030001", last: "< 0b07"),
    Point(trigger: "before:write:FFE1", pdu: "> 12030001", last: "> 12030001"),
    Point(trigger: "after:write:FFE1", pdu: "> 52060008", last: "< 13"),
    Point(trigger: "before:write:FFE2", pdu: "> 52060008", last: "> 52060008"),
    Point(trigger: "after:write:0x0006", pdu: "> 0a0800", last: "> 52060008"),
    Point(trigger: "before:notification:FFE1", pdu: "< 1b0300aa", last: "< 19"),
    Point(trigger: "after:notification:FFE1#2", pdu: "< 1d030099", last: "< 1b0300bb"),
    Point(trigger: "before:indication:FFE1", pdu: "< 1d030099", last: "< 1b0300bb"),
    Point(trigger: "after:indication:FFE1", pdu: "> 1e", last: "< 1d030099"),
    Point(trigger: "before:any:FFE1#3", pdu: "< 1b0300aa", last: "< 19"),
    Point(trigger: "before:response:FFE1", pdu: "< 0b07", last: "> 0a0300"),
    Point(trigger: "after:response:FFE1", pdu: "> 12030001", last: "< 0b07"),
    Point(trigger: "before:response:2902", pdu: "< 13", last: "> 1204000300"),
    Point(trigger: "before:confirmation:FFE1", pdu: "> 1e", last: "> 1e"),
    Point(trigger: "after:confirmation:FFE1", pdu: "> 0a0300", last: "> 1e"),
    Point(trigger: "before:subscription:FFE1", pdu: "> 1204000300", last: "> 1204000300"),
    Point(trigger: "after:subscription:FFE1", pdu: "> 0a0300", last: "< 13"),
    Point(trigger: "before:readPart:FFE3#2", pdu: "> 0c08001600", last: "> 0c08001600"),
    Point(trigger: "after:readPart:FFE3#1", pdu: "> 0c08001600", last: "< 0b000102"),
    Point(trigger: "after:readPart:FFE3#2", pdu: "> 1608000000", last: "< 0d1617"),
    Point(trigger: "before:preparedWrite:FFE3#2", pdu: "> 1608001200", last: "> 1608001200"),
    Point(trigger: "after:preparedWrite:FFE3#2", pdu: "> 1608002400", last: "< 1708001200"),
  ]

  // MARK: - What happened

  private static func lines(_ replay: ScenarioReplay, link: Int? = nil) -> [String] {
    replay.log.lines.filter { link == nil || $0.link == link }.map { line in
      String(AirLog.describe(line).split(separator: " ", maxSplits: 2)[2])
    }
  }

  private static func isPDU(_ line: String) -> Bool {
    line.hasPrefix("> ") && !line.hasPrefix("> enc") || line.hasPrefix("< ") && !line.contains("ok")
  }

  /// A run with a fault; it fired once, and its line stands right before what it does.
  private static func run(_ action: String, _ point: Point) throws -> (lines: [String], place: Int, replay: ScenarioReplay) {
    let fault = try Fault("\(action)@\(point.trigger)")
    let replay = ScenarioReplay(scenario, faults: [fault], seed: 3)
    let lines = lines(replay)
    #expect(lines.filter { $0 == "fault \(fault)" }.count == 1, "\(replay.log.text)")
    #expect(replay.verdict.firings.map(\.fault) == [fault])
    let place = try #require(lines.firstIndex(of: "fault \(fault)"))
    let firing = try #require(replay.verdict.firings.first)
    #expect(firing.time == replay.log.lines[place].time && firing.link == replay.log.lines[place].link)
    return (lines, place, replay)
  }

  @Test(arguments: points)
  func offIsOff(point: Point) throws {
    let whole = ScenarioReplay(Self.scenario, seed: 3)
    #expect(whole.differences == [] && whole.verdict.notes == [])
    for suffix in ["*0", "~0", "*all~0"] {
      // Each by itself is no other than all together: none may leave a trace.
      let faults = try Self.actions.map { try Fault("\($0)@\(point.trigger)\(suffix)") }
      let replay = ScenarioReplay(Self.scenario, faults: faults, seed: 3)
      #expect(replay.log.text == whole.log.text)
      #expect(replay.verdict.notes == [] && replay.verdict.firings == [])
    }
  }

  static let actions = [
    "disconnect:0x13", "localDisconnect", "vanish", "silence", "refuseConnection:0x3e", "delayConnection:50ms", "failEstablishment",
    "delay:3ms", "drop", "duplicate", "reorder", "corrupt", "error:0x80", "delayMTU:7ms", "duplicateMTU", "limitMTU:23",
    "moveHandles:0x0003+64", "forgetBond", "failEncryption:0x3d", "stallCredits", "rssi:-90", "rotateAddress",
    "stopAdvertising", "powerOff",
  ]

  // MARK: - The link

  @Test(arguments: points)
  func theLinkEnds(point: Point) throws {
    for (action, reason) in [
      ("disconnect:0x14", HCIErrorCode.remoteDeviceLowResources), ("localDisconnect", .connectionTerminatedByLocalHost),
    ] {
      let (lines, place, replay) = try Self.run(action, point)
      if point.trigger == "phase:connecting", action != "localDisconnect" {
        #expect(lines[place + 1] == "failed peripheral 1 \(reason)")
        continue
      }
      #expect(lines[place + 1] == "disconnected \(reason)")
      let before = lines[..<place].last(where: Self.isPDU) ?? ""
      #expect(before.hasPrefix(point.last), "\(action)@\(point.trigger): \(before)")
      #expect(replay.verdict.passed && replay.verdict.sessions[0].isExcused)
    }
  }

  @Test(arguments: points)
  func thePeripheralIsGone(point: Point) throws {
    let (lines, place, replay) = try Self.run("vanish", point)
    // Nothing is heard of it, and 720 ms later the central gives the link up.
    let rest = lines[(place + 1)...].prefix { $0 != "disconnected \(HCIErrorCode.connectionTimeout)" }
    #expect(!rest.contains { $0.hasPrefix("<") })
    let end = try #require(replay.log.lines.first { $0.event == .disconnected(.connectionTimeout) })
    #expect(end.time.duration(since: replay.log.lines[place].time) == .milliseconds(720))
    let before = lines[..<place].last(where: Self.isPDU) ?? ""
    #expect(before.hasPrefix(point.last))
  }

  @Test(arguments: points)
  func theHostIsSilent(point: Point) throws {
    let (lines, place, replay) = try Self.run("silence", point)
    let link = replay.log.lines[place].link
    let end = try #require(replay.log.lines[place...].first { if case .disconnected = $0.event { true } else { false } })
    let rest = replay.log.lines[(place + 1)...].filter { $0.time < end.time && $0.link == link }
    #expect(!rest.contains { if case .pdu(false, _, _) = $0.event { true } else { false } }, "\(lines)")
    // A request that gets no answer ends the link after 30 s; without one the recording's end does.
    if case .disconnected(let reason) = end.event, end.link == link, rest.contains(where: Self.isRequest) {
      #expect(reason == .connectionTerminatedByLocalHost)
      let asked = try #require(rest.first(where: Self.isRequest))
      #expect(end.time.duration(since: asked.time) >= .seconds(30))
    }
  }

  private static func isRequest(_ line: AirLog.Line) -> Bool {
    if case .pdu(true, let bytes, _) = line.event, let first = bytes.first { ATTOpcode(rawValue: first).role == .request } else { false }
  }

  // MARK: - A PDU

  @Test(arguments: points)
  func aPDUIsLost(point: Point) throws {
    let (lines, place, _) = try Self.run("drop", point)
    #expect(lines[place + 1].hasPrefix("lost \(point.pdu)"), "\(lines[place + 1])")
    #expect(lines[place - 1] == lines[place + 1].replacing("lost ", with: ""))
  }

  @Test(arguments: points)
  func aPDUIsLate(point: Point) throws {
    let (lines, place, replay) = try Self.run("delay:3ms", point)
    let arrival = try #require(lines[place...].firstIndex { $0.hasPrefix("arrived \(point.pdu)") })
    #expect(replay.log.lines[arrival].time.duration(since: replay.log.lines[place].time) == .milliseconds(3))
    #expect(replay.verdict.passed)
    // All the rest is as recorded.
    let kept = lines.filter { !$0.hasPrefix("fault") && !$0.hasPrefix("arrived") && Self.isPDU($0) }
    #expect(kept.count >= Self.lines(ScenarioReplay(Self.scenario, seed: 3)).filter(Self.isPDU).count)
  }

  @Test(arguments: points)
  func aPDUComesTwice(point: Point) throws {
    let (lines, place, _) = try Self.run("duplicate", point)
    #expect(lines[place...].filter { $0.hasPrefix("arrived \(point.pdu)") }.count == 2)
  }

  @Test(arguments: points)
  func aPDUIsOvertaken(point: Point) throws {
    let (lines, place, replay) = try Self.run("reorder", point)
    let arrival = try #require(lines[place...].firstIndex { $0.hasPrefix("arrived \(point.pdu)") || $0.hasPrefix("lost \(point.pdu)") })
    let waited = replay.log.lines[arrival].time.duration(since: replay.log.lines[place].time)
    // The next of its direction, or a second.
    let between = lines[(place + 1)..<arrival].contains { $0.hasPrefix(String(point.pdu.prefix(2))) && Self.isPDU($0) }
    #expect(between || waited == .seconds(1) || lines[arrival].hasPrefix("lost"))
  }

  @Test(arguments: points)
  func aPDUHasOtherBits(point: Point) throws {
    for action in ["corrupt", "corrupt:0^0xff"] {
      let (lines, place, _) = try Self.run(action, point)
      let arrived = try #require(lines[place...].first { $0.hasPrefix("arrived ") })
      let sent = try #require(lines[..<place].last { Self.isPDU($0) })
      #expect(sent.hasPrefix(point.pdu))
      let (was, became) = (hex(String(sent.dropFirst(2))), hex(String(arrived.dropFirst(10))))
      #expect(was.count == became.count)
      let bits = zip(was, became).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
      #expect(bits == (action == "corrupt" ? 1 : 8))
      if action != "corrupt" { #expect(became.first == was.first.map { $0 ^ 0xFF }) }
    }
  }
}
