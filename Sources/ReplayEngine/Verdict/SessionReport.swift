import BLEWire

/// What one connection did with its session.
public struct SessionReport: Sendable, Equatable {
  /// A request that took the place of another.
  public struct Substitution: Sendable, Equatable {
    public var time: AirInstant
    /// The entry's number in its session, from 0.
    public var entry: Int
    public var attribute: String
    public var expected: [UInt8]
    public var got: [UInt8]
  }

  /// A request that matched nothing, and what it came nearest to.
  public struct NearMiss: Sendable, Equatable {
    public var time: AirInstant
    /// What was asked, in words.
    public var request: String
    /// The bytes that were asked with; empty for a read.
    public var got: [UInt8]
    /// The entry that the tape had next, where there is one.
    public var expectedEntry: Int?
    /// That entry, in words.
    public var expected: String?
    /// Its bytes.
    public var expectedBytes: [UInt8]
    /// How many entries of those that count had been consumed, of how many.
    public var position: Int
    public var count: Int
    /// What the request got.
    public var answer: String
    /// What the handle was in an earlier database, where it is not that any more: the app went on with what it had discovered before.
    public var stale: String?
    /// Whether the scenario lets it fail the verdict.
    public var fails = false
  }

  /// A request that came before the answer to the one before.
  public struct Overlap: Sendable, Equatable {
    public var time: AirInstant
    /// What was asked, in words.
    public var request: String
  }

  /// An entry with what it is in words.
  public struct NamedEntry: Sendable, Equatable {
    /// The entry's number in its session, from 0.
    public var entry: Int
    public var words: String
    /// Joins both.
    public init(entry: Int, words: String) { (self.entry, self.words) = (entry, words) }
  }

  /// The link's number in the run, from 1.
  public var link: Int
  /// The scenario's place among the air's, from 0, and the session's in it.
  public var peripheral: Int
  public var session: Int
  /// Entries that count and were consumed, and all that count.
  public var consumed = 0
  public var counted = 0
  /// Entries that the peripheral began, and all that it could have begun.
  public var begun = 0
  public var spontaneous = 0
  /// Entries that count and were not consumed; empty where a fault excuses them.
  public var unused: [NamedEntry] = []
  public var substitutions: [Substitution] = []
  public var nearMisses: [NearMiss] = []
  /// Notifications and indications that had no subscription and were not sent, by entry.
  public var notSendable: [Int] = []
  /// Entries that a fault excuses: they count, and were not consumed.
  public var excused: [NamedEntry] = []
  /// Requests that got an error in the recording, and something else here.
  public var changedErrors: [NamedEntry] = []
  /// How often the peripheral ended the link, or a channel of Enhanced ATT, for the central had left an indication or a request unanswered
  /// for 30 s (Core 5.4, Vol 3, Part F, 3.3.3).
  public var timedOut = 0
  /// How many requests came before the answer to the one before on their bearer, which no client may do (Core 5.4, Vol 3, Part F, 3.3.2);
  /// when the first did, and what it was.
  public var overlapping = 0
  public var firstOverlap: Overlap?
  /// Attributes that rules in code name and the device does not have.
  public var unknownAttributes: [String] = []
  /// When requests came, against the recording.
  public var timing = TimingHistogram()
  /// How many more of each there were than the first 1,000, which are kept: an app may go wrong without end.
  public var furtherSubstitutions = 0
  public var furtherNearMisses = 0
  public var furtherNotSendable = 0
  /// Whether a fault ended the session, so that what is missing behind it is excused.
  public var isExcused = false
  /// The number, from 0, of the entry from which on what is missing may be a fault's doing and is excused.
  public var excusedFrom: Int?
  /// The first entry that is excused; past all entries where none is.
  var firstExcused: Int { isExcused ? 0 : excusedFrom ?? .max }

  /// How many of a kind are kept.
  static let limit = 1000

  mutating func add(_ substitution: Substitution) {
    if substitutions.count < Self.limit { substitutions.append(substitution) } else { furtherSubstitutions += 1 }
  }

  /// Adds a near miss where there is room; it is made only then, for that takes time.
  mutating func addNearMiss(_ miss: @autoclosure () -> NearMiss) {
    if nearMisses.count < Self.limit { nearMisses.append(miss()) } else { furtherNearMisses += 1 }
  }

  mutating func addChangedError(_ entry: Int, _ words: @autoclosure () -> String) {
    guard changedErrors.count < Self.limit, !changedErrors.contains(where: { $0.entry == entry }) else { return }
    changedErrors.append(NamedEntry(entry: entry, words: words()))
  }

  mutating func addOverlap(_ request: ATTOpcode, at time: AirInstant) {
    overlapping += 1
    if firstOverlap == nil { firstOverlap = Overlap(time: time, request: "\(request)") }
  }

  mutating func addNotSendable(_ entry: Int) {
    if notSendable.count < Self.limit { notSendable.append(entry) } else { furtherNotSendable += 1 }
  }
}
