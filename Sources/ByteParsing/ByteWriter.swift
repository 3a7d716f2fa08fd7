/// Appends integers to a byte array, least significant byte first unless named otherwise.
@frozen
public struct ByteWriter: Sendable {
  /// What was written.
  public var bytes: [UInt8]

  /// An empty writer with room for `capacity` bytes.
  @inlinable
  public init(capacity: Int = 32) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// One byte.
  @inlinable
  public mutating func uint8(_ value: UInt8) { bytes.append(value) }

  /// Two bytes, little-endian.
  @inlinable
  public mutating func uint16(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value))
    bytes.append(UInt8(truncatingIfNeeded: value &>> 8))
  }

  /// Four bytes, little-endian.
  @inlinable
  public mutating func uint32(_ value: UInt32) {
    uint16(UInt16(truncatingIfNeeded: value))
    uint16(UInt16(truncatingIfNeeded: value &>> 16))
  }

  /// The low 48 bits, little-endian.
  @inlinable
  public mutating func uint48(_ value: UInt64) {
    uint32(UInt32(truncatingIfNeeded: value))
    uint16(UInt16(truncatingIfNeeded: value &>> 32))
  }

  /// Eight bytes, little-endian.
  @inlinable
  public mutating func uint64(_ value: UInt64) {
    uint32(UInt32(truncatingIfNeeded: value))
    uint32(UInt32(truncatingIfNeeded: value &>> 32))
  }

  /// Four bytes, big-endian.
  @inlinable
  public mutating func uint32BigEndian(_ value: UInt32) { uint32(value.byteSwapped) }

  /// Eight bytes, big-endian.
  @inlinable
  public mutating func uint64BigEndian(_ value: UInt64) { uint64(value.byteSwapped) }

  /// Bytes as they are.
  @inlinable
  public mutating func append(_ other: [UInt8]) { bytes.append(contentsOf: other) }

  /// Borrowed bytes as they are.
  @inlinable
  public mutating func append(_ other: RawSpan) { bytes.append(contentsOf: other) }
}
