/// The octet before a packet on the UART transport (H4), which says what the packet is.
///
/// Source: Core 5.4, Vol 4, Part A, 2.
public struct HCIPacketType: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an indicator.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let command = HCIPacketType(rawValue: 1)
  public static let aclData = HCIPacketType(rawValue: 2)
  public static let synchronousData = HCIPacketType(rawValue: 3)
  public static let event = HCIPacketType(rawValue: 4)
  public static let isochronousData = HCIPacketType(rawValue: 5)
}
