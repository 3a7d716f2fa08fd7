/// Where and when the auxiliary packet of an extended advertisement follows.
///
/// `channel(6 bits) clockAccuracy(1 bit) offsetUnits(1 bit) offset(13 bits) PHY(3 bits)`.
/// Source: Core 5.4, Vol 6, Part B, 2.3.4.5.
public struct AuxPointer: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt32
  /// Wraps the 24 bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue & 0xFF_FFFF }
  /// The channel's index, 0…36.
  public var channel: Int { Int(rawValue & 0x3F) }
  /// From the start of this packet, to a whole unit of 30 or 300 µs.
  public var microseconds: Int { Int(rawValue >> 8 & 0x1FFF) * (rawValue & 0x80 == 0 ? 30 : 300) }
  /// 0: 1M, 1: 2M, 2: Coded.
  public var phy: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 21) }
}
