import ReplayScenarios

/// Text for XML 1.0: what it forbids, and what would hide or move other text, is written out.
enum XMLText {
  /// For the value of an attribute, in one line.
  static func attribute(_ text: String) -> String { escaped(JSON5Writer.printable(text)) }

  /// For the content of an element, line by line.
  static func content(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(JSON5Writer.printable(String($0))) }
      .joined(separator: "\n")
  }

  private static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
