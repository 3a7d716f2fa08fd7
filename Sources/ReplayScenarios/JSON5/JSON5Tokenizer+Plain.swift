import ByteParsing

/// The plain forms that nearly all of a written scenario has, read without making tokens of them. Each passes over nothing and says
/// `nil` where anything else stands, which `next()` then reads or refuses.
extension JSON5Tokenizer {
  /// Passes over the blanks before the next token, and tells its first byte; line ends and comments are left to `next()`.
  mutating func skipBlanks() -> UInt8? {
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte != UInt8(ascii: " ") { return byte }
      offset &+= 1
    }
    return nil
  }

  /// Passes over a key of up to eight letters with its colon, and the comma before it unless it is the first.
  mutating func plainKey<Key>(isFirst: Bool, among keys: JSON5KeyTable<Key>) -> (key: Key, position: TextPosition)? {
    let before = offset
    if !isFirst {
      guard skipBlanks() == UInt8(ascii: ",") else { return nil }
      offset &+= 1
    }
    _ = skipBlanks()
    let position = positionHere()
    let first = offset
    var word: UInt64 = 0
    while offset < bytes.count, offset &- first < 8, case let byte = bytes[offset], (byte | 0x20) &- UInt8(ascii: "a") < 26 {
      word = word &<< 8 | UInt64(byte)
      offset &+= 1
    }
    guard peek() == UInt8(ascii: ":"), let key = keys[word] else {
      offset = before
      return nil
    }
    offset &+= 1
    return (key, position)
  }

  /// Passes over a number of few digits, with a point or in hexadecimal, and counts it in units of 10^-`decimals`.
  mutating func plainNumber(decimals: Int) -> Int64? {
    guard let first = skipBlanks(), first &- UInt8(ascii: "0") < 10 else { return nil }
    let start = offset
    if first == UInt8(ascii: "0"), decimals == 0, peek(1) == UInt8(ascii: "x") { return plainHexadecimal() }
    var (place, value, point) = (offset, Int64(0), -1)
    while place < bytes.count {
      let byte = bytes[place]
      let digit = byte &- UInt8(ascii: "0")
      if digit < 10 {
        value = value &* 10 &+ Int64(digit)
      } else if byte == UInt8(ascii: "."), point < 0 {
        point = place
      } else {
        break
      }
      place &+= 1
    }
    let places = point < 0 ? 0 : place &- point &- 1
    // No number of up to 18 digits is too large; `1.` and `01` are left to those who know whether they may stand.
    guard place &- start &+ decimals <= 18, places <= decimals, point < 0 || places > 0, endsToken(place),
      first != UInt8(ascii: "0") || place == start &+ 1 || point == start &+ 1
    else { return nil }
    for _ in places..<decimals { value = value &* 10 }
    offset = place
    return value
  }

  /// Passes over `0x` and up to eight digits.
  private mutating func plainHexadecimal() -> Int64? {
    var (place, value) = (offset &+ 2, Int64(0))
    while place < bytes.count, let digit = Self.hexValue(bytes[place]) {
      value = value &<< 4 | Int64(digit)
      place &+= 1
    }
    let digits = place &- offset &- 2
    guard digits > 0, digits <= 8, endsToken(place) else { return nil }
    offset = place
    return value
  }

  /// Whether what stands at `place` cannot go on with a number.
  private func endsToken(_ place: Int) -> Bool {
    guard place < bytes.count else { return false }
    switch bytes[place] {
    case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\n"): return true
    default: return false
    }
  }

  /// Passes over a text of hexadecimal digits in double quotes, and tells the bytes that they stand for.
  mutating func plainBytes() -> [UInt8]? {
    guard skipBlanks() == UInt8(ascii: "\"") else { return nil }
    var end = offset &+ 1
    while end < bytes.count, bytes[end] &- UInt8(ascii: "0") < 10 || bytes[end] &- UInt8(ascii: "a") < 6 { end &+= 1 }
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\""),
      let decoded = Hexadecimal.decode(bytes.byteSpan.extracting((offset &+ 1)..<end))
    else { return nil }
    offset = end &+ 1
    return decoded
  }
}

/// The keys of an object that have up to eight letters, to be found by their bytes.
package struct JSON5KeyTable<Key: RawRepresentable<String> & CaseIterable> {
  private var words: [UInt64] = []
  private var keys: [Key] = []

  package init(_: Key.Type) {
    for key in Key.allCases where key.rawValue.utf8.count <= 8 {
      words.append(key.rawValue.utf8.reduce(0) { $0 << 8 | UInt64($1) })
      keys.append(key)
    }
  }

  /// The key whose bytes, the first highest, make up a word.
  subscript(word: UInt64) -> Key? {
    for place in words.indices where words[place] == word { return keys[place] }
    return nil
  }
}
