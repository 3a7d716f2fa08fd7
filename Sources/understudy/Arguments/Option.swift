/// One option of the tool or of a command: the one description that parsing and help text share.
struct Option: Sendable {
  /// The long name, with its two hyphens.
  let name: String
  /// A one-letter name, with its hyphen.
  let short: String?
  /// What stands for the value in the help text; `nil` for a flag.
  let value: String?
  /// Whether it may be given more than once.
  let repeats: Bool
  let help: String

  init(_ name: String, short: String? = nil, value: String? = nil, repeats: Bool = false, help: String) {
    (self.name, self.short, self.value, self.repeats, self.help) = (name, short, value, repeats, help)
  }

  /// The names with the value's place holder, for the help text.
  var synopsis: String { (short.map { "\($0), " } ?? "") + name + (value.map { " \($0)" } ?? "") }
}

/// One command of the tool.
struct Command: Sendable {
  let name: String
  /// One sentence.
  let abstract: String
  /// What stands for the operands in the usage line, as `CAPTURE…`.
  let operands: String
  /// How many operands there must be, and may be.
  let operandCount: ClosedRange<Int>
  /// More about it, for its own help text.
  let discussion: String
  let options: [Option]
  /// Does the work.
  let run: @Sendable (Arguments, Console) -> ExitCode
}

/// What the user gave to a command, checked against its table.
struct Arguments: Sendable {
  var operands: [String] = []
  private var values: [String: [String]] = [:]

  /// Whether a flag or option was given.
  func has(_ option: String) -> Bool { values[option] != nil }
  /// The value of an option; the last one where it was repeated.
  func value(_ option: String) -> String? { values[option]?.last }
  /// All values of an option, in order.
  func all(_ option: String) -> [String] { values[option] ?? [] }

  /// Without an option that its command reads in a way of its own.
  mutating func remove(_ option: String) { values[option] = nil }

  mutating func add(_ option: String, _ value: String?) { values[option, default: []].append(value ?? "") }
}

/// The tool's exit codes.
enum ExitCode: Int32, Sendable {
  case success = 0
  /// The verdict failed, `check` found a problem, or files differ.
  case failed = 1
  case usage = 2
  /// Input could not be read or held nothing to work on.
  case input = 3
  /// The environment lacks something, or cannot do what is asked.
  case environment = 4
}
