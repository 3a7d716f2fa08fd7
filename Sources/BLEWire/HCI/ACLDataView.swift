public import ByteParsing

/// One HCI ACL data packet over borrowed bytes.
///
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// |    connection handle  |PB |BC |      data length (bytes)      | data …
/// ```
/// Source: Core 5.4, Vol 4, Part E, 5.4.2.
public struct ACLDataView: ~Escapable {
  /// Whether a packet starts an L2CAP PDU.
  public enum Boundary: UInt8, Sendable, Hashable {
    /// Start, not to be flushed: what a host sends.
    case startNonFlushable = 0
    case continuing = 1
    /// Start: what a controller sends.
    case start = 2
    /// A whole L2CAP PDU, automatically flushable.
    case complete = 3
  }

  public let handle: ConnectionHandle
  public let boundary: Boundary
  /// The length in the header.
  public let length: Int
  /// The data that is there: `length` bytes, fewer where a capture kept fewer.
  public let data: RawSpan

  /// Reads the header and takes what follows, up to its length; throws only where the header itself is cut.
  @inlinable
  @_lifetime(copy bytes)
  public init(parsing bytes: RawSpan) throws(ParseError) {
    guard bytes.byteCount >= 4 else { throw ParseError.truncated(.acl, at: 0, needed: 4, available: bytes.byteCount) }
    let flags = bytes.uint16(at: 0)
    handle = ConnectionHandle(flags & 0x0FFF)
    boundary = Boundary(rawValue: UInt8(truncatingIfNeeded: flags &>> 12) & 3) ?? .complete
    length = Int(bytes.uint16(at: 2))
    data = bytes.extracting(4..<(4 &+ Swift.min(length, bytes.byteCount &- 4)))
  }
}
