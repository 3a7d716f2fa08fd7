import BLEWire
import ByteParsing

/// Writes JSON5 text piece by piece; the caller chooses the lines.
package struct JSON5Writer {
  /// The text so far.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// An empty text.
  package init() {}

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
  package mutating func string(_ text: String) { raw(Self.quoted(text)) }

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
    var text = (nanoseconds < 0 ? "-" : "") + String(whole)
    if fraction > 0 {
      var digits = String(fraction)
      digits = "." + String(repeating: "0", count: 6 - digits.count) + digits
      while digits.last == "0" { digits.removeLast() }
      text += digits
    }
    raw(text)
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
