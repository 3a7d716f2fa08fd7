import BLEWire
public import ReplayEngine

extension Verdict {
  /// The version of the JSON form; it changes when a member goes or changes its meaning.
  public static let jsonFormat = "understudy-verdict/1"

  /// The verdict as a JSON document: members in a fixed order, bytes in hex, times in seconds as text.
  public var json: String { jsonValue.text + "\n" }

  /// The verdict as part of a larger document.
  package var jsonValue: JSONValue {
    .object([
      ("format", .string(Self.jsonFormat)),
      ("passed", .bool(passed)),
      ("time", .string("\(time)")),
      ("seed", .string("\(seed)")),
      ("lateness", lateness?.jsonValue ?? .null),
      ("failures", .strings(failures)),
      ("notes", .strings(notes)),
      ("faultsFired", .strings(faultsFired.map(\.description))),
      ("faultsNotReached", .strings(faultsNotReached.map(\.description))),
      (
        "firings",
        .array(
          firings.map {
            .object([
              ("fault", .string("\($0.fault)")), ("time", .string("\($0.time)")), ("link", .integer($0.link)), ("pdu", .integer($0.pdus)),
            ])
          })
      ),
      ("furtherFirings", .integer(furtherFirings)),
      ("misuse", .strings(misuse)),
      ("firstDivergence", firstDivergence?.jsonValue ?? .null),
      ("coverage", .array(coverage.map(\.jsonValue))),
      ("timing", timing.jsonValue),
      ("sessions", .array(sessions.map(\.jsonValue))),
      ("furtherSessions", .array(furtherSessions.map(\.jsonValue))),
    ])
  }
}

extension SessionReport.NamedEntry {
  fileprivate var jsonValue: JSONValue { .object([("entry", .integer(entry + 1)), ("request", .string(words))]) }
}

extension Verdict.Divergence {
  fileprivate var jsonValue: JSONValue {
    .object([
      ("time", .string("\(time)")), ("link", .integer(link)), ("session", .integer(session + 1)),
      ("entry", .optional(entry.map { $0 + 1 })),
      ("what", .string(words)),
    ])
  }
}

extension Lateness {
  /// Times in whole nanoseconds.
  fileprivate var jsonValue: JSONValue {
    .object([
      ("count", .integer(count)), ("median", .integer(Int(clamping: median.inNanoseconds))),
      ("p99", .integer(Int(clamping: p99.inNanoseconds))), ("longest", .integer(Int(clamping: longest.inNanoseconds))),
    ])
  }
}

extension Coverage {
  fileprivate var jsonValue: JSONValue {
    .object([
      ("peripheral", .integer(peripheral + 1)), ("playedSessions", .integer(playedSessions)), ("sessions", .integer(sessions)),
      ("exercised", .integer(exercised)), ("entries", .integer(entries)),
      (
        "attributes",
        .array(
          attributes.map {
            .object([("attribute", .string($0.name)), ("exercised", .integer($0.exercised)), ("entries", .integer($0.entries))])
          })
      ),
    ])
  }
}

extension TimingHistogram {
  /// Classes with their limits in milliseconds, from the one on and up to the other; `null` where there is none.
  fileprivate var jsonValue: JSONValue {
    let limits = Self.limits.map { Int($0 / .milliseconds(1)) }
    return .array(
      counts.enumerated().map { place, count in
        .object([
          ("from", .optional(place > 0 ? limits[place - 1] : nil)), ("to", .optional(place < limits.count ? limits[place] : nil)),
          ("count", .integer(count)),
        ])
      })
  }
}

extension FurtherSessions {
  fileprivate var jsonValue: JSONValue {
    .object([
      ("peripheral", .integer(peripheral + 1)), ("links", .integer(links)), ("consumed", .integer(consumed)),
      ("counted", .integer(counted)), ("begun", .integer(begun)), ("spontaneous", .integer(spontaneous)), ("unused", .integer(unused)),
      ("excused", .integer(excused)), ("changedErrors", .integer(changedErrors)), ("substituted", .integer(substitutions)),
      ("unmatched", .integer(nearMisses)), ("failing", .integer(failing)), ("notSent", .integer(notSendable)),
      ("timedOut", .integer(timedOut)), ("overlapping", .integer(overlapping)), ("timing", timing.jsonValue),
    ])
  }
}

extension SessionReport {
  fileprivate var jsonValue: JSONValue {
    .object([
      ("link", .integer(link)),
      ("peripheral", .integer(peripheral + 1)),
      ("session", .integer(session + 1)),
      ("consumed", .integer(consumed)),
      ("counted", .integer(counted)),
      ("begun", .integer(begun)),
      ("spontaneous", .integer(spontaneous)),
      ("endedByFault", .bool(isExcused)),
      ("unused", .array(unused.map(\.jsonValue))),
      ("excused", .array(excused.map(\.jsonValue))),
      ("changedErrors", .array(changedErrors.map(\.jsonValue))),
      ("timing", timing.jsonValue),
      (
        "substituted",
        .array(
          substitutions.map {
            .object([
              ("time", .string("\($0.time)")), ("entry", .integer($0.entry + 1)), ("attribute", .string($0.attribute)),
              ("recorded", .string(Hexadecimal.encode($0.expected))), ("got", .string(Hexadecimal.encode($0.got))),
            ])
          })
      ),
      (
        "unmatched",
        .array(
          nearMisses.map {
            .object([
              ("time", .string("\($0.time)")), ("request", .string($0.request)), ("got", .string(Hexadecimal.encode($0.got))),
              ("nearestEntry", .optional($0.expectedEntry.map { $0 + 1 })), ("nearest", .optional($0.expected)),
              ("recorded", .string(Hexadecimal.encode($0.expectedBytes))), ("position", .integer($0.position)), ("of", .integer($0.count)),
              ("stale", .optional($0.stale)), ("fails", .bool($0.fails)),
            ])
          })
      ),
      ("notSent", .array(notSendable.map { .integer($0 + 1) })),
      ("timedOut", .integer(timedOut)),
      ("overlapping", .integer(overlapping)),
      ("firstOverlap", .optional(firstOverlap.map { "\($0.request) at \($0.time)" })),
      ("furtherSubstituted", .integer(furtherSubstitutions)),
      ("furtherUnmatched", .integer(furtherNearMisses)),
      ("furtherNotSent", .integer(furtherNotSendable)),
    ])
  }
}
