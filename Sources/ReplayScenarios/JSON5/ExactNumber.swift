/// Reads the text of a JSON5 number without rounding.
package enum ExactNumber: Sendable, Equatable {
  /// The number times the power of ten that was asked for.
  case value(Int64)
  /// `Infinity` or `NaN`.
  case notFinite
  /// It does not fit.
  case tooLarge
  /// It has more decimals than asked for.
  case tooFine

  /// Reads `text`, as the tokenizer delivers it, and counts it in units of 10^-`decimals`.
  package init(_ text: String, decimals: Int = 0) {
    if let plain = Self.plain(text, decimals: decimals) {
      self = .value(plain)
      return
    }
    var rest = text.utf8[...]
    let negative = rest.first == UInt8(ascii: "-")
    if negative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    let magnitude: ExactNumber
    if rest.starts(with: "0x".utf8) || rest.starts(with: "0X".utf8) {
      magnitude = Self.accumulate(rest.dropFirst(2).compactMap(JSON5Tokenizer.hexValue), radix: 16, zeros: decimals)
    } else if rest.starts(with: "I".utf8) || rest.starts(with: "N".utf8) {
      magnitude = .notFinite
    } else {
      magnitude = Self.decimal(rest, decimals: decimals)
    }
    if case .value(let value) = magnitude, negative { self = .value(-value) } else { self = magnitude }
  }

  /// A number of a few digits, with a point or in hexadecimal, as nearly all are; `nil` where it takes more care.
  private static func plain(_ text: String, decimals: Int) -> Int64? {
    let utf8 = text.utf8
    guard utf8.count <= 17 else { return nil }
    var (value, places, digits): (Int64, Int, Int) = (0, -1, 0)
    var place = -1
    for byte in utf8 {
      place &+= 1
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        value = value &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
        digits &+= 1
        if places >= 0 { places &+= 1 }
      case UInt8(ascii: "."):
        guard places < 0 else { return nil }
        places = 0
      case UInt8(ascii: "x") where place == 1 && value == 0 && decimals == 0: return hexadecimal(utf8.dropFirst(2))
      default: return nil
      }
    }
    let missing = decimals - max(0, places)
    guard digits > 0, missing >= 0, digits + missing <= 18 else { return nil }
    for _ in 0..<missing { value = value &* 10 }
    return value
  }

  private static func hexadecimal(_ digits: Substring.UTF8View) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      guard let nibble = JSON5Tokenizer.hexValue(digit) else { return nil }
      value = value << 4 | Int64(nibble)
    }
    return digits.count <= 15 && !digits.isEmpty ? value : nil
  }

  private static func decimal(_ text: Substring.UTF8View, decimals: Int) -> ExactNumber {
    var digits: [UInt8] = []
    // The power of ten of the last digit, in the units asked for.
    var power = decimals
    var afterPoint = false
    var rest = text
    while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if byte == UInt8(ascii: ".") {
        afterPoint = true
        continue
      }
      digits.append(byte &- UInt8(ascii: "0"))
      if afterPoint { power -= 1 }
    }
    if !rest.isEmpty {
      let exponent = rest.dropFirst()
      let sign = exponent.first
      let unsigned = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") ? exponent.dropFirst() : exponent
      // An exponent beyond a million is as good as any other that does not fit.
      let size = unsigned.reduce(0) { min($0 * 10 + Int($1 &- UInt8(ascii: "0")), 1_000_000) }
      power += sign == UInt8(ascii: "-") ? -size : size
    }
    let zeros = digits.reversed().prefix { $0 == 0 }.count
    digits.removeLast(zeros)
    power += zeros
    let significant = Array(digits.drop { $0 == 0 })
    if significant.isEmpty { return .value(0) }
    if power < 0 { return .tooFine }
    guard significant.count + power <= 19 else { return .tooLarge }
    return accumulate(significant, radix: 10, zeros: power)
  }

  private static func accumulate(_ digits: [UInt8], radix: Int64, zeros: Int) -> ExactNumber {
    var value: Int64 = 0
    for digit in digits {
      let (product, tooLarge) = value.multipliedReportingOverflow(by: radix)
      let (sum, over) = product.addingReportingOverflow(Int64(digit))
      if tooLarge || over { return .tooLarge }
      value = sum
    }
    for _ in 0..<zeros {
      let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
      if tooLarge { return .tooLarge }
      value = product
    }
    return .value(value)
  }
}
