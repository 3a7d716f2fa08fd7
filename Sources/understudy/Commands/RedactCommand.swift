import ReplayScenarios

extension Command {
  /// `understudy redact`
  static let redact = Command(
    name: "redact", abstract: "Take addresses, names and the like out of a scenario.", operands: "SCENARIO", operandCount: 1...1,
    discussion: """
      Replaces addresses (the kind of a random one stays), names, identifiers, serial numbers and System IDs, and the values that
      --value names, wherever they stand and in both byte orders, by pseudonyms of the same length; clears notes and the name of
      the capture. UUIDs, handles, lengths and times stay, so that the result plays as before. The same input gives the same
      output, and what is redacted stays as it is when it is redacted again.
      """,
    options: [
      Option("--output", short: "-o", value: "FILE", help: "Where the redacted scenario goes; needed."),
      Option(
        "--value", value: "HANDLE|UUID", repeats: true,
        help: "Replace the values of this attribute (0x000c), characteristic or service (2A37), too."),
    ]
  ) { arguments, console in
    do throws(UsageError) {
      guard let output = arguments.value("--output"), !output.isEmpty else {
        throw UsageError(description: "redact needs to know where to write; give -o FILE.json5")
      }
      var redaction = ScenarioRedaction()
      (redaction.handles, redaction.types) = try arguments.attributes("--value")
      return ScenarioEdit(console).write(arguments.operands[0], to: output) { redaction.redacted($0) }
    } catch {
      console.report(error.description)
      return .usage
    }
  }
}
