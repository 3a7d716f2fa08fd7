import ReplayScenarios
import TestSupport
import Testing

/// Clients end discovery by one of two rules, and come to an end with either.
struct DiscoveryEndTests {
  enum Rule: CaseIterable, Sendable {
    /// Asks on until an error comes.
    case attributeNotFound
    /// Asks on until a service reaches the last handle there is, or an error comes.
    case lastHandle
  }

  /// A device whose last service ends where its attributes do, or at 0xFFFF, as many devices say; of another nothing is known.
  static func scenario(end: UInt16) -> Scenario {
    func service(_ handle: UInt16, _ uuid: UInt16, _ end: UInt16) -> Attribute {
      Attribute(
        handle: AttributeHandle(handle), kind: .service(uuid: BluetoothUUID(uuid), primary: true, end: AttributeHandle(end)))
    }
    var database = [service(1, 0x1800, 5), service(6, 0x1801, 9), service(10, 0x180F, 12), service(13, 0x180D, end)]
    for (place, handle) in [2, 7, 11, 14].enumerated() as EnumeratedSequence<[UInt16]> {
      database.append(
        Attribute(
          handle: AttributeHandle(handle),
          kind: .characteristic(
            uuid: BluetoothUUID([0x2A00, 0x2A05, 0x2A19, 0x2A37][place] as UInt16), properties: 2, value: AttributeHandle(handle + 1)),
          content: [1]))
    }
    return Scenario(database: database.sorted { $0.handle < $1.handle })
  }

  /// Asks by group or by type from one handle on; tells what was found, how many requests it took, and the error that ended it.
  private static func discover(_ central: TestCentral, _ type: String, _ rule: Rule) throws -> (
    found: [UInt16], requests: Int, error: UInt8?
  ) {
    var (start, found, requests): (UInt16, [UInt16], Int) = (1, [], 0)
    while requests < 50 {
      requests += 1
      let opcode = type == "0028" ? "10" : "08"
      let low = Hexadecimal.encode([UInt8(start & 0xFF), UInt8(start >> 8)])
      let answer = hex(try #require(central.send("\(opcode) \(low) ffff \(type)", wait: .milliseconds(1)).first))
      if answer[0] == 0x01 { return (found, requests, answer[4]) }
      let size = Int(answer[1])
      var last: UInt16 = 0
      for place in stride(from: 2, to: answer.count, by: size) {
        found.append(UInt16(answer[place]) | UInt16(answer[place + 1]) << 8)
        last = opcode == "10" ? UInt16(answer[place + 2]) | UInt16(answer[place + 3]) << 8 : found[found.count - 1]
      }
      if rule == .lastHandle, last == 0xFFFF { return (found, requests, nil) }
      // A client that knows no better asks from 0 on.
      start = last &+ 1
    }
    Issue.record("discovery does not end")
    return (found, requests, nil)
  }

  @Test(arguments: Rule.allCases, [15, 0xFFFF] as [UInt16])
  func bothRulesEnd(rule: Rule, end: UInt16) throws {
    let scenario = Self.scenario(end: end)
    #expect(scenario.problems() == [])
    let central = TestCentral(scenario)
    central.connect()
    let services = try Self.discover(central, "0028", rule)
    #expect(services.found == [1, 6, 10, 13])
    // Attribute Not Found, or Invalid Handle for a range that begins with 0.
    #expect(services.error == (end == 0xFFFF ? rule == .lastHandle ? nil : 0x01 : 0x0A))
    #expect(services.requests == (rule == .lastHandle && end == 0xFFFF ? 2 : 3))
    let characteristics = try Self.discover(central, "0328", rule)
    #expect(characteristics.found == [2, 7, 11, 14] && characteristics.error == 0x0A)
    #expect(central.ended == nil && central.verdict.passed)
  }
}
