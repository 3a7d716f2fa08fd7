import CaptureFiles
import ReplayReports
import ReplayScenarios
import ScenarioExtraction
import SessionReconstruction

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
      let second = try scenario(arguments.operands[1], like: first)
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

  /// A scenario file, or the scenario of a capture's peripheral.
  private func scenario(_ path: String, like first: Scenario) throws -> Scenario {
    if path.hasSuffix(".json5") || path.hasSuffix(".json") { return try Scenario.read(file: path) }
    let recording = try CaptureRecording(path: path, options: options)
    if let emptiness = recording.reconstruction.emptiness { throw emptiness }
    let extractor = ScenarioExtractor(recording)
    let subjects = extractor.subjects
    guard
      let subject = subjects.first(where: { $0.address?.value == first.device.address?.value }) ?? (subjects.count == 1 ? subjects[0] : nil)
    else {
      let known = subjects.map { $0.address?.description ?? "unknown" }.joined(separator: ", ")
      throw UsageError(
        description:
          "\(path): has no peripheral \(first.device.address?.description ?? "without an address") (\(known.isEmpty ? "none" : known)); "
          + "extract the one that is meant first")
    }
    return extractor.scenario(of: subject)
  }
}
