/// A cursor over borrowed bytes that reads checked integers and slices, least significant byte first unless named otherwise.
@frozen
public struct ByteReader: ~Escapable {
  @usableFromInline let span: RawSpan
  @usableFromInline let layer: ParseLayer
  /// Bytes consumed so far.
  public var offset: Int

  /// Starts at the first byte of `span`; `layer` names the parser in errors.
  @inlinable
  @_lifetime(copy span)
  public init(_ span: RawSpan, layer: ParseLayer) {
    self.span = span
    self.layer = layer
    self.offset = 0
  }

  /// Bytes that are left.
  @inlinable public var remaining: Int { span.byteCount &- offset }

  @inlinable
  @_lifetime(self: copy self)
  mutating func advance(_ count: Int) throws(ParseError) -> Int {
    guard count >= 0, remaining >= count else {
      throw .truncated(layer, at: offset, needed: count, available: remaining)
    }
    let start = offset
    offset &+= count
    return start
  }

  /// One byte.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func uint8() throws(ParseError) -> UInt8 { span.uint8(at: try advance(1)) }

  /// Two bytes, little-endian.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func uint16() throws(ParseError) -> UInt16 { span.uint16(at: try advance(2)) }

  /// Four bytes, little-endian.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func uint32() throws(ParseError) -> UInt32 { span.uint32(at: try advance(4)) }

  /// Six bytes, little-endian, in the low 48 bits.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func uint48() throws(ParseError) -> UInt64 {
    let start = try advance(6)
    return UInt64(span.uint32(at: start)) | UInt64(span.uint16(at: start &+ 4)) << 32
  }

  /// Eight bytes, little-endian.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func uint64() throws(ParseError) -> UInt64 { span.uint64(at: try advance(8)) }

  /// Four bytes, big-endian.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func uint32BigEndian() throws(ParseError) -> UInt32 { span.uint32(at: try advance(4)).byteSwapped }

  /// Eight bytes, big-endian.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func uint64BigEndian() throws(ParseError) -> UInt64 { span.uint64(at: try advance(8)).byteSwapped }

  /// The next `count` bytes as a slice of what is read.
  @inlinable
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  public mutating func slice(_ count: Int) throws(ParseError) -> RawSpan {
    let start = try advance(count)
    return span.extracting(start..<(start &+ count))
  }

  /// All bytes that are left.
  @inlinable
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  public mutating func rest() -> RawSpan {
    let start = offset
    offset = span.byteCount
    return span.extracting(start..<span.byteCount)
  }

  /// Passes over `count` bytes.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func skip(_ count: Int) throws(ParseError) { _ = try advance(count) }

  /// An error at the present position, for a value that no further byte would mend.
  @inlinable
  public func malformed(_ reason: StaticString) -> ParseError { .malformed(layer, at: offset, reason) }

  /// Throws unless every byte was read.
  @inlinable
  public func expectEnd(_ reason: StaticString) throws(ParseError) {
    guard remaining == 0 else { throw .malformed(layer, at: offset, reason) }
  }
}
