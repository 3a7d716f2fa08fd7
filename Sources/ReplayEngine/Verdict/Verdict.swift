import BLEWire
import ReplayScenarios

/// Whether a central did what the recording did, and how it stood the faults.
public struct Verdict: Sendable {
  /// Why it failed; empty where it passed.
  public var failures: [String] = []
  /// What differed without failing.
  public var notes: [String] = []
  public var sessions: [SessionReport] = []
  /// Faults that fired, and those whose point was never reached.
  public var faultsFired: [Fault] = []
  public var faultsNotReached: [Fault] = []
  /// Wrong uses of the framework.
  public var misuse: [String] = []
  /// The clock at the end.
  public var time: AirInstant = .start
  /// How late events were handled, where a real clock ran.
  public var lateness: Lateness?
  /// The air's seed.
  public var seed: UInt64 = 0

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
    faultsFired = air.firedFaults
    faultsNotReached = air.unfiredFaults
    misuse = air.misuse
    if air.furtherMisuse > 0 { misuse.append("there were \(air.furtherMisuse) more wrong uses") }
    time = air.log.lines.last?.time ?? .start
    for session in sessions {
      let scenario = air.scenarios[session.peripheral]
      // Under `strict` nothing may be left over and nothing may differ.
      let strictness = scenario.match == .strict ? failOn.union([.unused, .substituted, .unmatched]) : failOn
      add(session, strictness)
    }
    failures += air.wrongFaults + air.unmetExpectations
    for guess in air.log.guesses { notes.append("\(guess)") }
    for line in misuse { if failOn.contains(.misuse) { failures.append(line) } else { notes.append(line) } }
    for fault in faultsNotReached {
      let line = "fault \(fault) was not reached"
      if failOn.contains(.notReached) { failures.append(line) } else { notes.append(line) }
    }
  }

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
      let names = session.unusedNames.prefix(5).joined(separator: "; ")
      let more = session.unused.count > 5 ? "; and \(session.unused.count - 5) more" : ""
      sort("\(place): \(session.unused.count) of \(session.counted) recorded requests were not made: \(names)\(more)", .unused)
    }
    if !session.notSendable.isEmpty {
      notes.append(
        "\(place): \(session.notSendable.count + session.furtherNotSendable) notifications were not sent, for nothing was subscribed")
    }
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

extension Verdict: CustomStringConvertible {
  /// A few lines for people: the outcome, why, and what was noted.
  public var description: String {
    var lines = ["verdict: \(passed ? "passed" : "FAILED") at \(time) s, seed \(seed)"]
    for session in sessions {
      lines.append(
        "  link \(session.link): session \(session.session + 1), \(session.consumed) of \(session.counted) recorded requests made, "
          + "\(session.begun) of \(session.spontaneous) of the device's own entries played\(session.isExcused ? ", ended by a fault" : "")")
    }
    if let lateness { lines.append("  lateness: \(lateness)") }
    for fault in faultsFired { lines.append("  fault fired: \(fault)") }
    lines += failures.map { "  failure: \($0)" }
    lines += notes.map { "  note: \($0)" }
    return lines.joined(separator: "\n")
  }
}
