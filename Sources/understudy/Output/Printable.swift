/// Text from a capture or a user with everything escaped that could move a cursor, change colours or hide other text.
func printable(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      result += "\\u{\(String(scalar.value, radix: 16))}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Rows whose columns begin at the same place, with a heading.
struct TextTable {
  private var rows: [[String]]

  init(_ heading: [String]) { rows = [heading] }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// The lines, each after `indent`.
  func text(indent: String) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      var line = indent
      for (column, cell) in row.enumerated() { line += column == row.count - 1 ? cell : padded(cell, widths[column] + 2) }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
