/// Hexadecimal text, lower-case, two digits a byte.
public enum Hexadecimal {
  /// The text of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    append(bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Adds the digits of `bytes` to UTF-8 text.
  public static func append(_ bytes: [UInt8], to text: inout [UInt8]) { append(bytes.byteSpan, to: &text) }

  /// Adds the digits of borrowed bytes to UTF-8 text.
  public static func append(_ bytes: RawSpan, to text: inout [UInt8]) {
    let start = text.count
    text.append(contentsOf: repeatElement(0, count: 2 &* bytes.byteCount))
    var digits = text.mutableSpan
    for index in 0..<bytes.byteCount {
      let byte = bytes.uint8(at: index)
      digits[start &+ 2 &* index] = digit(byte &>> 4)
      digits[start &+ 2 &* index &+ 1] = digit(byte & 15)
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &- 10 &+ value }

  /// The bytes that `text` names, spaces ignored; `nil` for an odd count of digits or any other character.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for unit in text.utf8 {
      if unit == UInt8(ascii: " ") { continue }
      guard let value = nibble(unit) else { return nil }
      if let upper = high {
        bytes.append(upper &<< 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }

  /// The bytes that a text names; the same as the general form, for the text that a whole file is made of.
  public static func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { unsafe decode($0.span.bytes) }
  }

  /// The bytes that UTF-8 text names, spaces ignored; `nil` for an odd count of digits or any other character.
  public static func decode(_ text: RawSpan) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.byteCount / 2)
    var offset = 0
    // Digits without spaces; whether one is a letter cannot be guessed, so nothing branches on it.
    while offset &+ 1 < text.byteCount {
      let (high, low) = (text.uint8(at: offset), text.uint8(at: offset &+ 1))
      guard isDigit(high), isDigit(low) else { break }
      bytes.append(value(high) &<< 4 | value(low))
      offset &+= 2
    }
    while offset < text.byteCount {
      let unit = text.uint8(at: offset)
      offset &+= 1
      if unit == UInt8(ascii: " ") { continue }
      var second = UInt8(ascii: " ")
      while second == UInt8(ascii: " "), offset < text.byteCount {
        second = text.uint8(at: offset)
        offset &+= 1
      }
      guard let high = nibble(unit), let low = nibble(second) else { return nil }
      bytes.append(high &<< 4 | low)
    }
    return bytes
  }

  @inline(__always)
  private static func isDigit(_ unit: UInt8) -> Bool { (unit &- UInt8(ascii: "0") < 10) != ((unit | 0x20) &- UInt8(ascii: "a") < 6) }

  /// What a digit counts: its lower half, and 9 more for a letter.
  @inline(__always)
  private static func value(_ digit: UInt8) -> UInt8 { (digit & 15) &+ (digit &>> 6) &* 9 }

  @inline(__always)
  private static func nibble(_ unit: UInt8) -> UInt8? {
    switch unit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): unit &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): unit &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): unit &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }
}
