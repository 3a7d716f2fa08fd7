extension JSON5Tokenizer {
  /// Reads a number's text: sign, then hexadecimal digits after `0x`, or a decimal with point and exponent, or a name such as `NaN`.
  mutating func number(at start: TextPosition) throws(JSON5Error) -> String {
    let first = offset
    if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { offset += 1 }
    let digits = offset
    if let byte = peek(), byte == UInt8(ascii: "I") || byte == UInt8(ascii: "N") {
      let word = try name(at: start)
      guard word == "Infinity" || word == "NaN" else { throw malformed(start, from: first) }
      return String(decoding: bytes[first..<offset], as: UTF8.self)
    }
    if peek() == UInt8(ascii: "0"), peek(1) == UInt8(ascii: "x") || peek(1) == UInt8(ascii: "X") {
      offset += 2
      let count = skip { Self.hexValue($0) != nil }
      guard count > 0 else { throw malformed(start, from: first) }
    } else {
      let whole = skip(Self.isDigit)
      guard whole <= 1 || bytes[digits] != UInt8(ascii: "0") else {
        _ = skip { Self.isDigit($0) || $0 == UInt8(ascii: ".") }
        let text = String(decoding: bytes[first..<offset], as: UTF8.self)
        throw JSON5Error(
          start, "the number \(JSON5Writer.printable(text, limit: 40)) begins with 0",
          "remove the leading zeros, or write 0x before hexadecimal digits")
      }
      var fraction = 0
      if peek() == UInt8(ascii: ".") {
        offset += 1
        fraction = skip(Self.isDigit)
      }
      guard whole > 0 || fraction > 0 else { throw malformed(start, from: first) }
      if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
        offset += 1
        if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { offset += 1 }
        guard skip(Self.isDigit) > 0 else { throw malformed(start, from: first) }
      }
    }
    // A number must end where something else begins: `12ms` is a slip, not a number and a name.
    if let byte = peek(), Self.continuesWord(byte) { throw malformed(start, from: first) }
    return String(decoding: bytes[first..<offset], as: UTF8.self)
  }

  private mutating func skip(_ accept: (UInt8) -> Bool) -> Int {
    let start = offset
    while let byte = peek(), accept(byte) { offset += 1 }
    return offset - start
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func continuesWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "\\"):
      true
    default: false
    }
  }

  private mutating func malformed(_ start: TextPosition, from first: Int) -> JSON5Error {
    _ = skip(Self.continuesWord)
    let text = String(decoding: bytes[first..<offset], as: UTF8.self)
    return JSON5Error(
      start, "\(JSON5Writer.quoted(text, limit: 40)) is not a number", "write it as 12, 12.5 or 0x0c, or put a text in double quotes")
  }
}
