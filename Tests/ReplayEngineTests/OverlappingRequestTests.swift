import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// A client that does not wait for the answer to its request before it asks for the next (Core 5.4, Vol 3, Part F, 3.3.2).
struct OverlappingRequestTests {
  private static func central(_ faults: String...) throws -> TestCentral {
    let central = TestCentral(
      .small([
        TimelineEntry(at: .zero, action: .exchangeMTU(100), answer: .mtu(50), latency: .milliseconds(20)),
        TimelineEntry(at: .milliseconds(100), action: .read(AttributeHandle(3)), answer: .value([1]), latency: .milliseconds(20)),
      ]), faults: try faults.map { try Fault($0) })
    central.connect()
    return central
  }

  @Test func discoveryBeforeTheMTUIsAnsweredIsReported() throws {
    let central = try Self.central("delayMTU:600ms@phase:mtu")
    central.send("02 6400", wait: .milliseconds(500))
    central.send("10 0100 ffff 0028", wait: .milliseconds(500))
    #expect(central.received.map(\.bytes[0]).sorted() == [0x03, 0x11])
    let verdict = central.verdict
    #expect(verdict.passed && verdict.sessions[0].overlapping == 1)
    #expect(verdict.sessions[0].firstOverlap?.time == AirInstant.start.advanced(by: .milliseconds(500)))
    #expect(
      verdict.notes.contains(
        "link 1, session 1: requests that did not wait for the answer to the one before, as a client has to: 1, the first "
          + "Read By Group Type Request at 0.500000000 s"), "\(verdict.notes)")
  }

  @Test(arguments: [[], ["duplicateMTU@phase:mtu"], ["delayMTU:600ms@phase:mtu", "duplicateMTU@phase:mtu"], ["duplicate@pdu:1"]])
  func whoWaitsIsNot(faults: [String]) throws {
    let central = TestCentral(
      .small([TimelineEntry(at: .zero, action: .exchangeMTU(100), answer: .mtu(50), latency: .milliseconds(20))]),
      faults: try faults.map { try Fault($0) })
    var isAnswered = false
    central.whenReceived = { [unowned central] bytes in
      guard bytes[0] == 0x03, !isAnswered, let link = central.link else { return }
      isAnswered = true
      central.air.send(hex("10 0100 ffff 0028"), on: link)
    }
    central.connect()
    central.send("02 6400", wait: .seconds(2))
    // A command asks for no answer.
    central.send("52 0300 01", wait: .zero)
    central.send("0a 0300", wait: .zero)
    #expect(central.received.map(\.bytes[0]).filter { $0 != 0x03 } == [0x11, 0x0B])
    #expect(central.verdict.sessions[0].overlapping == 0)
    #expect(central.verdict.sessions[0].firstOverlap == nil)
  }

  @Test func eachOfManyAtOnceIsCounted() throws {
    let central = try Self.central()
    for _ in 0..<3 { central.send("02 6400", wait: .zero) }
    central.wait(.seconds(1))
    #expect(central.verdict.sessions[0].overlapping == 2)
    #expect(central.verdict.sessions[0].firstOverlap?.request == "Exchange MTU Request")
  }
}
