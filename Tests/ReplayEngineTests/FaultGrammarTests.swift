import ReplayEngine
import ReplayScenarios
import Testing

struct FaultGrammarTests {
  @Test(arguments: [
    "disconnect:0x08@before:entry:1.1", "disconnect:0x13@after:entry:2.40", "disconnect:0x3e@pdu:12", "disconnect:0x08@phase:connecting",
    "disconnect:0x08@phase:mtu", "disconnect:0x08@phase:discovery", "disconnect:0x08@phase:subscribing", "disconnect:0x08@phase:longWrite",
    "disconnect:0x08@phase:streaming", "disconnect:0x08@time:1500ms", "disconnect:0xff@time:1.000001ms", "disconnect:0x08@time:0ms",
    "disconnect:0x08@time:9007199254740.993001ms", "disconnect:0x08@after:notification:2A37#3", "disconnect:0x08@before:indication:2A1C",
    "disconnect:0x08@after:read:0x002a", "disconnect:0x08@before:write:FB349B5F-8000-0080-0010-00000000FFE1#2",
    "disconnect:0x08@after:any:0x0003#7", "disconnect:0x08@pdu:3@peripheral:2", "drop@before:read:2A37#2@peripheral:1*all~0.5",
  ])
  func theTextIsReadBack(text: String) throws {
    let fault = try Fault(text)
    #expect(fault.description == text)
    #expect(try Fault(fault.description) == fault)
  }

  @Test(arguments: [
    ("disconnect@pdu:1", "disconnect:0x08@pdu:1"), ("disconnect:8@pdu:1", "disconnect:0x08@pdu:1"),
    ("disconnect:19@time:1.5s", "disconnect:0x13@time:1500ms"), ("disconnect@time:2s", "disconnect:0x08@time:2000ms"),
    ("disconnect@after:read:2a37", "disconnect:0x08@after:read:2A37"), ("disconnect@after:read:0x2A", "disconnect:0x08@after:read:0x002a"),
    ("disconnect@after:read:2A37#1", "disconnect:0x08@after:read:2A37"),
  ])
  func otherSpellings(text: String, normal: String) throws {
    #expect(try Fault(text).description == normal)
  }

  @Test(arguments: [
    ("disconnect", "has no trigger; write it as"), ("", "has no trigger"), ("disconect@pdu:1", "did you mean disconnect?"),
    ("explode@pdu:1", "\"explode\" is no fault; the faults are disconnect, localDisconnect, vanish"),
    ("disconnect:0@pdu:1", "is no HCI reason; give a code from 0x01 to 0xff"),
    ("disconnect:0x100@pdu:1", "is no HCI reason"), ("disconnect:@pdu:1", "is no HCI reason"), ("disconnect:-1@pdu:1", "is no HCI reason"),
    ("disconnect@pdu:0", "is no PDU number; count from 1"), ("disconnect@pdu", "is no PDU number"),
    ("disconnect@pdu:x", "is no PDU number"),
    ("disconnect@phase:disc", "did you mean discovery?"), ("disconnect@phase:", "the phases are advertising, connecting, mtu"),
    ("disconnect@befor:entry:1.1", "did you mean before?"), ("disconnect@never", "the triggers are before, after, pdu, phase, time"),
    ("disconnect@after:entry:1", "give session and entry, both from 1"), ("disconnect@after:entry:0.1", "names no entry"),
    ("disconnect@after:entry:1.2.3", "names no entry"), ("disconnect@after:notify:2A37", "did you mean notification?"),
    ("disconnect@after:read:2A37#0", "is no count; count from 1"), ("disconnect@after:read:2A37#", "is no count"),
    ("disconnect@after:read:XYZ", "is neither a UUID nor a handle"), ("disconnect@after:read:0x0000", "is neither a UUID nor a handle"),
    ("disconnect@after:read:0x10000", "is neither a UUID nor a handle"), ("disconnect@time:5", "write it as 1500ms or 1.5s"),
    ("disconnect@time:-5ms", "is no time"), ("disconnect@time:1e3ms", "is no time"), ("disconnect@time:.5s", "is no time"),
    ("disconnect@time:1.s", "is no time"), ("disconnect@time:99999999999999999999s", "is no time"), ("disconnect@time:nans", "is no time"),
    ("disconnect@time:0.0000001ms", "is no time"), ("disconnect@pdu:1@peripheral:0", "names no peripheral; count from 1, as @peripheral:2"),
    ("disconnect@pdu:1@peripheral:x", "names no peripheral"), ("disconnect@pdu:1@2", "\"2\" names no peripheral"),
    ("disconnect@pdu:1@peripheral:99999999999999999999", "names no peripheral"),
  ])
  func errorsSayWhatToDo(text: String, part: String) {
    let error = #expect(throws: FaultError.self) { try Fault(text) }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
  }

  @Test func pointsOfASweepLeaveOutStackTraffic() throws {
    let scenario = Scenario.small([.write(0, [1, 0], handle: 4), .write(10, [1]), .notify(20, [2], after: .connection, 20)])
    let points = FaultPoint.all(.disconnect(.connectionTimeout), in: scenario)
    #expect(
      points.map { "\($0)" } == [
        "disconnect:0x08@after:entry:1.2 (FFE1 (0x0003))", "disconnect:0x08@after:entry:1.3 (FFE1 (0x0003))",
      ])
    let before = FaultPoint.all(.disconnect(.connectionTimeout), at: .beforeEveryEntry, in: scenario)
    #expect(before.first?.fault.description == "disconnect:0x08@before:entry:1.2")
  }
}
