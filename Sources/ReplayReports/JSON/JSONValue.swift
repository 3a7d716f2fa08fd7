/// A JSON document whose members keep their order, so that the same input gives the same bytes.
package indirect enum JSONValue {
  case null
  case bool(Bool)
  case integer(Int)
  /// A number with its shortest decimals; JSON has none that is infinite, and 0 stands for it.
  case decimal(Double)
  case string(String)
  case array([JSONValue])
  /// A list of numbers, which may be long.
  case numbers([Int])
  case object([(String, JSONValue)])

  /// A string, or null.
  package static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
  /// A number, or null.
  package static func optional(_ number: Int?) -> JSONValue { number.map { .integer($0) } ?? .null }
  /// A list of texts.
  package static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

  /// Appends the document as UTF-8, two spaces a level; in one line without spaces where `indent` is `nil`.
  package func append(to bytes: inout [UInt8], indent: Int? = 0) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .decimal(let value): bytes += (value.isFinite ? "\(value)" : "0").utf8
    case .string(let text): Self.quote(text, into: &bytes)
    case .array(let values):
      Self.list(values, "[", "]", indent, &bytes) { $0.append(to: &$1, indent: indent.map { $0 + 1 }) }
    case .numbers(let values): Self.list(values, "[", "]", indent, &bytes) { $1 += String($0).utf8 }
    case .object(let members):
      Self.list(members, "{", "}", indent, &bytes) { member, bytes in
        Self.quote(member.0, into: &bytes)
        bytes += (indent == nil ? ":" : ": ").utf8
        member.1.append(to: &bytes, indent: indent.map { $0 + 1 })
      }
    }
  }

  /// The document as text.
  package var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func list<Element>(
    _ elements: [Element], _ open: String, _ close: String, _ indent: Int?, _ bytes: inout [UInt8], _ each: (Element, inout [UInt8]) -> Void
  ) {
    bytes += open.utf8
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if let indent { newLine(indent + 1, &bytes) }
      each(element, &bytes)
    }
    if !elements.isEmpty, let indent { newLine(indent, &bytes) }
    bytes += close.utf8
  }

  private static func newLine(_ indent: Int, _ bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: 2 * indent)
  }

  private static func quote(_ text: String, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for unit in text.utf8 {
      switch unit {
      case UInt8(ascii: "\""): bytes += "\\\"".utf8
      case UInt8(ascii: "\\"): bytes += "\\\\".utf8
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case 0..<0x20, 0x7F:
        let digits = String(unit, radix: 16)
        bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
      default: bytes.append(unit)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
