import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// PDUs on their way over a link, and what faults do to them there.
struct LinkPathTests {
  private static func pdu(_ byte: UInt8) -> TransitPDU { TransitPDU(bytes: [byte], bearer: 0) }
  private static func at(_ milliseconds: Int64) -> AirInstant { AirInstant(nanoseconds: milliseconds * 1_000_000) }

  /// Takes what has arrived by then.
  private static func take(_ path: inout LinkPath, at milliseconds: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    while let pdu = path.next(at: at(milliseconds)) { bytes += pdu.bytes }
    return bytes
  }

  @Test func orderIsKept() {
    var path = LinkPath()
    #expect(path.isClear && path.nextArrival == nil)
    path.enter(Self.pdu(1), arriving: Self.at(50))
    path.enter(Self.pdu(2), arriving: Self.at(10))
    #expect(!path.isClear && path.nextArrival == Self.at(50))
    #expect(Self.take(&path, at: 49) == [])
    #expect(Self.take(&path, at: 50) == [1, 2])
    #expect(path.isClear)
  }

  @Test func whatIsPutBackHoldsUpTheRest() {
    var path = LinkPath()
    for byte in UInt8(1)...3 { path.enter(Self.pdu(byte), arriving: Self.at(0)) }
    #expect(path.next(at: Self.at(0))?.bytes == [1])
    path.putBack(Self.pdu(1), arriving: Self.at(20))
    #expect(Self.take(&path, at: 19) == [])
    #expect(Self.take(&path, at: 20) == [1, 2, 3])
    path.putBack(Self.pdu(4), arriving: Self.at(30))
    #expect(Self.take(&path, at: 30) == [4])
  }

  @Test func oneIsOvertakenByTheNext() {
    var path = LinkPath()
    var late = Self.pdu(1)
    late.overtakenUntil = Self.at(1000)
    path.enter(late, arriving: Self.at(0))
    #expect(Self.take(&path, at: 999) == [] && path.nextArrival == Self.at(1000))
    path.enter(Self.pdu(2), arriving: Self.at(999))
    #expect(path.nextArrival == Self.at(999))
    #expect(Self.take(&path, at: 999) == [2, 1])
    path.enter(late, arriving: Self.at(0))
    #expect(Self.take(&path, at: 1000) == [1])
  }

  @Test func manyPDUsTakeTimeInProportion() {
    var path = LinkPath()
    for number in 0..<100_000 { path.enter(Self.pdu(UInt8(number & 0xFF)), arriving: Self.at(Int64(number))) }
    for number in 0..<100_000 { #expect(path.next(at: Self.at(Int64(number)))?.bytes == [UInt8(number & 0xFF)]) }
    #expect(path.isClear)
  }

  // MARK: - Faults

  private static let scenario: Scenario = {
    let command = { (at: Int, value: UInt8) in
      TimelineEntry(at: .milliseconds(at), action: .writeCommand(AttributeHandle(6), [value]))
    }
    return .small([
      .write(0, [1, 0], handle: 4), .read(20, [7]), command(40, 1), command(50, 2), .write(60, [1]),
      .notify(100, [0xAA], after: .connection, 100), .notify(110, [0xBB], after: .connection, 110),
    ])
  }()

  /// What the log says of faults and of PDUs that did not arrive as they were sent, with the time in milliseconds.
  private static func lines(_ fault: String, seed: UInt64 = 0) throws -> [String] {
    ScenarioReplay(scenario, faults: [try Fault(fault)], seed: seed).log.lines.compactMap { line in
      switch line.event {
      case .fault, .arrived, .lost:
        "\(line.time.nanoseconds / 1_000_000)" + AirLog.describe(line).drop { $0 != " " }.dropFirst(2)
      default: nil
      }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var fault: String
    var lines: [String]
    var testDescription: String { fault }
  }

  @Test(arguments: [
    Case(fault: "delay:5ms@before:entry:1.3", lines: ["40 fault delay:5ms@before:entry:1.3", "45 arrived > 52060001"]),
    // What comes behind a late PDU does not overtake it.
    Case(
      fault: "delay:15ms@before:entry:1.3",
      lines: ["40 fault delay:15ms@before:entry:1.3", "55 arrived > 52060001"]),
    Case(fault: "drop@before:write:FFE2#2", lines: ["50 fault drop@before:write:FFE2#2", "50 lost > 52060002"]),
    Case(
      fault: "duplicate@before:entry:1.3",
      lines: ["40 fault duplicate@before:entry:1.3", "40 arrived > 52060001", "40 arrived > 52060001"]),
    Case(fault: "reorder@before:entry:1.3", lines: ["40 fault reorder@before:entry:1.3", "50 arrived > 52060001"]),
    Case(fault: "corrupt:3^0x80@before:entry:1.3", lines: ["40 fault corrupt:3^0x80@before:entry:1.3", "40 arrived > 52060081"]),
    Case(fault: "drop@before:notification:FFE1", lines: ["100 fault drop@before:notification:FFE1", "100 lost < 1b0300aa"]),
    Case(fault: "delay:5ms@pdu:4", lines: ["30 fault delay:5ms@pdu:4", "35 arrived < 0b07"]),
    Case(fault: "reorder@before:notification:FFE1", lines: ["100 fault reorder@before:notification:FFE1", "110 arrived < 1b0300aa"]),
    // At a time there is no PDU: the next one is meant.
    Case(fault: "drop@time:45ms", lines: ["50 fault drop@time:45ms", "50 lost > 52060002"]),
    Case(fault: "drop@after:entry:1.3", lines: ["50 fault drop@after:entry:1.3", "50 lost > 52060002"]),
    Case(
      fault: "drop@before:write:FFE2*all",
      lines: [
        "40 fault drop@before:write:FFE2*all", "40 lost > 52060001", "50 fault drop@before:write:FFE2*all", "50 lost > 52060002",
      ]),
    Case(fault: "drop@before:write:FFE2*0", lines: []), Case(fault: "drop@before:write:FFE2~0", lines: []),
  ])
  func whatIsDoneToAPDU(case test: Case) throws { #expect(try Self.lines(test.fault) == test.lines) }

  @Test func whatIsOffLeavesNoTrace() throws {
    let whole = ScenarioReplay(Self.scenario)
    #expect(whole.differences == [])
    for text in ["drop@pdu:1*0", "drop@pdu:1*all~0", "disconnect@time:50ms*0", "duplicate@phase:subscribing~0"] {
      let replay = ScenarioReplay(Self.scenario, faults: [try Fault(text)])
      #expect(replay.log.text == whole.log.text)
      #expect(replay.verdict.notes == whole.verdict.notes)
    }
  }

  @Test func theSeedDecidesWhatIsLikely() throws {
    let fault = "delay:1ms@pdu:1*all~0.5"
    let logs = try (0..<8).map { try Self.lines(fault, seed: $0) }
    #expect(try logs == (0..<8).map { try Self.lines(fault, seed: $0) })
    #expect(Set(logs).count > 4)
    let bits = try (0..<8).map { try Self.lines("corrupt@pdu:1", seed: $0) }
    #expect(Set(bits).count > 4)
  }
}
