import Foundation

/// Apple's surface as the sheet `corebluetooth-api.md` tells it, row by row.
struct APISheet {
  /// A class or protocol with what it is made from.
  struct Declared: Equatable {
    var name: String
    var parents: [String]
  }

  /// A member of a class or protocol.
  struct Member: Equatable {
    var owner: String
    /// Its declaration as Swift writes it; `init` stands for an initializer that nobody may call.
    var declaration: String
    /// Whether a delegate has to have it.
    var isRequired = false
    /// How the test names it.
    var id: String { "\(owner).\(declaration)" }
  }

  struct Case: Equatable {
    var name: String
    var rawValue: Int
  }

  struct Enumeration: Equatable {
    var name: String
    var isOptionSet: Bool
    var cases: [Case]
  }

  struct Constant: Equatable {
    var name: String
    /// `nil` where nobody knows it.
    var value: String?
  }

  /// A row that says something else than the rows of its table.
  struct Unreadable: Error, CustomStringConvertible {
    var line: Int
    var row: String
    var description: String { "line \(line): \(row)" }
  }

  private(set) var classes: [Declared] = []
  private(set) var protocols: [Declared] = []
  private(set) var members: [Member] = []
  private(set) var aliases: [String] = []
  private(set) var enumerations: [Enumeration] = []
  private(set) var constants: [Constant] = []
  /// Texts that errors bring along, by the error's code.
  private(set) var texts: [(enumeration: String, code: Int, text: String)] = []
  /// How many rows were read, headers aside.
  private(set) var rows = 0

  private var section = ""
  private var owner = ""

  init(_ text: String) throws {
    var isInTable = false
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("#") {
        try begin(String(line.drop { $0 == "#" }.dropFirst()))
      } else if line.hasPrefix("|") {
        let cells = Self.cells(line)
        // The first two rows of a table are its header.
        if !isInTable {
          isInTable = true
        } else if !cells.allSatisfy({ $0.allSatisfy { "-:".contains($0) } }) {
          rows += 1
          guard read(cells) else { throw Unreadable(line: number + 1, row: String(line)) }
        }
        continue
      }
      isInTable = false
    }
  }

  private static func cells(_ line: Substring) -> [String] {
    line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// `2.1 Name : Parent — words` begins a section.
  private mutating func begin(_ heading: String) throws {
    let words = heading.split(separator: " ").map(String.init)
    section = words.first ?? ""
    guard section.hasPrefix("2."), words.count >= 4, words[2] == ":" else { return }
    owner = words[1]
    protocols.append(Declared(name: owner, parents: [words[3]]))
  }

  private mutating func read(_ cells: [String]) -> Bool {
    switch section {
    case "1.1", "1.2", "1.3": readMembers(cells)
    case "2.1", "2.2", "2.3": readMethod(cells)
    case "3.": readEnumeration(cells)
    case "3.1": readCodes("CBError.Code", cells)
    case "3.2": readCodes("CBATTError.Code", Array(cells.prefix(2))) && readCodes("CBATTError.Code", Array(cells.dropFirst(2)))
    case "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7": readConstant(cells)
    default: false
    }
  }

  // MARK: - Sections

  private mutating func readMembers(_ cells: [String]) -> Bool {
    guard cells.count >= 2, let spans = Self.spans(cells[1]), !spans.isEmpty else { return false }
    if !cells[0].isEmpty {
      let parts = cells[0].components(separatedBy: " : ")
      guard parts.count == 2, parts[0].hasPrefix("**"), parts[0].hasSuffix("**") else { return false }
      owner = String(parts[0].dropFirst(2).dropLast(2))
      classes.append(Declared(name: owner, parents: parts[1].components(separatedBy: ", ")))
    }
    for span in spans {
      if span.hasPrefix("typealias ") {
        aliases.append(span)
      } else if ["var ", "weak var ", "class var ", "func ", "class func ", "init(", "convenience init("].contains(where: span.hasPrefix)
        || span == "init"
      {
        members.append(Member(owner: owner, declaration: span))
      } else {
        return false
      }
    }
    return true
  }

  private mutating func readMethod(_ cells: [String]) -> Bool {
    let isRequired = section == "2.2" ? "opt" : cells.first ?? ""
    guard let spans = Self.spans(cells[section == "2.2" ? 0 : 1]), spans.count == 1, spans[0].hasPrefix("func "),
      ["opt", "**required**"].contains(isRequired)
    else { return false }
    members.append(Member(owner: owner, declaration: spans[0], isRequired: isRequired != "opt"))
    return true
  }

  /// Declarations between back-quotes; `nil` where anything stands between them but commas, the word that nobody may call one, and
  /// remarks in parentheses or behind a dash.
  private static func spans(_ cell: String) -> [String]? {
    let parts = cell.components(separatedBy: "`")
    guard parts.count % 2 == 1 else { return nil }
    for (number, between) in stride(from: 0, to: parts.count, by: 2).map({ parts[$0] }).enumerated() {
      let words = between.trimmingCharacters(in: .whitespaces)
      let isUnavailable = number > 0 && parts[2 * number - 1] == "init"
      guard (words.hasPrefix("unavailable") == isUnavailable),
        words.isEmpty || words == "," || words.hasPrefix("(") || words.hasPrefix("—") || words.hasPrefix("unavailable")
      else { return nil }
    }
    return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
  }

  private mutating func readEnumeration(_ cells: [String]) -> Bool {
    let parts = (cells.first ?? "").components(separatedBy: " : ")
    let cases = (cells.last ?? "").components(separatedBy: ", ").compactMap { text -> Case? in
      let words = text.split(separator: " ").map(String.init)
      return words.count == 2 ? Self.number(words[1]).map { Case(name: words[0], rawValue: $0) } : nil
    }
    guard cells.count == 2, parts.count == 2, !cases.isEmpty, cases.count == cells[1].components(separatedBy: ", ").count else {
      return false
    }
    let base = parts[1].components(separatedBy: " (deprecated)")[0]
    guard base == "Int" || base == "OptionSet(UInt)" else { return false }
    enumerations.append(Enumeration(name: parts[0], isOptionSet: base != "Int", cases: cases))
    return true
  }

  private mutating func readCodes(_ enumeration: String, _ cells: [String]) -> Bool {
    let parts = (cells.dropFirst().first ?? "").components(separatedBy: " — ")
    guard let code = cells.first.flatMap(Self.number), !parts[0].isEmpty, parts[0].allSatisfy(\.isLetter) else { return false }
    if !enumerations.contains(where: { $0.name == enumeration }) {
      enumerations.append(Enumeration(name: enumeration, isOptionSet: false, cases: []))
    }
    for place in enumerations.indices where enumerations[place].name == enumeration {
      enumerations[place].cases.append(Case(name: parts[0], rawValue: code))
    }
    for text in parts.dropFirst() + cells.dropFirst(2) {
      let quoted = text.components(separatedBy: "\"")
      if quoted.count == 3 { texts.append((enumeration, code, quoted[1])) }
    }
    return true
  }

  private mutating func readConstant(_ cells: [String]) -> Bool {
    guard cells.count == 3, cells[0].hasPrefix("CB"), !cells[1].isEmpty, !cells[1].contains(" ") else { return false }
    constants.append(Constant(name: cells[0], value: cells[1] == "–" ? nil : cells[1]))
    return true
  }

  private static func number(_ text: String) -> Int? {
    text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
  }
}
