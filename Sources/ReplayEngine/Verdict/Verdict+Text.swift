extension Verdict: CustomStringConvertible {
  /// A few lines for people: the outcome, why, and what was noted.
  public var description: String {
    var lines = ["verdict: \(passed ? "passed" : "FAILED") at \(time) s, seed \(seed)"]
    for session in sessions {
      lines.append(
        "  link \(session.link): session \(session.session + 1), \(session.consumed) of \(session.counted) recorded requests made, "
          + "\(session.begun) of \(session.spontaneous) of the device's own entries played\(session.isExcused ? ", ended by a fault" : "")")
    }
    for further in furtherSessions {
      lines.append(
        "  \(further.links) more links\(coverage.count > 1 ? " to peripheral \(further.peripheral + 1)" : ""): \(further.consumed) of "
          + "\(further.counted) recorded requests made, \(further.begun) of \(further.spontaneous) of the device's own entries played")
    }
    if let first = firstDivergence {
      lines.append(
        "  first divergence: link \(first.link), session \(first.session + 1)\(first.entry.map { ", entry \($0 + 1)" } ?? ""): \(first.words)"
      )
    }
    for part in coverage {
      let attributes = part.attributes.filter { $0.exercised > 0 }.count
      lines.append(
        "  coverage\(coverage.count > 1 ? " of peripheral \(part.peripheral + 1)" : ""): \(part.exercised) of \(part.entries) entries, "
          + "\(attributes) of \(part.attributes.count) attributes, \(part.playedSessions) of \(part.sessions) sessions")
    }
    if timing.total > 0 {
      lines.append(
        "  requests against their recorded time: " + timing.words.map { "\($0.count) \($0.words)" }.joined(separator: ", "))
    }
    for session in sessions where !session.excused.isEmpty {
      lines.append("  excused by a fault: link \(session.link), \(session.excused.count) recorded requests")
    }
    if let lateness { lines.append("  lateness: \(lateness)") }
    for firing in firings.prefix(20) { lines.append("  fault fired: \(firing)") }
    let further = firings.count - 20 + furtherFirings
    if further > 0 { lines.append("  fault fired: \(further) more times") }
    lines += failures.map { "  failure: \($0)" }
    lines += notes.map { "  note: \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension Verdict {
  /// The failures without their numbers and bytes, in order: two runs that fail for one reason have one in common.
  package var failureKinds: [String] { failures.map(Self.kind) }

  static func kind(_ failure: String) -> String {
    let words = failure.split(separator: " ").map { word in
      word.contains { $0.isNumber } ? "#" : String(word)
    }
    return words.joined(separator: " ")
  }
}
