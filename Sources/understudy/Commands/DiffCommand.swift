import CaptureFiles
import ReplayReports
import ReplayScenarios

extension Command {
  /// `understudy diff`
  static let diff = Command(
    name: "diff", abstract: "Tell what differs between two scenarios, or a scenario and a new capture.",
    operands: "SCENARIO SCENARIO|CAPTURE",
    operandCount: 2...2,
    discussion: """
      Compares the device, its database, what it answered to equal requests, and how long it took. A capture's peripheral is the
      one with the scenario's address, else its only one. The exit code is 1 where something differs.
      """,
    options: [
      Option(
        "--ignore", value: "LIST",
        help: "Leave out stack (discovery, MTU), unread (what one of both did not ask for), timing."),
      Option("--json", help: "Print one JSON document: an array of objects with area and text."),
    ] + CaptureArguments.options + CaptureArguments.identityOptions
  ) { arguments, console in
    do throws(UsageError) {
      let ignored = try ScenarioDifference.Ignored(arguments)
      return ScenarioComparison(console, try CaptureArguments.options(arguments)).run(arguments, ignored)
    } catch {
      console.report(error.description)
      return .usage
    }
  }
}

extension ScenarioDifference.Ignored {
  /// What `--ignore` names.
  fileprivate init(_ arguments: Arguments) throws(UsageError) {
    self = []
    let names: [(String, Self)] = [("stack", .stack), ("unread", .unread), ("timing", .timing)]
    for text in (arguments.value("--ignore") ?? "").split(separator: ",").map(String.init) {
      guard let known = names.first(where: { $0.0 == text }) else {
        throw UsageError(description: "--ignore \(printable(text)): there are \(names.map(\.0).joined(separator: ", "))")
      }
      insert(known.1)
    }
  }
}

/// Holds two scenarios against each other.
struct ScenarioComparison {
  private let console: Console
  private let options: CaptureOptions

  init(_ console: Console, _ options: CaptureOptions) { (self.console, self.options) = (console, options) }

  func run(_ arguments: Arguments, _ ignored: ScenarioDifference.Ignored) -> ExitCode {
    do {
      let first = try Scenario.read(file: arguments.operands[0])
      let other = arguments.operands[1]
      let second =
        ScenarioFile.isOne(other) ? try Scenario.read(file: other) : try ScenarioFile.scenario(inCapture: other, of: first.device, options)
      let lines = ScenarioDifference(first, second, ignoring: ignored).lines
      if arguments.has("--json") {
        let list = lines.map { JSONValue.object([("area", .string($0.area.rawValue)), ("text", .string($0.text))]) }
        console.print(JSONValue.array(list).text + "\n")
      } else {
        for line in lines { console.print("\(line.area.rawValue): \(printable(line.text))\n") }
        if lines.isEmpty { console.print("no difference\n") }
      }
      return lines.isEmpty ? .success : .failed
    } catch {
      console.report("\(error)")
      return .input
    }
  }
}
