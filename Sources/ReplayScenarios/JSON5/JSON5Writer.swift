import BLEWire
import ByteParsing

/// Writes JSON5 text piece by piece; the caller chooses the lines.
package struct JSON5Writer {
  /// The text so far.
  package var bytes: [UInt8] { text.bytes }
  /// Its length.
  package var count: Int { text.count }
  private var text = TextBuffer()
  private var needsComma = false

  /// An empty text.
  package init() {}

  /// The text, borrowed.
  package var span: RawSpan { @_lifetime(borrow self) get { text.span } }

  /// Begins a new text, with the room of the old one.
  package mutating func removeAll() { text.removeAll() }

  /// Adds text as it is.
  package mutating func raw(_ text: String) { self.text.append(text) }

  /// Adds text that the program holds.
  package mutating func literal(_ text: StaticString) { self.text.literal(text) }

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
    if needsComma { literal(", ") }
    needsComma = true
  }

  /// Adds a text in double quotes.
  package mutating func string(_ text: String) {
    // Most texts are plain names, which need no look at each character's properties.
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    guard isPlain else { return raw(Self.quoted(text)) }
    self.text.byte(UInt8(ascii: "\""))
    self.text.append(text)
    self.text.byte(UInt8(ascii: "\""))
  }

  /// Adds bytes as hexadecimal text in double quotes.
  package mutating func hex(_ value: [UInt8]) { hex(value.byteSpan) }

  /// Adds borrowed bytes as hexadecimal text in double quotes.
  package mutating func hex(_ value: RawSpan) {
    text.byte(UInt8(ascii: "\""))
    text.hexadecimal(value)
    text.byte(UInt8(ascii: "\""))
  }

  /// Adds a time in milliseconds, exact to the nanosecond; finer parts are cut, times beyond 292 years are held there.
  package mutating func milliseconds(_ time: Duration) { text.milliseconds(time.wholeNanoseconds) }

  /// Adds so many nanoseconds in milliseconds.
  package mutating func milliseconds(nanoseconds: Int64) { text.milliseconds(nanoseconds) }

  /// Adds a number in decimal digits.
  package mutating func number(_ value: UInt64) { text.decimal(value) }

  /// Adds a handle as `0x` and four digits.
  package mutating func handle(_ handle: AttributeHandle) { text.hexadecimal(handle.rawValue) }

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

extension Duration {
  /// Nanoseconds; finer parts are cut, times beyond 292 years are held there.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, tooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, over) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return tooLarge || over ? (seconds < 0 ? -Int64.max : .max) : sum
  }
}
