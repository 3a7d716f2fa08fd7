import ReplayScenarios

/// Why the arguments are not understood, with what to do about it.
struct UsageError: Error, CustomStringConvertible {
  let description: String
}

/// Sorts arguments into a command, its options and its operands, by the tables of ``Command`` and ``Option``.
struct ArgumentParser {
  enum Outcome {
    case help(Command?)
    case version
    case run(Command, Arguments)
  }

  let commands: [Command]
  let common: [Option]

  func parse(_ arguments: [String]) throws(UsageError) -> Outcome {
    guard let first = arguments.first else {
      throw UsageError(description: "no command is given; run '\(Understudy.name) --help' for the list")
    }
    if first == "--help" || first == "-h" { return .help(nil) }
    if first == "--version" { return .version }
    if first == "help", arguments.count <= 2 {
      guard arguments.count == 2 else { return .help(nil) }
      return .help(try command(arguments[1]))
    }
    if first.hasPrefix("-") {
      throw UsageError(description: unknown("option", first, among: common.map(\.name), helpFor: nil))
    }
    return try parse(arguments.dropFirst(), for: try command(first))
  }

  private func command(_ name: String) throws(UsageError) -> Command {
    for command in commands where command.name == name { return command }
    throw UsageError(description: unknown("command", name, among: commands.map(\.name), helpFor: nil))
  }

  private func parse(_ words: ArraySlice<String>, for command: Command) throws(UsageError) -> Outcome {
    let help = "run '\(Understudy.name) \(command.name) --help'"
    var arguments = Arguments()
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        arguments.operands += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        arguments.operands.append(word)
        continue
      }
      let (name, joined) = split(word)
      guard let option = (command.options + common).first(where: { $0.name == name || $0.short == name }) else {
        throw UsageError(
          description: unknown("option", name, among: (command.options + common).map(\.name), helpFor: command.name))
      }
      if option.value == nil {
        if joined != nil { throw UsageError(description: "\(option.name) takes no value; \(help)") }
        if option.name == "--help" { return .help(command) }
        if option.name == "--version" { return .version }
        arguments.add(option.name, nil)
        continue
      }
      guard let value = joined ?? rest.popFirst() else {
        throw UsageError(description: "\(option.name) needs a value, \(option.value ?? ""); \(help)")
      }
      if arguments.has(option.name), !option.repeats {
        throw UsageError(description: "\(option.name) is given twice; give it once")
      }
      arguments.add(option.name, value)
    }
    guard arguments.operands.count >= command.operandCount.lowerBound else {
      throw UsageError(description: "\(command.name) needs \(command.operands); \(help)")
    }
    guard arguments.operands.count <= command.operandCount.upperBound else {
      let extra = arguments.operands[command.operandCount.upperBound]
      throw UsageError(description: "'\(printable(extra))' is one operand too many for \(command.name); \(help)")
    }
    return .run(command, arguments)
  }

  /// Splits `--name=value`; a short option has no joined value.
  private func split(_ word: String) -> (name: String, value: String?) {
    guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else { return (word, nil) }
    return (String(word[..<sign]), String(word[word.index(after: sign)...]))
  }

  private func unknown(_ what: String, _ given: String, among names: [String], helpFor command: String?) -> String {
    let help = "'\(Understudy.name) \(command.map { $0 + " " } ?? "")--help'"
    let problem = "unknown \(what) '\(printable(given))'\(command.map { " of \($0)" } ?? "")"
    if let near = Spelling.suggestion(for: given, among: names) { return "\(problem); did you mean '\(near)'? \(help) lists all" }
    return "\(problem); \(help) lists all"
  }
}
