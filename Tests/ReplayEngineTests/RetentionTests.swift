import ReplayScenarios
import Testing

@testable import ReplayEngine

/// What an air keeps of a long run, and what it counts instead.
struct RetentionTests {
  /// Connects and asks for what is not on the tape, `count` times.
  private static func run(_ links: Int, _ unmatched: UnmatchedPolicy = .again, _ set: (AirCore) -> Void = { _ in }) -> AirCore {
    let read = TimelineEntry(at: .milliseconds(5), action: .read(AttributeHandle(3)), answer: .value([1]))
    let scenario = Scenario(
      unmatched: unmatched,
      database: [
        Attribute(
          handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: AttributeHandle(3))),
        Attribute(
          handle: AttributeHandle(2),
          kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x0A, value: AttributeHandle(3))),
      ], sessions: [Session(entries: [read])])
    let air = AirCore([scenario])
    set(air)
    let central = Asker(links)
    air.connect(central, to: 0)
    while air.step() {}
    return air
  }

  private final class Asker: AirCentral, @unchecked Sendable {
    private var left: Int
    init(_ links: Int) { left = links }
    func handle(_ event: AirEvent, in air: AirCore) {
      switch event {
      case .connected(let link, _): air.send(ATTPDU.writeRequest(handle: AttributeHandle(3), value: [7]).bytes, on: link)
      case .received(let link, _, _): air.disconnect(link)
      case .disconnected:
        left -= 1
        if left > 0 { air.connect(self, to: 0) }
      default: break
      }
    }
  }

  @Test func theLatestLinesAreKept() throws {
    let all = Self.run(50).log
    let some = Self.run(50) { $0.logLimit = 16 }.log
    #expect(all.lines.count == 200 && all.droppedLines == 0)
    #expect((16...18).contains(some.lines.count))
    #expect(some.droppedLines + some.lines.count == all.lines.count)
    #expect(some.lines == Array(all.lines.suffix(some.lines.count)))
    let none = Self.run(50) { $0.logLimit = 0 }
    #expect(none.log.lines.isEmpty)
    #expect(Verdict(none, seed: 0).time == all.lines.last?.time)
  }

  @Test func reportsBeyondTheLimitAreAddedUp() throws {
    let all = Verdict(Self.run(50), seed: 0)
    #expect(all.sessions.count == 50 && all.furtherSessions.isEmpty)
    let some = Verdict(Self.run(50) { $0.reports.limit = 20 }, seed: 0)
    let further = try #require(some.furtherSessions.first)
    #expect(some.sessions == Array(all.sessions.prefix(20)) && some.furtherSessions.count == 1)
    #expect(further.links == 30 && further.nearMisses == 30 && further.failing == 0)
    #expect(further.counted == 30 && further.consumed == 0 && further.unused == 30)
    #expect(some.passed && some.coverage == all.coverage && some.timing.total == all.timing.total)
    #expect(some.notes.contains("peripheral 1, 30 more links: 30 requests match nothing"))
    #expect("\(some)".contains("30 more links: 0 of 30 recorded requests made"))
  }

  /// Fewer reports, with the same things named.
  @Test func whatReportsNameIsLimitedToo() throws {
    let verdict = Verdict(Self.run(50) { $0.reports.detailLimit = 10 }, seed: 0)
    // Each names the write that matched nothing and the read that was not made.
    #expect(verdict.sessions.count == 5)
    #expect(verdict.furtherSessions.first?.links == 45)
  }

  @Test func whatIsAddedUpFailsTheVerdictAsBefore() throws {
    #expect(!Verdict(Self.run(50, .fail) { $0.reports.limit = 0 }, seed: 0).passed)
    #expect(!Verdict(Self.run(50) { $0.reports.limit = 0 }, seed: 0, failOn: .unmatched).passed)
    #expect(!Verdict(Self.run(50) { $0.reports.limit = 0 }, seed: 0, failOn: .unused).passed)
    #expect(Verdict(Self.run(50) { $0.reports.limit = 0 }, seed: 0, failOn: .substituted).passed)
  }
}
