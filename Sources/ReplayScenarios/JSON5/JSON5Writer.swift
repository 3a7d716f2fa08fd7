import BLEWire
import ByteParsing

/// Writes JSON5 text piece by piece; the caller chooses the lines.
package struct JSON5Writer {
  /// The text so far.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// An empty text.
  package init() {}

  /// The text since the last call.
  package mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Adds text as it is.
  package mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Begins an object or list within a line: `{ a: 1, b: 2 }`.
  package mutating func open(_ bracket: String) {
    raw(bracket)
    needsComma = false
  }

  /// Ends an object or list within a line.
  package mutating func close(_ bracket: String) {
    raw(bracket)
    needsComma = true
  }

  /// Adds a key, after a comma where one is due; its value is to follow.
  package mutating func key(_ key: some RawRepresentable<String>) {
    element()
    raw(key.rawValue)
    raw(": ")
  }

  /// Adds the comma before an element of a list, where one is due.
  package mutating func element() {
    if needsComma { raw(", ") }
    needsComma = true
  }

  /// Adds a text in double quotes.
  package mutating func string(_ text: String) {
    // Most texts are plain names, which need no look at each character's properties.
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    guard isPlain else { return raw(Self.quoted(text)) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Adds bytes as hexadecimal text in double quotes.
  package mutating func hex(_ value: [UInt8]) {
    raw("\"")
    Hexadecimal.append(value, to: &bytes)
    raw("\"")
  }

  /// Adds a time in milliseconds, exact to the nanosecond; finer parts are cut, times beyond 292 years are held there.
  package mutating func milliseconds(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    let (scaled, tooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, over) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    let nanoseconds = tooLarge || over ? (seconds < 0 ? -Int64.max : .max) : sum
    let (whole, fraction) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    number(whole)
    guard fraction > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    var (rest, place): (UInt64, UInt64) = (fraction, 100_000)
    while rest > 0 {
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest / place))
      rest %= place
      place /= 10
    }
  }

  /// Adds a number in decimal digits.
  package mutating func number(_ value: UInt64) {
    var place: UInt64 = 1
    while value / place >= 10 { place *= 10 }
    while place > 0 {
      bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / place % 10))
      place /= 10
    }
  }

  /// Adds a handle as `0x` and four digits.
  package mutating func handle(_ handle: AttributeHandle) {
    bytes.append(UInt8(ascii: "0"))
    bytes.append(UInt8(ascii: "x"))
    Hexadecimal.append([UInt8(truncatingIfNeeded: handle.rawValue >> 8), UInt8(truncatingIfNeeded: handle.rawValue)], to: &bytes)
  }

  /// A text in double quotes, with everything escaped that could end it, a line or a comment, or hide what stands there.
  package static func quoted(_ text: String, limit: Int = .max) -> String { "\"" + escaped(text, quote: true, limit: limit) + "\"" }

  /// A text without quotes that stays on its line and shows all it holds.
  package static func printable(_ text: String, limit: Int = .max) -> String { escaped(text, quote: false, limit: limit) }

  private static func escaped(_ text: String, quote: Bool, limit: Int) -> String {
    var result = String.UnicodeScalarView()
    for (count, scalar) in text.unicodeScalars.enumerated() {
      guard count < limit else {
        result.append("…")
        break
      }
      switch scalar {
      case "\"" where quote: result.append(contentsOf: "\\\"".unicodeScalars)
      case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      case "\r": result.append(contentsOf: "\\r".unicodeScalars)
      case "\t": result.append(contentsOf: "\\t".unicodeScalars)
      default:
        if isVisible(scalar) {
          result.append(scalar)
        } else {
          for unit in String(scalar).utf16 { result.append(contentsOf: ("\\u" + hexadecimal(unit).dropFirst(2)).unicodeScalars) }
        }
      }
    }
    return String(result)
  }

  /// Whether a character shows itself and changes nothing around it: no control, separator, direction mark or unassigned code.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value >= 0x20 }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return false
    default: return true
    }
  }
}
