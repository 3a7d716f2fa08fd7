/// Something about a run that was a guess: the air's time went on though the app may have had something to do before.
public struct AirFinding: Sendable, Equatable, CustomStringConvertible {
  /// The air's time at which it was.
  public var time: AirInstant
  /// What was waited for.
  public var words: String

  /// The time and what was waited for.
  public var description: String { "at \(time) s the time went on by a guess: \(words)" }
}
