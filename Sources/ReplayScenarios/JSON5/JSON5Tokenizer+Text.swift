import BLEWire

extension JSON5Tokenizer {
  /// Reads a string that opens with `quote`.
  mutating func quotedText(_ quote: UInt8) throws(JSON5Error) -> String {
    let start = positionHere()
    offset += 1
    let first = offset
    // Most strings hold no escape and are taken as they stand.
    while let byte = peek() {
      if byte == quote {
        defer { offset += 1 }
        return String(decoding: bytes[first..<offset], as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { break }
      offset += 1
    }
    var text = [UInt8](bytes[first..<offset])
    while let byte = peek() {
      switch byte {
      case quote:
        offset += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &text)
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        throw JSON5Error(start, "the text is not closed on its line", "close it with \(Self.name(of: quote)), or end the line with \\")
      case 0x80...:
        let length = try scalar().length
        text += bytes[offset..<offset + length]
        pass(length)
      case 0..<0x20 where byte != UInt8(ascii: "\t"):
        throw JSON5Error(positionHere(), "a control character stands in a text", "write it as \\x\(hexadecimal(byte).suffix(2))")
      default:
        text.append(byte)
        offset += 1
      }
    }
    throw JSON5Error(start, "the text is never closed", "close it with \(Self.name(of: quote))")
  }

  private static func name(of quote: UInt8) -> String { quote == UInt8(ascii: "'") ? "a single quote" : "a double quote" }

  /// Reads an escape at a backslash.
  private mutating func escape(into text: inout [UInt8]) throws(JSON5Error) {
    let start = positionHere()
    offset += 1
    guard let byte = peek() else { throw JSON5Error(start, "the file ends within an escape", "complete the text and close it") }
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): passLineEnd()
    case UInt8(ascii: "n"): simple(0x0A, &text)
    case UInt8(ascii: "r"): simple(0x0D, &text)
    case UInt8(ascii: "t"): simple(0x09, &text)
    case UInt8(ascii: "b"): simple(0x08, &text)
    case UInt8(ascii: "f"): simple(0x0C, &text)
    case UInt8(ascii: "v"): simple(0x0B, &text)
    case UInt8(ascii: "0"):
      simple(0, &text)
      if let next = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
        throw JSON5Error(start, "\\0 is followed by a digit", "write \\x00 instead")
      }
    case UInt8(ascii: "1")...UInt8(ascii: "9"):
      throw JSON5Error(
        start, "\\\(Unicode.Scalar(byte)) is no escape", "octal escapes are not allowed; write \\x and two hexadecimal digits")
    case UInt8(ascii: "x"):
      offset += 1
      append(Unicode.Scalar(UInt8(truncatingIfNeeded: try hexDigits(2, of: start))), to: &text)
    case UInt8(ascii: "u"):
      offset += 1
      append(try unicodeEscape(at: start), to: &text)
    default:
      // Any other character stands for itself; a line or paragraph separator continues the line.
      let (scalar, length) = try scalar()
      guard scalar.value >= 0x20 else {
        throw JSON5Error(positionHere(), "a control character stands in a text", "write it as \\x\(hexadecimal(byte).suffix(2))")
      }
      pass(length)
      if scalar.value != 0x2028, scalar.value != 0x2029 { append(scalar, to: &text) }
    }
  }

  private mutating func simple(_ byte: UInt8, _ text: inout [UInt8]) {
    text.append(byte)
    offset += 1
  }

  private func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) { text += UTF8.encode(scalar).map { [UInt8]($0) } ?? [] }

  /// Reads the digits after `\u`, and a second escape where the first is half of a pair.
  private mutating func unicodeEscape(at start: TextPosition) throws(JSON5Error) -> Unicode.Scalar {
    let unit = try hexDigits(4, of: start)
    var value = unit
    if (0xD800...0xDBFF).contains(unit), peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") {
      let second = positionHere()
      offset += 2
      let low = try hexDigits(4, of: second)
      if (0xDC00...0xDFFF).contains(low) { value = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00) }
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw JSON5Error(start, "half of a surrogate pair stands alone", "write both halves, or the character itself")
    }
    return scalar
  }

  private mutating func hexDigits(_ count: Int, of start: TextPosition) throws(JSON5Error) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let digit = peek().flatMap(Self.hexValue) else {
        throw JSON5Error(start, "the escape needs \(count) hexadecimal digits", "complete it")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Reads a name without quotes.
  mutating func name(at start: TextPosition) throws(JSON5Error) -> String {
    let first = offset
    while let byte = peek(), Self.isPlainNamePart(byte) { offset += 1 }
    // Nearly all names are letters and end here.
    if offset > first, bytes[first] > UInt8(ascii: "9"), peek().map({ $0 < 0x80 && $0 != UInt8(ascii: "\\") }) ?? true {
      return String(decoding: bytes[first..<offset], as: UTF8.self)
    }
    offset = first
    var text: [UInt8] = []
    while peek() != nil {
      if peek() == UInt8(ascii: "\\") {
        let place = positionHere()
        offset += 1
        guard peek() == UInt8(ascii: "u") else { throw JSON5Error(place, "a backslash stands outside a text", "remove it") }
        offset += 1
        let scalar = try unicodeEscape(at: place)
        guard Self.isNamePart(scalar, first: text.isEmpty) else {
          throw JSON5Error(place, "the escape stands for a character that no name may hold", "put the name in quotes")
        }
        append(scalar, to: &text)
        continue
      }
      let (scalar, length) = try scalar()
      guard Self.isNamePart(scalar, first: text.isEmpty) else { break }
      text += bytes[offset..<offset + length]
      pass(length)
    }
    if text.isEmpty {
      let found = JSON5Writer.printable(String(try scalar().scalar))
      throw JSON5Error(start, "unexpected character \(found)", "remove it, or put the text in double quotes")
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func isPlainNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Whether an ECMAScript 5.1 identifier may hold the character.
  private static func isNamePart(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "_", "$": true
    case "0"..."9": !first
    case "\u{200C}", "\u{200D}": !first
    default: scalar.value >= 0x80 && (first ? scalar.properties.isIDStart : scalar.properties.isIDContinue)
    }
  }
}
