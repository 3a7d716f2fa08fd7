import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// What a CCCD holds belongs to the characteristic that it was written for, in whichever database that stands.
struct SubscriptionsOfDatabasesTests {
  /// Service Changed stands where it stood, so its subscription holds on (Core 5.4, Vol 3, Part G, 7.1).
  @Test func whatStaysInItsPlaceStaysSubscribed() throws {
    let central = try LaterDatabaseTests.central(indicates: true)
    #expect(central.send("0a 0400") == ["0b0200"])
    #expect(central.send("0a 1000") == ["0b0000"])
  }

  /// A link of its own keeps nothing, unless the device keeps subscriptions.
  @Test(arguments: [true, false])
  func aDeviceThatKeepsSubscriptionsOverAnUpdateKeepsThoseOfWhatStays(keeps: Bool) throws {
    var scenario = try LaterDatabaseTests.scenario(indicates: false)
    scenario.device.keepsSubscriptions = keeps
    let central = TestCentral(scenario)
    central.connect()
    #expect(central.send("12 0400 0200") == ["13"])
    #expect(central.send("12 0d00 0100") == ["13", "1b0c000001"])
    central.leave()
    central.connect()
    #expect(central.send("0a 0400") == [keeps ? "0b0200" : "0b0000"])
    // The service that now stands where the CCCD stood is what it is.
    #expect(central.send("10 0500 ffff 0028") == ["11060d0010000d18"])
    #expect(central.send("0a 1000") == ["0b0000"])
  }

  /// A lost bond takes the subscriptions with it.
  @Test func aDeviceThatHasLostItsBondHasLostTheSubscriptions() throws {
    var scenario = try LaterDatabaseTests.scenario(indicates: false)
    scenario.device.keepsSubscriptions = true
    let central = TestCentral(scenario, faults: [try Fault("forgetBond@phase:connecting#2")])
    central.connect()
    #expect(central.send("12 0400 0200") == ["13"])
    central.leave()
    central.connect()
    #expect(central.send("0a 0400") == ["0b0000"])
  }

  /// What was moved is refused by whoever is there to refuse it, and is told of as stale.
  @Test(arguments: ["", "silence@after:read:0x000c#2", "vanish@after:read:0x000c#2"])
  func aDeviceThatIsSilentRefusesNoStaleHandleEither(silence: String) throws {
    let scenario = try Scenario(
      reading: """
        { format: "understudy/1", device: { mtu: 23 }, database: [
          { handle: 0x0A, service: "FFE0", end: 0x0C },
          { handle: 0x0B, characteristic: "FFE2", value: 0x0C, properties: ["read", "write"], content: "07" } ] }
        """)
    let faults = ["moveHandles:0x000a+16@after:read:0x000c#1", silence].filter { !$0.isEmpty }
    let central = TestCentral(scenario, faults: try faults.map { try Fault($0) })
    central.connect()
    #expect(central.send("0a 0c00") == ["0b07"])
    #expect(central.send("0a 1c00") == ["0b07"])
    #expect(central.send("12 0c00 01") == (silence.isEmpty ? ["01120c0001"] : []))
    #expect(central.verdict.notes.contains { $0.contains("the handle is stale: 0x000c was FFE2") } == silence.isEmpty)
  }

  /// No value is longer than 512 bytes, however it was put together (Core 5.4, Vol 3, Part F, 3.2.9).
  @Test func aLongWriteIsNoLongerThanAnAttributeMayBe() throws {
    let scenario = try Scenario(
      reading: """
        { format: "understudy/1", match: "stateful", device: { mtu: 23 }, database: [
          { handle: 0x10, service: "FFE0", end: 0x12 },
          { handle: 0x11, characteristic: "FFE2", value: 0x12, properties: ["read", "write"], content: "07" } ] }
        """)
    for (count, answer) in [(32, "19"), (33, "011812000d")] {
      let central = TestCentral(scenario)
      central.connect()
      for part in 0..<count {
        let offset = part * 16
        central.send("16 1200 \(Hexadecimal.encode([UInt8(offset & 0xFF), UInt8(offset >> 8)])) \(String(repeating: "aa", count: 16))")
      }
      #expect(central.send("18 01") == [answer])
      #expect(central.send("0a 1200") == [count == 32 ? "0b" + String(repeating: "aa", count: 22) : "0b07"])
    }
  }
}
