import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// Rules in code.
struct DeviceRuleTests {
  private static func central(_ entries: [TimelineEntry] = [], _ rules: DeviceRule..., rulesOfFile: [Rule] = []) -> TestCentral {
    var scenario = Scenario.small(entries)
    scenario.rules = rulesOfFile
    let central = TestCentral(scenario)
    central.air.deviceRules[0] = rules
    central.connect()
    return central
  }

  @Test func aWriteIsAnsweredByWhatTheBodyComputes() {
    let rule = DeviceRule(on: .write, of: "FFE1") { request in
      guard let first = request.value.first else { return .refuse(.invalidAttributeValueLength) }
      let sum = request.value.reduce(UInt8(0), &+)
      return .accept(.notify("FFE1", [first &+ 1, sum, UInt8(request.count)], after: .milliseconds(20)), .set("0x0006", [7]))
    }
    let central = Self.central([], rule)
    central.send("12 0400 0100")
    #expect(central.send("12 0300 0102", wait: .milliseconds(19)) == ["13"])
    central.wait(.milliseconds(1))
    #expect(central.received.last.map { Hexadecimal.encode($0.bytes) } == "1b0300020301")
    #expect(central.send("12 0300 05") == ["13", "1b0300060502"])
    #expect(central.send("12 0300") == ["011203000d"])
    #expect(central.verdict.passed && central.verdict.notes == [])
  }

  @Test func aReadGetsItsValueInPiecesToo() {
    let rule = DeviceRule(on: .read, of: "0x0003") { request in
      request.count % 2 == 1 ? .answer(Array(repeating: UInt8(request.count), count: 30)) : nil
    }
    let central = Self.central([.read(0, [9])], rule)
    #expect(central.send("0a 0300") == ["0b" + String(repeating: "01", count: 22)])
    #expect(central.send("0c 0300 1600") == ["0d" + String(repeating: "01", count: 8)])
    // Where the body passes, the tape answers, and the rule has not been followed once more.
    let other = DeviceRule(on: .read, of: "FFE1") { _ in nil }
    let passing = Self.central([.read(0, [9])], other)
    #expect(passing.send("0a 0300") == ["0b09"])
  }

  @Test func theFirstThatTakesARequestIsFollowedAndCodeComesBeforeTheFile() throws {
    let file = Rule(on: .write(AttributeHandle(3), value: [], matcher: .any), error: ATTErrorCode(rawValue: 0x80))
    let one = DeviceRule(on: .write, of: "FFE1") { $0.value == [1] ? .refuse(ATTErrorCode(rawValue: 0x81)) : nil }
    let two = DeviceRule(on: .write, of: "FFE1") { $0.value == [2] ? .refuse(ATTErrorCode(rawValue: 0x82)) : nil }
    let central = Self.central([], one, two, rulesOfFile: [file])
    #expect(central.send("12 0300 01") == ["0112030081"])
    #expect(central.send("12 0300 02") == ["0112030082"])
    #expect(central.send("12 0300 03") == ["0112030080"])
  }

  @Test func aSubscriptionACommandAndAnEnd() {
    let subscription = DeviceRule(on: .subscribe, of: "FFE1") { request in
      .accept(.notify("FFE1", request.value(of: "FFE1") ?? [], after: .milliseconds(5)))
    }
    let command = DeviceRule(on: .write, of: "FFE2") { _ in .accept(.disconnect(after: .milliseconds(30))) }
    let central = Self.central([], subscription, command)
    #expect(central.send("12 0400 0100") == ["13", "1b030055"])
    #expect(central.send("52 0600 01", wait: .milliseconds(29)) == [])
    #expect(central.ended == nil)
    central.wait(.milliseconds(1))
    #expect(central.ended == .remoteUserTerminatedConnection)
  }

  @Test func aRecordedWriteThatARuleTakesCountsAsMade() {
    let rule = DeviceRule(on: .write, of: "FFE1") { _ in .accept(.notify("FFE1", [0xAA])) }
    let entries = [TimelineEntry.write(0, [1], id: "w"), .notify(20, [9], after: .entry("w"), 5)]
    let central = Self.central(entries, rule)
    central.send("12 0400 0100")
    // What the rule tells is not told once more by the tape.
    #expect(central.send("12 0300 07") == ["13", "1b0300aa"])
    #expect(central.verdict.sessions[0].unused == [] && central.verdict.passed)
  }

  @Test func namesThatTheDeviceDoesNotHaveAreTold() {
    let strange = DeviceRule(on: .read, of: "2A19") { _ in nil }
    let step = DeviceRule(on: .write, of: "FFE1") { _ in .accept(.notify("0x0999", [1])) }
    let central = Self.central([], strange, step)
    central.send("12 0300 07")
    #expect(
      central.verdict.failures == [
        "link 1, session 1: a rule names 2A19, and the device has no such attribute",
        "link 1, session 1: a rule names 0x0999, and the device has no such attribute",
      ])
  }

  @Test func theAirTakesRulesForEachOfItsPeripherals() throws {
    let air = VirtualAir(scenarios: [.small([]), .small([])])
    air.onWrite(of: "FFE1", to: 1) { _ in .refuse(.writeNotPermitted) }
    air.onRead(of: "FFE1") { _ in .answer([1]) }
    air.onSubscribe(to: "FFE1") { _ in .accept() }
    #expect(air.withCore { $0.deviceRules.mapValues { $0.map(\.trigger) } } == [0: [.read, .subscribe], 1: [.write]])
  }

  @Test func aSubscriptionIsRefusedByARuleForItsDescriptor() {
    let rule = DeviceRule(on: .write, of: "0x0004") { $0.count == 1 ? .refuse(.insufficientAuthentication) : nil }
    let entries = [TimelineEntry.write(0, [1, 0], handle: 4, id: "s"), .notify(20, [9], after: .entry("s"), 5)]
    let central = Self.central(entries, rule)
    #expect(central.send("12 0400 0100") == ["0112040005"])
    #expect(central.send("0a 0400") == ["0b0000"])
    // The body passes, and all is as recorded.
    #expect(central.send("12 0400 0100") == ["13", "1b030009"])
  }

  @Test func nothingFollowsBeforeItsCause() {
    let rule = DeviceRule(on: .write, of: "FFE1") { _ in .accept(.notify("FFE1", [1], after: .seconds(-5)), .notify("FFE1", [2])) }
    let central = Self.central([], rule)
    central.send("12 0400 0100")
    #expect(central.send("12 0300 07") == ["13", "1b030001", "1b030002"])
  }

  @Test func aRuleForAPeripheralThatIsNotThereIsTold() {
    let air = VirtualAir(scenarios: [.small([])])
    air.onRead(of: "FFE1", from: 1) { _ in nil }
    #expect(air.verdict.failures == ["a rule is for peripheral 2, and the air has 1"])
  }
}
