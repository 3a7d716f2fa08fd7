import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// Several faults whose triggers come together.
struct FaultsAtOnePointTests {
  private static func central(_ faults: String...) throws -> TestCentral {
    let central = TestCentral(.small([.read(0, [7])]), faults: try faults.map { try Fault($0) })
    central.connect()
    return central
  }
  private static func fired(_ central: TestCentral) -> [String] { central.verdict.firings.map(\.fault.description) }

  @Test(arguments: [false, true])
  func whatIsOvertakenMayBeDelayedAsWell(isDelayedFirst: Bool) throws {
    let faults = isDelayedFirst ? ["delay:10s@pdu:1", "reorder@pdu:1"] : ["reorder@pdu:1", "delay:10s@pdu:1"]
    let central = try Self.central(faults[0], faults[1])
    #expect(central.send("0a0300", wait: .seconds(10)) == [])
    // Nothing overtakes it, and it arrives a second after the ten.
    central.wait(.milliseconds(1010))
    #expect(central.received.map(\.bytes) == [[0x0B, 7]])
    #expect(central.received.first?.at == AirInstant(nanoseconds: 11_010_000_000))
  }

  @Test func eachTimeComesOnceForEachFault() throws {
    let central = try Self.central("rssi:-80@time:1s*2", "rssi:-70@time:1s*all", "rssi:-60@time:2s")
    central.wait(.seconds(3))
    #expect(Self.fired(central) == ["rssi:-80@time:1000ms*2", "rssi:-70@time:1000ms*all", "rssi:-60@time:2000ms"])
  }

  @Test(arguments: [["error:0x0e", "rssi:-80"], ["rssi:-80", "error:0x0e"]])
  func anErrorLeavesRoomForOthers(actions: [String]) throws {
    let central = try Self.central("\(actions[0])@before:read:FFE1", "\(actions[1])@before:read:FFE1")
    #expect(central.send("0a0300") == ["010a03000e"])
    #expect(Self.fired(central) == ["rssi:-80@before:read:FFE1", "error:0x0e@before:read:FFE1"])
    #expect(central.verdict.faultsNotReached == [])
  }

  @Test(arguments: [["error:0x0e", "delay:2s"], ["delay:2s", "error:0x0e"]])
  func aRequestIsDelayedAndThenRefused(actions: [String]) throws {
    let central = try Self.central("\(actions[0])@before:read:FFE1", "\(actions[1])@before:read:FFE1")
    #expect(central.send("0a0300", wait: .milliseconds(1999)) == [])
    central.wait(.milliseconds(1))
    #expect(central.received.map(\.bytes) == [[0x01, 0x0A, 0x03, 0x00, 0x0E]])
    // The next one is answered.
    #expect(central.send("0a0300") == ["0b07"])
    #expect(central.verdict.faultsNotReached == [])
  }

  @Test(arguments: ["disconnect:0x08@after:read:FFE1", "disconnect:0x08@before:read:FFE1", "powerOff@after:read:FFE1"])
  func whatEndsTheLinkComesLast(ending: String) throws {
    let trigger = try #require(ending.split(separator: "@").last)
    let central = try Self.central(ending, "rotateAddress@\(trigger)")
    central.send("0a0300")
    #expect(Self.fired(central) == ["rotateAddress@\(trigger)", ending])
  }

  @Test func aRefusedConnectionLeavesRoomForOthers() throws {
    let central = try Self.central("refuseConnection:0x3e@phase:connecting", "rssi:-80@phase:connecting")
    #expect(central.failed == .connectionFailedToBeEstablished)
    #expect(Self.fired(central) == ["rssi:-80@phase:connecting", "refuseConnection:0x3e@phase:connecting"])
  }

  @Test(arguments: ["12", "52"])
  func aCopyLeavesTheNextWriteToTheApp(opcode: String) throws {
    var entries = [TimelineEntry.write(0, [1]), .write(50, [2]), .write(90, [2])]
    if opcode == "52" {
      for place in entries.indices {
        guard case .write(_, let value) = entries[place].action else { continue }
        entries[place] = TimelineEntry(at: entries[place].at, action: .writeCommand(AttributeHandle(6), value))
      }
    }
    let central = TestCentral(.small(entries), faults: [try Fault("duplicate@pdu:1*all")])
    central.connect()
    for value in ["01", "02", "02"] { central.send("\(opcode) \(opcode == "52" ? "0600" : "0300") \(value)") }
    let session = try #require(central.verdict.sessions.first)
    #expect(session.unused == [] && session.nearMisses == [] && session.substitutions == [])
  }

  /// A central that confirms an indication at once does so before what waited behind it has arrived, the moment of which is over then.
  @Test func whatWaitsBehindALatePDUDoesNotHoldUpTheNext() throws {
    let told = { (at: Int64, action: TimelineEntry.Action) in
      TimelineEntry(at: .milliseconds(at), origin: .peripheral, action: action, anchor: Anchor(.connection, delay: .milliseconds(at)))
    }
    let value = AttributeHandle(3)
    let scenario = Scenario(
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(4))),
        Attribute(
          handle: AttributeHandle(2), kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x30, value: value)),
        Attribute(handle: AttributeHandle(4), kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
      ],
      sessions: Array(
        repeating: Session(
          subscriptions: [AttributeHandle(4): 3],
          entries: [told(10, .indicate(value, [1])), told(20, .notify(value, [2])), told(200, .notify(value, [3]))]), count: 2))
    let late = try ["before:indication:FFE1", "before:notification:FFE1#2"].map { try Fault("delay:50ms@\($0)") }
    let central = ScriptedCentral(scenario, faults: late)
    let first = central.told.filter { $0.words.hasPrefix("< 1") }.prefix(3)
    let start = try #require(central.told.first { $0.words.hasPrefix("connected") }).at
    #expect(first.map(\.words) == ["< 1d030001", "< 1b030002", "< 1b030003"])
    #expect(first.map { $0.at.duration(since: start) } == [.milliseconds(60), .milliseconds(60), .milliseconds(250)])
  }
}
