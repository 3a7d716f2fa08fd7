/// The help texts, made from the tables that parsing uses.
enum HelpText {
  static func tool() -> String {
    let width = (Understudy.commands.map(\.name.count).max() ?? 0) + 2
    var text = """
      \(Understudy.abstract)

      usage: \(Understudy.name) COMMAND [OPTION…] …

      commands:

      """
    for command in Understudy.commands { text += "  \(padded(command.name, width))\(command.abstract)\n" }
    return text + "\noptions:\n" + list(Understudy.commonOptions) + """

      '\(Understudy.name) COMMAND --help' tells more of a command.
      Exit codes: 0 all well; 1 a verdict failed, a problem was found or files differ; 2 usage; 3 input could not be read;
      4 the environment lacks something.

      """
  }

  static func command(_ command: Command) -> String {
    """
    \(command.abstract)

    usage: \(Understudy.name) \(command.name) \(command.operands) [OPTION…]

    \(command.discussion)

    options:
    \(list(command.options + Understudy.commonOptions))
    """
  }

  private static func list(_ options: [Option]) -> String {
    let width = (options.map(\.synopsis.count).max() ?? 0) + 2
    return options.map { "  \(padded($0.synopsis, width))\($0.help)\($0.repeats ? " May be repeated." : "")\n" }.joined()
  }
}

/// Text with spaces after it up to `width` characters.
func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
