public import BLEWire

/// Why the peripheral did something by itself: a cause, how long after it, and what calls it off meanwhile.
public struct Anchor: Sendable, Equatable {
  /// What has to happen first.
  public enum Cause: Sendable, Hashable {
    /// The link came up.
    case connection
    /// An entry was completed: a request when its answer was sent, a command when it arrived, an indication when it was confirmed.
    case entry(String)
    /// A request arrived; its answer is still to come.
    case request(String)
    /// The entry that the peripheral began on the same attribute before this one (for a disconnection: the entry before it).
    case previous
    /// Nothing went over the link, in either direction, for as long as the anchor's delay says.
    case idle
    /// One more `count` of writes and commands to an attribute arrived; the first of these entries waits for the first `count`.
    ///
    /// Counting begins with the link, or anew each time the entry named `since` is completed.
    case every(count: Int, write: AttributeHandle, since: String?)
  }

  /// What calls an entry off that waits for its time; the end of the link always does.
  public struct Cancellation: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    /// Wraps bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The central unsubscribes from the entry's attribute.
    public static let unsubscribe = Cancellation(rawValue: 1)
    /// The central writes once more to the attribute whose write, at the beginning of the chain, is the cause.
    public static let write = Cancellation(rawValue: 2)
  }

  public var cause: Cause
  public var delay: Duration
  public var cancel: Cancellation
  /// Joins them.
  public init(_ cause: Cause, delay: Duration, cancel: Cancellation = .unsubscribe) {
    (self.cause, self.delay, self.cancel) = (cause, delay, cancel)
  }
}
