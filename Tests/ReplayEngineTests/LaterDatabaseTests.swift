import ReplayEngine
import ReplayScenarios
import TestSupport
import Testing

/// A device whose handles moved by three: in the middle of a connection, or between two without a word.
struct LaterDatabaseTests {
  static func scenario(indicates: Bool) throws -> Scenario {
    func use(_ shift: Int, _ from: Int, _ value: String) -> String {
      let (descriptor, handle) = (0x0D + shift, 0x0C + shift)
      return """
        { at: \(from), write: \(descriptor), value: "0100", answer: "ok", latency: 1, id: "s\(shift)" },
        { at: \(from + 5), notify: \(handle), value: "\(value)", after: "s\(shift)", delay: 4 },
        """
    }
    func service(_ shift: Int) -> String {
      """
      { handle: 1, service: "1801", end: 4 },
      { handle: 2, characteristic: "2A05", value: 3, properties: ["indicate"] }, { handle: 4, descriptor: "2902" },
      { handle: \(0x0A + shift), service: "180D", end: \(0x0D + shift) },
      { handle: \(0x0B + shift), characteristic: "2A37", value: \(0x0C + shift), properties: ["notify"] },
      { handle: \(0x0D + shift), descriptor: "2902" },
      """
    }
    let between =
      indicates
      ? #"{ at: 20, indicate: 3, value: "0a00ffff", answer: "ok", latency: 1, after: "s0", delay: 19, database: 2 },"#
      : "] }, { database: 2, entries: ["
    return try Scenario(
      reading: """
        { format: "understudy/1", device: { mtu: 23, sendsUnsubscribed: false },
          database: [ \(service(0)) ], laterDatabases: [ [ \(service(3)) ] ],
          sessions: [ { entries: [
            { at: 0, write: 4, value: "0200", answer: "ok", latency: 1 },
            \(use(0, 2, "0001")) \(between) \(use(3, 100, "0002")) ] } ] }
        """)
  }

  /// Comes to the point where the other database holds.
  static func central(indicates: Bool) throws -> TestCentral {
    let central = TestCentral(try scenario(indicates: indicates))
    central.connect()
    #expect(central.send("12 0400 0200") == ["13"])
    #expect(central.send("10 0100 ffff 0028") == ["11060100040001180a000d000d18"])
    let came = central.send("12 0d00 0100")
    #expect(came == ["13", "1b0c000001"] + (indicates ? ["1d03000a00ffff"] : []))
    if indicates {
      central.send("1e")
    } else {
      central.leave()
      central.connect()
    }
    return central
  }

  @Test(arguments: [true, false])
  func anAppThatDiscoversAnewMeetsTheNewDatabase(indicates: Bool) throws {
    let central = try Self.central(indicates: indicates)
    #expect(central.send("10 0500 ffff 0028") == ["11060d0010000d18"])
    #expect(central.send("08 0d00 1000 0328") == ["09070e00100f00372a"])
    #expect(central.send("12 1000 0100") == ["13", "1b0f000002"])
    #expect(central.verdict.notes == [])
  }

  @Test(arguments: [true, false])
  func anAppThatGoesOnWithOldHandlesIsTold(indicates: Bool) throws {
    let central = try Self.central(indicates: indicates)
    // What was the value is nothing now.
    #expect(central.send("0a 0c00") == ["010a0c0001"])
    #expect(central.send("12 0c00 07") == ["01120c0001"])
    let text = "\(central.verdict)"
    #expect(text.contains("the handle is stale: 0x000c was 2A37 in database 1, and database 2 holds"), "\(text)")
  }

  /// Who has looked for characteristics since then asks for what there is, be it nothing.
  @Test(arguments: [("04 0d00 1000", false), ("08 0100 ffff 0328", false), ("10 0100 ffff 0028", true), ("08 0100 ffff 002a", true)])
  func whoDiscoversAgainIsNotToldOfStaleHandles(discovery: String, isStale: Bool) throws {
    let central = try Self.central(indicates: false)
    central.send(discovery)
    #expect(central.send("12 0c00 07") == ["01120c0001"])
    #expect("\(central.verdict)".contains("the handle is stale") == isStale, "\(central.verdict)")
  }

  /// Subscriptions are of the database in which they were made.
  @Test func nothingIsSubscribedToInTheNewDatabase() throws {
    let central = try Self.central(indicates: true)
    #expect(central.send("0a 1000") == ["0b0000"])
  }

  @Test func aDatabaseThatDoesNotExistIsAProblemAndPlaysEmpty() throws {
    var scenario = try Self.scenario(indicates: true)
    scenario.laterDatabases = []
    #expect(scenario.problems().filter { $0.code == .unknownDatabase }.count == 1)
    let central = TestCentral(scenario)
    central.connect()
    central.send("12 0400 0200")
    central.send("12 0d00 0100")
    central.send("1e")
    #expect(central.send("10 0100 ffff 0028") == ["011001000a"])
    for number in [0, -1, Int.max, Int.min] {
      scenario.sessions[0].database = number
      _ = scenario.problems()
      _ = scenario.document()
      let other = TestCentral(scenario)
      other.connect()
      #expect(other.send("0a 0300") == ["010a030001"])
    }
  }
}
