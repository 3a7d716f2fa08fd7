/// What a link's two controllers agreed on.
///
/// Source: Core 5.4, Vol 4, Part E, 7.7.65.3.
public struct ConnectionParameters: Sendable, Hashable {
  /// Connection interval in units of 1.25 ms.
  public var interval: UInt16
  /// Peripheral latency in events.
  public var latency: UInt16
  /// Supervision timeout in units of 10 ms.
  public var timeout: UInt16
  /// Joins the parts.
  public init(interval: UInt16, latency: UInt16, timeout: UInt16) {
    (self.interval, self.latency, self.timeout) = (interval, latency, timeout)
  }
}

/// Connection parameters that one end asks the other for.
///
/// Source: Core 5.4, Vol 3, Part A, 4.20.
public struct ConnectionParameterRange: Sendable, Hashable {
  /// The connection intervals that would do, in units of 1.25 ms.
  public var intervalMinimum: UInt16
  public var intervalMaximum: UInt16
  /// Peripheral latency in events.
  public var latency: UInt16
  /// Supervision timeout in units of 10 ms.
  public var timeout: UInt16
  /// Joins the parts.
  public init(intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, timeout: UInt16) {
    (self.intervalMinimum, self.intervalMaximum) = (intervalMinimum, intervalMaximum)
    (self.latency, self.timeout) = (latency, timeout)
  }
}

/// A physical layer by its number in HCI; codes without a name survive.
///
/// Source: Core 5.4, Vol 4, Part E, 7.7.65.12.
public struct LinkPHY: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let le1M = LinkPHY(rawValue: 1)
  public static let le2M = LinkPHY(rawValue: 2)
  public static let leCoded = LinkPHY(rawValue: 3)
}
