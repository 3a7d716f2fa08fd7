public import ByteParsing

/// The header of an L2CAP PDU in basic mode: `length(2) channel(2)`, then `length` bytes.
///
/// Source: Core 5.4, Vol 3, Part A, 3.1.
public struct L2CAPHeader: Sendable, Hashable {
  /// How many bytes the header takes.
  public static let byteCount = 4

  /// The number of bytes that follow.
  public var length: Int
  public var channel: L2CAPChannel

  /// Pairs both.
  public init(length: Int, channel: L2CAPChannel) { (self.length, self.channel) = (length, channel) }

  /// Reads the first four bytes of a start fragment; `nil` where there are fewer.
  @inlinable
  package init?(parsing bytes: RawSpan) {
    guard bytes.byteCount >= 4 else { return nil }
    length = Int(bytes.uint16(at: 0))
    channel = L2CAPChannel(rawValue: bytes.uint16(at: 2))
  }

  package func write(to writer: inout ByteWriter) {
    writer.uint16(UInt16(truncatingIfNeeded: length))
    writer.uint16(channel.rawValue)
  }
}

/// A channel's number on one link.
///
/// Source: Core 5.4, Vol 3, Part A, 2.1.
public struct L2CAPChannel: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt16
  /// Wraps a number.
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let classicSignalling = L2CAPChannel(rawValue: 0x0001)
  public static let attribute = L2CAPChannel(rawValue: 0x0004)
  public static let leSignalling = L2CAPChannel(rawValue: 0x0005)
  public static let securityManager = L2CAPChannel(rawValue: 0x0006)
}
