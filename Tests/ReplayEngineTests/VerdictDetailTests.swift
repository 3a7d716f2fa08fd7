import ReplayScenarios
import TestSupport
import Testing

@testable import ReplayEngine

/// What a verdict says besides whether it passed, and the rules on single entries.
struct VerdictDetailTests {
  private static func required(_ entry: TimelineEntry) -> TimelineEntry {
    var entry = entry
    (entry.isRequired, entry.note) = (true, "the last write")
    return entry
  }

  private static let entries = [TimelineEntry.write(0, [1]), .read(50, [7]), required(.write(100, [2]))]

  private static func run(_ scenario: Scenario, _ pdus: [String], faults: [Fault] = []) -> TestCentral {
    let central = TestCentral(scenario, faults: faults)
    central.connect()
    for pdu in pdus { central.send(pdu, wait: .milliseconds(50)) }
    return central
  }

  // MARK: - Required entries

  @Test func aRunThatEndsBeforeARequiredEntryFails() {
    let verdict = Self.run(.small(Self.entries), ["12 0300 01", "0a 0300"]).verdict
    #expect(verdict.failures == ["session 1, entry 3 (the last write) is required, and the run ended before it"])
    #expect(Self.run(.small(Self.entries), ["12 0300 01", "12 0300 02"]).verdict.passed)
  }

  @Test func aSessionThatWasNotPlayedHasPlayedNoRequiredEntry() {
    var scenario = Scenario.small([.read(0, [7])])
    scenario.sessions.append(Session(entries: Self.entries))
    let verdict = Self.run(scenario, ["0a 0300"]).verdict
    #expect(
      verdict.failures == ["session 2, entry 3 (the last write) is required, and the run ended before it: the session was not played"])
  }

  @Test func anyOfTheLinksThatPlayASessionWillDo() {
    let central = Self.run(.small(Self.entries), ["12 0300 01", "12 0300 02"])
    central.leave()
    // The session is played once more, and not to its end.
    central.connect()
    central.send("12 0300 01")
    #expect(central.verdict.passed)
  }

  @Test func aFaultExcusesWhatItCutsOff() {
    let cut = Fault(.disconnect(.connectionTimeout), at: .pdu(2))
    let verdict = Self.run(.small(Self.entries), ["12 0300 01", "0a 0300"], faults: [cut]).verdict
    #expect(verdict.passed)
    #expect(verdict.sessions[0].excused.map(\.entry) == [1, 2])
    #expect("\(verdict)".contains("excused by a fault: link 1, 2 recorded requests"))
  }

  @Test func anEntryOfThePeripheralsMayBeRequired() {
    let notification = Self.required(.notify(60, [9], after: .entry("w"), 5))
    let scenario = Scenario.small([.write(0, [1], id: "w"), notification])
    #expect(Self.run(scenario, ["12 0400 0100", "12 0300 01"]).verdict.passed)
    #expect(Self.run(scenario, ["12 0400 0100"]).verdict.failures.count == 1)
  }

  // MARK: - Errors

  @Test func aRecordedErrorThatIsAnsweredOtherwiseFails() {
    let refused = TimelineEntry(at: .milliseconds(50), action: .read(AttributeHandle(3)), answer: .error(.insufficientAuthentication))
    let write = TimelineEntry.write(0, [1])
    // Under `stateful` what was written is what is read.
    let verdict = Self.run(.small([write, refused], match: .stateful), ["12 0300 01", "0a 0300"]).verdict
    #expect(
      verdict.failures
        == ["link 1, session 1, entry 2: Read Request FFE1 (0x0003) got an error in the recording, and was answered otherwise"])
    #expect(Self.run(.small([write, refused]), ["12 0300 01", "0a 0300"]).verdict.passed)
  }

  // MARK: - Divergence, coverage, timing

  @Test func theFirstDivergenceIsTheEarliest() throws {
    let asRecorded = Self.run(.small(Self.entries), ["12 0300 01", "0a 0300", "12 0300 02"]).verdict
    #expect(asRecorded.firstDivergence == nil)
    let other = try #require(Self.run(.small(Self.entries), ["12 0300 01", "12 0300 09", "12 0300 0a"]).verdict.firstDivergence)
    #expect(other.entry == 2 && other.time == AirInstant.start.advanced(by: .milliseconds(50)))
    #expect(other.words == "FFE1 (0x0003) was written with another value: recorded 02, got 09, equal up to byte 0")
    let unmatched = try #require(
      Self.run(.small(Self.entries), ["52 0600 01", "12 0300 09"]).verdict.firstDivergence)
    #expect(unmatched.time == .start && unmatched.words.contains("Write Command"))
    let unused = try #require(Self.run(.small(Self.entries), ["12 0300 01", "12 0300 02"]).verdict.firstDivergence)
    #expect(unused.entry == 1 && unused.words == "Read Request FFE1 (0x0003) was not made")
    #expect(unused.time == AirInstant.start.advanced(by: .milliseconds(50)))
  }

  @Test func coverageCountsEntriesAndAttributesOverAllLinks() {
    var scenario = Scenario.small(Self.entries + [.write(150, [3], handle: 6, answer: .ok)])
    scenario.sessions.append(Session(entries: [.read(0, [8])]))
    let central = Self.run(scenario, ["12 0300 01", "12 0400 0100"])
    let half = central.verdict.coverage[0]
    #expect(half.exercised == 1 && half.entries == 5)
    #expect(half.playedSessions == 1 && half.sessions == 2)
    #expect(half.attributes.map(\.name) == ["FFE1 (0x0003)", "FFE2 (0x0006)"])
    #expect(half.attributes.map(\.exercised) == [1, 0] && half.attributes.map(\.entries) == [4, 1])
    central.leave()
    central.connect()
    central.send("0a 0300")
    let verdict = central.verdict
    #expect(verdict.coverage[0].exercised == 2 && verdict.coverage[0].playedSessions == 2)
    #expect("\(verdict)".contains("coverage: 2 of 5 entries, 1 of 2 attributes, 2 of 2 sessions"))
  }

  @Test func requestsAreHeldAgainstTheirRecordedTime() {
    let scenario = Scenario.small([.write(0, [1]), .read(40, [7]), .write(1000, [2])])
    // At 0, 50 and 100 ms.
    let timing = Self.run(scenario, ["12 0300 01", "0a 0300", "12 0300 02"]).verdict.timing
    #expect(timing.total == 3)
    #expect(timing.words.map(\.words) == ["100 ms to 1 s early", "within 1 ms", "10 ms to 100 ms late"])
    #expect(timing.words.map(\.count) == [1, 1, 1])
  }

  @Test(arguments: [
    (-10_000_000_001, 0), (-10_000_000_000, 1), (-1_000_001, 4), (-1_000_000, 5), (0, 5), (999_999, 5), (1_000_000, 6), (9_999_999_999, 9),
    (10_000_000_000, 10), (Int64.min, 0), (Int64.max, 10),
  ])
  func aTimeFallsIntoItsClass(nanoseconds: Int64, place: Int) {
    var histogram = TimingHistogram()
    histogram.add(nanoseconds: nanoseconds)
    #expect(histogram.counts.firstIndex(of: 1) == place)
  }
}
