import ByteParsing
import ReplayScenarios

/// Parts of a Markdown document as GitHub and GitLab show it; what is foreign stands in code spans, where nothing is read as markup.
enum MarkdownText {
  /// A text as code, in one line, `limit` characters of it at the most.
  ///
  /// Backslashes are doubled by then, so that the one before a bar is none of the text's.
  static func code(_ text: String, limit: Int = 300, inTable: Bool = false) -> String {
    let shown = JSON5Writer.printable(text, limit: limit)
    guard !shown.isEmpty else { return "(empty)" }
    var (longest, run) = (0, 0)
    for unit in shown.utf8 {
      run = unit == UInt8(ascii: "`") ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    let space = shown.hasPrefix("`") || shown.hasSuffix("`") || shown.allSatisfy({ $0 == " " }) ? " " : ""
    let content = inTable ? shown.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|") : shown
    return fence + space + content + space + fence
  }

  /// How many bytes of a value are shown.
  static let byteLimit = 32

  /// The bytes of two values, those in bold that differ; of long ones the part where they begin to differ.
  static func pair(_ recorded: [UInt8], _ got: [UInt8]) -> (recorded: String, got: String) {
    let equal = zip(recorded, got).prefix { $0 == $1 }.count
    let start = max(0, min(equal - byteLimit / 2, max(recorded.count, got.count) - byteLimit))
    return (bytes(recorded, against: got, from: start), bytes(got, against: recorded, from: start))
  }

  private static func bytes(_ value: [UInt8], against other: [UInt8], from start: Int) -> String {
    guard !value.isEmpty else { return "(no bytes)" }
    var groups: [(differs: Bool, bytes: [UInt8])] = []
    for index in value.indices.dropFirst(start).prefix(byteLimit) {
      let differs = index >= other.count || other[index] != value[index]
      if groups.last?.differs != differs { groups.append((differs, [])) }
      groups[groups.count - 1].bytes.append(value[index])
    }
    var parts = groups.map { group in
      let code = "`" + group.bytes.map { Hexadecimal.encode([$0]) }.joined(separator: " ") + "`"
      return group.differs ? "**\(code)**" : code
    }
    if start > 0 { parts.insert("…", at: 0) }
    if value.count > start + byteLimit { parts.append("…") }
    if start > 0 || value.count > start + byteLimit { parts.append("(\(value.count) bytes, from byte \(start))") }
    return parts.joined(separator: " ")
  }

  /// A text for a line of HTML.
  static func summary(_ text: String) -> String { "<code>\(XMLText.attribute(text))</code>" }

  /// A part that is folded until it is clicked; empty where there is nothing in it.
  static func folded(_ summary: String, _ lines: [String]) -> String {
    lines.isEmpty ? "" : "<details>\n<summary>\(summary)</summary>\n\n\(lines.joined(separator: "\n"))\n\n</details>\n\n"
  }

  /// A list, with the first `limit` of the texts.
  static func list(_ texts: [String], limit: Int) -> [String] {
    texts.prefix(limit).map { "- \(code($0))" } + (texts.count > limit ? ["- and \(texts.count - limit) more"] : [])
  }
}
