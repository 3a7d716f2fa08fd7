/// A JSON document whose members keep their order, so that the same input gives the same bytes.
package indirect enum JSONValue {
  case null
  case bool(Bool)
  case integer(Int)
  case string(String)
  case array([JSONValue])
  case object([(String, JSONValue)])

  /// A string, or null.
  package static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
  /// A number, or null.
  package static func optional(_ number: Int?) -> JSONValue { number.map { .integer($0) } ?? .null }

  /// Appends the document as UTF-8, two spaces a level.
  package func append(to bytes: inout [UInt8], indent: Int = 0) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .string(let text): Self.quote(text, into: &bytes)
    case .array(let values):
      Self.list(values, "[", "]", indent, &bytes) { $0.append(to: &$1, indent: indent + 1) }
    case .object(let members):
      Self.list(members, "{", "}", indent, &bytes) { member, bytes in
        Self.quote(member.0, into: &bytes)
        bytes += ": ".utf8
        member.1.append(to: &bytes, indent: indent + 1)
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
    _ elements: [Element], _ open: String, _ close: String, _ indent: Int, _ bytes: inout [UInt8], _ each: (Element, inout [UInt8]) -> Void
  ) {
    bytes += open.utf8
    for (index, element) in elements.enumerated() {
      bytes += (index == 0 ? "\n" : ",\n").utf8
      bytes += repeatElement(UInt8(ascii: " "), count: 2 * indent + 2)
      each(element, &bytes)
    }
    if !elements.isEmpty {
      bytes.append(UInt8(ascii: "\n"))
      bytes += repeatElement(UInt8(ascii: " "), count: 2 * indent)
    }
    bytes += close.utf8
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
