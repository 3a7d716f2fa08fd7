/// How long PDUs take on the links of an air, besides what the recording tells.
///
/// A recorded latency is what the capturing host saw in all: with connection events, an answer reaches the central at the first event
/// that is not before its recorded time, and the link's own delay is never added to it.
public struct LinkTiming: Sendable, Hashable {
  /// Whether PDUs wait for connection events and share their room; interval, peripheral latency, PHY and data length are those of the
  /// session, and change when it tells so.
  public var usesConnectionEvents: Bool
  /// The connection interval instead of the session's, 7.5 ms to 4 s (Core 5.4, Vol 6, Part B, 4.5.1).
  public var interval: Duration? {
    didSet {
      interval = interval.map(Self.allowed)
      if interval != nil { usesConnectionEvents = true }
    }
  }
  /// How many packets of the link layer an end sends in one event at the most, from 1; as many as there is room for unless given.
  public var packetsPerEvent: Int? {
    didSet {
      packetsPerEvent = packetsPerEvent.map { max(1, $0) }
      if packetsPerEvent != nil { usesConnectionEvents = true }
    }
  }
  /// How long the peripheral takes to answer a request.
  public var response: LatencyModel
  /// How long a PDU is held up before it goes out, at either end; PDUs of one direction keep their order.
  public var jitter: LatencyModel
  /// How long a central waits for a peripheral that fell silent instead of the session's timeout.
  public var supervisionTimeout: Duration?

  /// Joins the parts; without any, times are those of the recording.
  public init(
    usesConnectionEvents: Bool = false, interval: Duration? = nil, packetsPerEvent: Int? = nil, response: LatencyModel = .recorded,
    jitter: LatencyModel = .recorded, supervisionTimeout: Duration? = nil
  ) {
    self.usesConnectionEvents = usesConnectionEvents || interval != nil || packetsPerEvent != nil
    self.interval = interval.map(Self.allowed)
    self.packetsPerEvent = packetsPerEvent.map { max(1, $0) }
    (self.response, self.jitter, self.supervisionTimeout) = (response, jitter, supervisionTimeout)
  }

  private static func allowed(_ interval: Duration) -> Duration { min(max(interval, .microseconds(7500)), .seconds(4)) }

  /// As recorded, with no delay of the link's own.
  public static let recorded = LinkTiming()
  /// PDUs wait for connection events as on a radio.
  public static let connectionEvents = LinkTiming(usesConnectionEvents: true)

  /// Whether a PDU may arrive later than it was sent.
  var delaysPDUs: Bool { usesConnectionEvents || jitter != .recorded }
}
