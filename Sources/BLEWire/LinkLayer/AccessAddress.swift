/// The 32 bits that begin every packet on the air and name the link, or the advertising channels, that it belongs to.
///
/// Source: Core 5.4, Vol 6, Part B, 2.1.2.
public struct AccessAddress: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  public let rawValue: UInt32
  /// Wraps an address, the octet sent first being the least significant.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The address of everything that is advertised, except periodic advertising.
  public static let advertising = AccessAddress(rawValue: 0x8E89_BED6)
  /// `0x8e89bed6`.
  public var description: String {
    hexadecimal(UInt16(truncatingIfNeeded: rawValue >> 16))
      + hexadecimal(UInt16(truncatingIfNeeded: rawValue)).dropFirst(2)
  }
}
