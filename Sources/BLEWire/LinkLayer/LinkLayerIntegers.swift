import ByteParsing

extension ByteReader {
  /// Three bytes, little-endian.
  @_lifetime(self: copy self)
  mutating func uint24() throws(ParseError) -> UInt32 {
    let bytes = try slice(3)
    return UInt32(bytes.uint16(at: 0)) | UInt32(bytes.uint8(at: 2)) << 16
  }

  /// Five bytes, little-endian.
  @_lifetime(self: copy self)
  mutating func uint40() throws(ParseError) -> UInt64 {
    let bytes = try slice(5)
    return UInt64(bytes.uint32(at: 0)) | UInt64(bytes.uint8(at: 4)) << 32
  }
}

extension ByteWriter {
  /// The low 24 bits, little-endian.
  mutating func uint24(_ value: UInt32) {
    uint16(UInt16(truncatingIfNeeded: value))
    uint8(UInt8(truncatingIfNeeded: value >> 16))
  }

  /// The low 40 bits, little-endian.
  mutating func uint40(_ value: UInt64) {
    uint32(UInt32(truncatingIfNeeded: value))
    uint8(UInt8(truncatingIfNeeded: value >> 32))
  }
}
