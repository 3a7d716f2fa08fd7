import ByteParsing

// The repeated parts of ATT PDUs. Each list was checked as a whole when its PDU was parsed, so `next()` cannot fail.

/// `{ handle(2) uuid(2|16) }+` of Find Information Response.
public struct HandleUUIDList: ~Escapable {
  var rest: RawSpan
  let stride: Int

  @_lifetime(copy reader)
  init(parsing reader: inout ByteReader) throws(ParseError) {
    switch try reader.uint8() {
    case 1: stride = 4
    case 2: stride = 18
    default: throw reader.malformed("the format of Find Information Response is 1 or 2")
    }
    rest = try reader.records(of: stride)
  }

  /// The next pair, or `nil` at the end.
  @_lifetime(self: copy self)
  public mutating func next() -> (handle: AttributeHandle, uuid: BluetoothUUID)? {
    guard rest.byteCount >= stride, let uuid = BluetoothUUID(wire: rest.extracting(2..<stride)) else { return nil }
    defer { rest = rest.suffix(from: stride) }
    return (AttributeHandle(rest.uint16(at: 0)), uuid)
  }
}

/// `{ found(2) groupEnd(2) }+` of Find By Type Value Response.
public struct HandleRangeList: ~Escapable {
  var rest: RawSpan

  @_lifetime(copy reader)
  init(parsing reader: inout ByteReader) throws(ParseError) { rest = try reader.records(of: 4) }

  /// The next range, or `nil` at the end.
  @_lifetime(self: copy self)
  public mutating func next() -> (found: AttributeHandle, groupEnd: AttributeHandle)? {
    guard rest.byteCount >= 4 else { return nil }
    defer { rest = rest.suffix(from: 4) }
    return (AttributeHandle(rest.uint16(at: 0)), AttributeHandle(rest.uint16(at: 2)))
  }
}

/// `length(1) { handle(2) value(length−2) }+` of Read By Type Response.
public struct AttributeDataList: ~Escapable {
  var rest: RawSpan
  let stride: Int

  @_lifetime(copy reader)
  init(parsing reader: inout ByteReader) throws(ParseError) {
    stride = Int(try reader.uint8())
    guard stride >= 2 else { throw reader.malformed("the length of an entry of Read By Type Response is at least 2") }
    rest = try reader.records(of: stride)
  }

  /// Handles the next entry's parts and tells whether there was one.
  @_lifetime(self: copy self)
  public mutating func next(_ body: (AttributeHandle, RawSpan) -> Void) -> Bool {
    guard rest.byteCount >= stride else { return false }
    body(AttributeHandle(rest.uint16(at: 0)), rest.extracting(2..<stride))
    rest = rest.suffix(from: stride)
    return true
  }
}

/// `length(1) { handle(2) groupEnd(2) value(length−4) }+` of Read By Group Type Response.
public struct AttributeGroupList: ~Escapable {
  var rest: RawSpan
  let stride: Int

  @_lifetime(copy reader)
  init(parsing reader: inout ByteReader) throws(ParseError) {
    stride = Int(try reader.uint8())
    guard stride >= 4 else { throw reader.malformed("the length of an entry of Read By Group Type Response is at least 4") }
    rest = try reader.records(of: stride)
  }

  /// Handles the next group's parts and tells whether there was one.
  @_lifetime(self: copy self)
  public mutating func next(_ body: (_ start: AttributeHandle, _ end: AttributeHandle, RawSpan) -> Void) -> Bool {
    guard rest.byteCount >= stride else { return false }
    body(AttributeHandle(rest.uint16(at: 0)), AttributeHandle(rest.uint16(at: 2)), rest.extracting(4..<stride))
    rest = rest.suffix(from: stride)
    return true
  }
}

/// `{ handle(2) }2+` of the Read Multiple requests.
public struct HandleList: ~Escapable {
  var rest: RawSpan

  @_lifetime(copy reader)
  init(parsing reader: inout ByteReader) throws(ParseError) {
    guard reader.remaining >= 4 else {
      throw ParseError.truncated(.att, at: reader.offset, needed: 4, available: reader.remaining)
    }
    rest = try reader.records(of: 2)
  }

  /// The next handle, or `nil` at the end.
  @_lifetime(self: copy self)
  public mutating func next() -> AttributeHandle? {
    guard rest.byteCount >= 2 else { return nil }
    defer { rest = rest.suffix(from: 2) }
    return AttributeHandle(rest.uint16(at: 0))
  }
}

/// `{ length(2) value(length) }+` of Read Multiple Variable Response; the last value may be cut by the MTU (3.4.4.12).
public struct LengthValueList: ~Escapable {
  var rest: RawSpan

  @_lifetime(copy reader)
  init(parsing reader: inout ByteReader) throws(ParseError) {
    var offset = 0
    let all = reader.rest()
    repeat {
      guard all.byteCount - offset >= 2 else {
        throw ParseError.truncated(.att, at: 1 + offset, needed: 2, available: all.byteCount - offset)
      }
      offset += 2 + Int(all.uint16(at: offset))
    } while offset < all.byteCount
    rest = all
  }

  /// Handles the next value, with the length it was announced with, and tells whether there was one.
  @_lifetime(self: copy self)
  public mutating func next(_ body: (_ length: UInt16, RawSpan) -> Void) -> Bool {
    guard rest.byteCount >= 2 else { return false }
    let length = rest.uint16(at: 0)
    let end = Swift.min(2 + Int(length), rest.byteCount)
    body(length, rest.extracting(2..<end))
    rest = rest.suffix(from: end)
    return true
  }
}

/// `{ handle(2) length(2) value(length) }+` of Multiple Handle Value Notification.
public struct HandleLengthValueList: ~Escapable {
  var rest: RawSpan

  @_lifetime(copy reader)
  init(parsing reader: inout ByteReader) throws(ParseError) {
    let all = reader.rest()
    var offset = 0
    repeat {
      guard all.byteCount - offset >= 4 else {
        throw ParseError.truncated(.att, at: 1 + offset, needed: 4, available: all.byteCount - offset)
      }
      let length = Int(all.uint16(at: offset + 2))
      guard all.byteCount - offset - 4 >= length else {
        throw ParseError.truncated(.att, at: 5 + offset, needed: length, available: all.byteCount - offset - 4)
      }
      offset += 4 + length
    } while offset < all.byteCount
    rest = all
  }

  /// Handles the next notification and tells whether there was one.
  @_lifetime(self: copy self)
  public mutating func next(_ body: (AttributeHandle, RawSpan) -> Void) -> Bool {
    guard rest.byteCount >= 4 else { return false }
    let end = 4 + Int(rest.uint16(at: 2))
    body(AttributeHandle(rest.uint16(at: 0)), rest.extracting(4..<end))
    rest = rest.suffix(from: end)
    return true
  }
}

extension ByteReader {
  /// The rest, which must be one or more records of `stride` bytes.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  fileprivate mutating func records(of stride: Int) throws(ParseError) -> RawSpan {
    guard remaining >= stride else { throw .truncated(.att, at: offset, needed: stride, available: remaining) }
    guard remaining % stride == 0 else { throw malformed("the list is not a whole number of entries") }
    return rest()
  }
}
