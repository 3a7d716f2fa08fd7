import CaptureFiles
import ReplayScenarios
import ScenarioExtraction

extension Command {
  /// `understudy redact`
  static let redact = Command(
    name: "redact", abstract: "Take addresses, names, keys and the like out of a scenario or a capture.", operands: "SCENARIO|CAPTURE",
    operandCount: 1...1,
    discussion: """
      Replaces addresses (the kind of a random one stays), names, identifiers, serial numbers, System IDs and keys, and the values
      that --value names, wherever they stand and in both byte orders, by pseudonyms of the same length; clears notes and the name
      of the capture. Of a capture it also leaves out the text between packets and clears audio, other data of BR/EDR links, and
      what is in packets of vendors' own. UUIDs, handles, lengths and times stay, so that the result plays as before. The same
      input gives the same output, and what is redacted stays as it is when it is redacted again.
      """,
    options: [
      Option(
        "--output", short: "-o", value: "FILE",
        help: "Where the result goes; of a capture .btsnoop, .log, .pcapng or .pklg says the format; needed."),
      Option(
        "--value", value: "HANDLE|UUID", repeats: true,
        help: "Replace the values of this attribute (0x000c), characteristic or service (2A37), too."),
    ] + CaptureArguments.options + CaptureArguments.identityOptions
  ) { arguments, console in
    do throws(UsageError) {
      guard let output = arguments.value("--output"), !output.isEmpty else {
        throw UsageError(description: "redact needs to know where to write; give -o FILE.json5, or -o FILE.pcapng for a capture")
      }
      let (input, values) = (arguments.operands[0], try arguments.attributes("--value"))
      guard ScenarioFile.isOne(input) else {
        guard input != "-" else {
          throw UsageError(description: "redact reads a capture more than once, and standard input can be read only once; give a file")
        }
        return CaptureConversion(arguments, console).run([input]) { try CaptureRedaction(handles: values.0, types: values.1, $0) }
      }
      var redaction = ScenarioRedaction()
      (redaction.handles, redaction.types) = values
      return ScenarioEdit(console).write(input, to: output) { redaction.redacted($0) }
    } catch {
      console.report(error.description)
      return .usage
    }
  }
}
