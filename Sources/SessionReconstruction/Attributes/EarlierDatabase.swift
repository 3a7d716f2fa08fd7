public import BLEWire

/// A server's attributes as they were on a link until a Service Changed indication.
///
/// Source: Core 5.4, Vol 3, Part G, 7.1.
public struct EarlierDatabase: Sendable, Equatable {
  public var server: LinkRole
  public var attributes: DiscoveredDatabase
  /// The indication that ended it, by its number among the link's ATT PDUs, from 1.
  public var endedBy: Int
  /// The first and the last handle of the attributes that the indication says have changed.
  public var changed: ClosedRange<AttributeHandle>
}
