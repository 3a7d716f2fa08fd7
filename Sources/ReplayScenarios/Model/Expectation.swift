/// Something that the app under test has to do; the verdict fails where it does not.
public struct Expectation: Sendable, Equatable {
  /// What is counted.
  public enum Event: Sendable, Equatable {
    case scan
    /// An attempt to connect begins, whether a connection comes of it or not.
    case attempt
    case connect
    case disconnect
    /// A read of a value, from its beginning.
    case read(AttributeHandle)
    /// A write with or without response; one in parts counts once.
    case write(AttributeHandle)
    /// Notifications or indications of a value are switched on.
    case subscribe(AttributeHandle)
    /// Nothing goes over a link for so long while it is up; each such silence counts once.
    case idle(Duration)
    /// The test, or the app, reports that it came to this point.
    case mark(String)
  }
  public var event: Event
  /// How often at least.
  public var count: Int
  /// How often at most; `nil` for any number.
  public var atMost: Int?
  /// Counted from the beginning of the run; `nil` for its end.
  public var within: Duration?
  /// The least time from one to the next.
  public var apart: Duration?
  /// A person's words.
  public var note: String?

  /// Joins the parts.
  public init(
    _ event: Event, count: Int = 1, atMost: Int? = nil, within: Duration? = nil, apart: Duration? = nil, note: String? = nil
  ) {
    (self.event, self.count, self.atMost, self.within, self.apart, self.note) = (event, count, atMost, within, apart, note)
  }
}
