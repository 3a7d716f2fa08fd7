import BLEWire

/// Takes a JSON5 text apart, one token a call, in time linear in its length.
///
/// Source: The JSON5 Data Interchange Format 1.0.0. Lines end with LF, CR or CR LF, as editors count them.
package struct JSON5Tokenizer {
  /// How deep objects and lists may be nested.
  package static let depthLimit = 64

  let bytes: [UInt8]
  /// The next byte to read.
  var offset = 0
  private var depth = 0
  private var line = 1
  private var lineStart = 0
  /// Bytes on the line so far that continue a character, so that columns count characters.
  private var continuations = 0

  /// Starts at the first byte of UTF-8 text, after a byte order mark if there is one.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      offset = 3
      lineStart = 3
    }
  }

  /// The next token; `.end` at the end of the text, however often it is asked.
  package mutating func next() throws(JSON5Error) -> JSON5Token {
    try skipSpace()
    let position = positionHere()
    guard let byte = peek() else { return JSON5Token(kind: .end, position: position) }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth < Self.depthLimit else {
        throw JSON5Error(
          position, "objects and lists are nested more than \(Self.depthLimit) deep", "a scenario needs five levels; remove the others")
      }
      depth += 1
      return punctuation(byte == UInt8(ascii: "{") ? .beginObject : .beginArray, at: position)
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth = max(0, depth - 1)
      return punctuation(byte == UInt8(ascii: "}") ? .endObject : .endArray, at: position)
    case UInt8(ascii: ":"): return punctuation(.colon, at: position)
    case UInt8(ascii: ","): return punctuation(.comma, at: position)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return JSON5Token(kind: .string(try quotedText(byte)), position: position)
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      return JSON5Token(kind: .number(try number(at: position)), position: position)
    default: return JSON5Token(kind: .name(try name(at: position)), position: position)
    }
  }

  private mutating func punctuation(_ kind: JSON5Token.Kind, at position: TextPosition) -> JSON5Token {
    offset += 1
    return JSON5Token(kind: kind, position: position)
  }

  // MARK: Bytes and places

  /// The byte `ahead` of the next one, `nil` beyond the end.
  func peek(_ ahead: Int = 0) -> UInt8? { offset + ahead < bytes.count ? bytes[offset + ahead] : nil }

  /// The place of the next byte.
  func positionHere() -> TextPosition { TextPosition(line: line, column: offset - lineStart - continuations + 1) }

  /// Passes over one character of so many bytes.
  mutating func pass(_ length: Int) {
    offset += length
    continuations += length - 1
  }

  /// Passes over a line end of one or two bytes.
  mutating func passLineEnd() {
    offset += peek() == UInt8(ascii: "\r") && peek(1) == UInt8(ascii: "\n") ? 2 : 1
    line += 1
    (lineStart, continuations) = (offset, 0)
  }

  /// The character at `offset` and its length; refuses what is no UTF-8.
  mutating func scalar() throws(JSON5Error) -> (scalar: Unicode.Scalar, length: Int) {
    let first = peek() ?? 0
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let (length, lowest): (Int, UInt32) =
      switch first {
      case 0xC2...0xDF: (2, 0x80)
      case 0xE0...0xEF: (3, 0x800)
      case 0xF0...0xF4: (4, 0x10000)
      default: (0, 0)
      }
    var value = UInt32(first) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
    var index = 1
    while index < length, let byte = peek(index), byte & 0xC0 == 0x80 {
      value = value << 6 | UInt32(byte & 0x3F)
      index += 1
    }
    guard length > 0, index == length, value >= lowest, let scalar = Unicode.Scalar(value) else {
      throw JSON5Error(positionHere(), "the byte \(hexadecimal(first)) is not UTF-8", "save the file as UTF-8")
    }
    return (scalar, length)
  }

  // MARK: Space and comments

  private mutating func skipSpace() throws(JSON5Error) {
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0B, 0x0C: offset += 1
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): passLineEnd()
      case UInt8(ascii: "/"): try skipComment()
      case 0x80...:
        let (scalar, length) = try scalar()
        switch scalar.value {
        case 0xA0, 0x2028, 0x2029, 0xFEFF, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: pass(length)
        default: return
        }
      default: return
      }
    }
  }

  private mutating func skipComment() throws(JSON5Error) {
    let start = positionHere()
    let second = peek(1)
    guard second == UInt8(ascii: "/") || second == UInt8(ascii: "*") else {
      throw JSON5Error(start, "a lone \"/\" begins no comment", "write // or /* … */, or remove it")
    }
    offset += 2
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if second == UInt8(ascii: "/") { return }
        passLineEnd()
      case UInt8(ascii: "*") where second == UInt8(ascii: "*") && peek(1) == UInt8(ascii: "/"):
        offset += 2
        return
      case 0x80...:
        let (scalar, length) = try scalar()
        if second == UInt8(ascii: "/"), scalar.value == 0x2028 || scalar.value == 0x2029 { return }
        pass(length)
      default: offset += 1
      }
    }
    if second == UInt8(ascii: "*") { throw JSON5Error(start, "the comment is never closed", "close it with */") }
  }
}
