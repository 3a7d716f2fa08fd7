import BLEWire
import ReplayScenarios

/// Whether a central did what the recording did, and how it stood the faults.
public struct Verdict: Sendable {
  /// Why it failed; empty where it passed.
  public var failures: [String] = []
  /// What differed without failing.
  public var notes: [String] = []
  /// One for each link, for as many as the air's ``VirtualAir/reportLimit`` lets it keep.
  public var sessions: [SessionReport] = []
  /// What came of the links beyond these, by peripheral; empty where there were none.
  public var furtherSessions: [FurtherSessions] = []
  /// Faults that fired, and those whose point was never reached.
  public var faultsFired: [Fault] = []
  public var faultsNotReached: [Fault] = []
  /// Each time that a fault took effect, the first 1,000, and how many more there were.
  public var firings: [FaultFiring] = []
  public var furtherFirings = 0
  /// Wrong uses of the framework.
  public var misuse: [String] = []
  /// The first thing that an app did otherwise than recorded, or did not do; `nil` where all was as recorded.
  public var firstDivergence: Divergence?
  /// How much of each scenario was exercised, in the order of the air's peripherals.
  public var coverage: [Coverage] = []
  /// The clock at the end.
  public var time: AirInstant = .start
  /// How late events were handled, where a real clock ran.
  public var lateness: Lateness?
  /// The air's seed.
  public var seed: UInt64 = 0

  /// When requests came, against the recording, in all sessions.
  public var timing: TimingHistogram {
    furtherSessions.reduce(sessions.reduce(TimingHistogram()) { $0 + $1.timing }) { $0 + $1.timing }
  }

  /// Where a run and its recording part.
  public struct Divergence: Sendable, Equatable {
    /// When it was; of something that was not done, when it would have been recorded, counted from its session's beginning.
    public var time: AirInstant
    public var link: Int
    /// The session's number, and the entry's where there is one, from 0.
    public var session: Int
    public var entry: Int?
    /// What it was.
    public var words: String
  }

  /// Whether nothing failed.
  public var passed: Bool { failures.isEmpty }

  /// What else makes a verdict fail.
  public struct Strictness: OptionSet, Sendable {
    public let rawValue: Int
    /// Wraps bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// An entry that was not consumed.
    public static let unused = Strictness(rawValue: 1)
    /// An entry that another value took the place of.
    public static let substituted = Strictness(rawValue: 2)
    /// A request that matched nothing.
    public static let unmatched = Strictness(rawValue: 4)
    /// A wrong use of the framework.
    public static let misuse = Strictness(rawValue: 8)
    /// A fault whose point was not reached.
    public static let notReached = Strictness(rawValue: 16)
  }

  package init(_ air: AirCore, seed: UInt64, failOn: Strictness = [], lateness: Lateness? = nil) {
    (self.seed, self.lateness) = (seed, lateness)
    sessions = air.sessionReports
    furtherSessions = air.reports.further
    faultsFired = air.firedFaults
    faultsNotReached = air.unfiredFaults
    (firings, furtherFirings) = air.firings
    misuse = air.exceptions + air.misuse
    if air.furtherMisuse > 0 { misuse.append("there were \(air.furtherMisuse) more wrong uses") }
    time = air.log.lastTime
    coverage = air.coverage
    firstDivergence = Self.firstDivergence(sessions, air)
    for session in sessions {
      add(session, Self.strictness(air, session.peripheral, failOn))
    }
    for further in furtherSessions { add(further, Self.strictness(air, further.peripheral, failOn)) }
    for number in air.deviceRules.keys.sorted() where !air.scenarios.indices.contains(number) {
      failures.append("a rule is for peripheral \(number + 1), and the air has \(air.peripheralCount)")
    }
    failures += air.wrongFaults + air.faults.surplus + air.unmetExpectations + air.missingEntries
    for guess in air.log.guesses { notes.append("\(guess)") }
    failures += air.exceptions
    for line in misuse.dropFirst(air.exceptions.count) { if failOn.contains(.misuse) { failures.append(line) } else { notes.append(line) } }
    for fault in faultsNotReached {
      let line = "fault \(fault) was not reached"
      if failOn.contains(.notReached) { failures.append(line) } else { notes.append(line) }
    }
  }

  /// Under `strict` nothing may be left over and nothing may differ.
  private static func strictness(_ air: AirCore, _ peripheral: Int, _ failOn: Strictness) -> Strictness {
    air.scenarios[peripheral].match == .strict ? failOn.union([.unused, .substituted, .unmatched]) : failOn
  }

  private mutating func add(_ further: FurtherSessions, _ strictness: Strictness) {
    let place = "peripheral \(further.peripheral + 1), \(further.links) more links"
    func sort(_ count: Int, _ words: String, _ kind: Strictness?) {
      guard count > 0 else { return }
      let line = "\(place): \(count) \(words)"
      if kind.map(strictness.contains) ?? true { failures.append(line) } else { notes.append(line) }
    }
    sort(further.failing, "requests match nothing, and the scenario lets them fail", nil)
    sort(further.nearMisses - further.failing, "requests match nothing", .unmatched)
    sort(further.substitutions, "writes had another value", .substituted)
    sort(further.unused, "recorded requests were not made", .unused)
    sort(further.changedErrors, "requests got an error in the recording, and were answered otherwise", nil)
    if further.timedOut > 0 {
      notes.append("\(place): \(further.timedOut) of them, or of their channels, \(Self.endedForWantOfAnAnswer)")
    }
    if further.overlapping > 0 { notes.append("\(place): \(Self.cameTooEarly): \(further.overlapping)") }
    if further.notSendable > 0 { notes.append("\(place): \(Self.notSent(further.notSendable))") }
  }

  private static func notSent(_ count: Int) -> String {
    "\(count == 1 ? "1 value was" : "\(count) values were") not sent, for nothing was subscribed"
  }
  private static let cameTooEarly = "requests that did not wait for the answer to the one before, as a client has to"
  private static let endedForWantOfAnAnswer =
    "was ended by the peripheral, for the central had not answered an indication or a request for 30 s"

  private mutating func add(_ session: SessionReport, _ strictness: Strictness) {
    let place = "link \(session.link), session \(session.session + 1)"
    func sort(_ line: String, _ kind: Strictness) { if strictness.contains(kind) { failures.append(line) } else { notes.append(line) } }
    for miss in session.nearMisses {
      let line = "\(place): \(Self.describe(miss))"
      if miss.fails { failures.append(line) } else { sort(line, .unmatched) }
    }
    if session.furtherNearMisses > 0 { sort("\(place): \(session.furtherNearMisses) more requests match nothing", .unmatched) }
    for substitution in session.substitutions {
      sort(
        "\(place), entry \(substitution.entry + 1) at \(substitution.time) s: \(substitution.attribute) was written with another value"
          + Self.difference(expected: substitution.expected, got: substitution.got), .substituted)
    }
    if session.furtherSubstitutions > 0 {
      sort("\(place): \(session.furtherSubstitutions) more writes had another value", .substituted)
    }
    if !session.unused.isEmpty {
      sort(
        "\(place): \(session.unused.count) of \(session.counted) recorded requests were not made: \(Self.list(session.unused))", .unused)
    }
    for error in session.changedErrors {
      failures.append("\(place), entry \(error.entry + 1): \(error.words) got an error in the recording, and was answered otherwise")
    }
    for name in session.unknownAttributes { failures.append("\(place): a rule names \(name), and the device has no such attribute") }
    if let first = session.firstOverlap {
      notes.append("\(place): \(Self.cameTooEarly): \(session.overlapping), the first \(first.request) at \(first.time) s")
    }
    if session.timedOut > 0 {
      notes.append("\(place): it, or a channel of it, \(Self.endedForWantOfAnAnswer)")
    }
    if !session.notSendable.isEmpty {
      notes.append("\(place): \(Self.notSent(session.notSendable.count + session.furtherNotSendable))")
    }
  }

  /// The first few of a list.
  private static func list(_ entries: [SessionReport.NamedEntry]) -> String {
    entries.prefix(5).map(\.words).joined(separator: "; ") + (entries.count > 5 ? "; and \(entries.count - 5) more" : "")
  }

  /// The earliest of what matched nothing and of what was written otherwise; else the first entry that was left out.
  private static func firstDivergence(_ sessions: [SessionReport], _ air: AirCore) -> Divergence? {
    var found: [Divergence] = []
    for session in sessions {
      func add(_ time: AirInstant, _ entry: Int?, _ words: String) {
        found.append(Divergence(time: time, link: session.link, session: session.session, entry: entry, words: words))
      }
      if let miss = session.nearMisses.first { add(miss.time, miss.expectedEntry, describe(miss)) }
      if let other = session.substitutions.first {
        add(
          other.time, other.entry,
          "\(other.attribute) was written with another value" + difference(expected: other.expected, got: other.got))
      }
    }
    if let first = found.min(by: { $0.time < $1.time }) { return first }
    for session in sessions {
      guard let unused = session.unused.first else { continue }
      let entries = air.scenarios[session.peripheral].sessions[safely: session.session]?.entries
      let time = AirInstant.start.advanced(by: entries?[safely: unused.entry]?.at ?? .zero)
      return Divergence(
        time: time, link: session.link, session: session.session, entry: unused.entry, words: "\(unused.words) was not made")
    }
    return nil
  }

  private static func describe(_ miss: SessionReport.NearMiss) -> String {
    var text = "at \(miss.time) s, \(miss.request) matches nothing on the tape (\(miss.position) of \(miss.count) consumed)"
    if let expected = miss.expected, let entry = miss.expectedEntry { text += "; next is entry \(entry + 1): \(expected)" }
    if !miss.expectedBytes.isEmpty, !miss.got.isEmpty { text += difference(expected: miss.expectedBytes, got: miss.got) }
    if let stale = miss.stale { text += "; the handle is stale: \(stale)" }
    return text + "; it was \(miss.answer)"
  }

  /// Both values, and where they part.
  private static func difference(expected: [UInt8], got: [UInt8]) -> String {
    let common = zip(expected, got).prefix { $0 == $1 }.count
    return ": recorded \(Hexadecimal.encode(expected)), got \(Hexadecimal.encode(got)), equal up to byte \(common)"
  }
}

extension Array {
  /// The element at a place, where there is one.
  fileprivate subscript(safely place: Int) -> Element? { indices.contains(place) ? self[place] : nil }
}
