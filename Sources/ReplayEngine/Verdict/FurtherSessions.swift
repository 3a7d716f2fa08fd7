/// What the links to one peripheral came to together, beyond those of which a report is kept in full.
public struct FurtherSessions: Sendable, Equatable {
  /// The scenario's place among the air's, from 0.
  public var peripheral: Int
  public var links = 0
  /// Entries that count and were consumed, and all that count.
  public var consumed = 0
  public var counted = 0
  /// Entries that the peripheral began, and all that it could have begun.
  public var begun = 0
  public var spontaneous = 0
  /// Entries that count and were not consumed, and those of them that a fault excuses.
  public var unused = 0
  public var excused = 0
  public var substitutions = 0
  /// Requests that matched nothing, and those of them that the scenario lets fail the verdict.
  public var nearMisses = 0
  public var failing = 0
  /// Requests that got an error in the recording, and something else here.
  public var changedErrors = 0
  /// Values of the peripheral's that had no subscription.
  public var notSendable = 0
  /// How often the peripheral ended a link or a channel, for the central had not answered for 30 s.
  public var timedOut = 0
  /// Requests that came before the answer to the one before on their bearer.
  public var overlapping = 0
  /// When requests came, against the recording.
  public var timing = TimingHistogram()

  init(peripheral: Int) { self.peripheral = peripheral }

  /// Adds a link's report.
  mutating func add(_ report: SessionReport) {
    links += 1
    consumed += report.consumed
    counted += report.counted
    begun += report.begun
    spontaneous += report.spontaneous
    unused += report.unused.count
    excused += report.excused.count
    substitutions += report.substitutions.count + report.furtherSubstitutions
    nearMisses += report.nearMisses.count + report.furtherNearMisses
    failing += report.nearMisses.count(where: \.fails)
    changedErrors += report.changedErrors.count
    notSendable += report.notSendable.count + report.furtherNotSendable
    timedOut += report.timedOut
    overlapping += report.overlapping
    timing = timing + report.timing
  }
}
