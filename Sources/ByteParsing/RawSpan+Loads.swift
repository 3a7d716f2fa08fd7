/// Checked loads at a known place; an index outside the span stops the program, so callers check the length once before.
extension RawSpan {
  /// One byte at `offset`.
  @inlinable
  public func uint8(at offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

  /// Two bytes at `offset`, little-endian.
  @inlinable
  public func uint16(at offset: Int) -> UInt16 {
    unsafe UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// Four bytes at `offset`, little-endian.
  @inlinable
  public func uint32(at offset: Int) -> UInt32 {
    unsafe UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// Eight bytes at `offset`, little-endian.
  @inlinable
  public func uint64(at offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// A copy of the bytes.
  @inlinable
  public var array: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }

  /// The bytes from `start` on, or none where the span is shorter.
  @inlinable
  @_lifetime(copy self)
  public func suffix(from start: Int) -> RawSpan { extracting(Swift.min(start, byteCount)..<byteCount) }
}

extension [UInt8] {
  /// The array's bytes, borrowed.
  @inlinable public var byteSpan: RawSpan { @_lifetime(borrow self) get { unsafe span.bytes } }

  /// Adds a copy of borrowed bytes at the end.
  @inlinable
  public mutating func append(contentsOf bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}
