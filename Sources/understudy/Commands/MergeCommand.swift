import CaptureFiles
import ReplayScenarios
import ScenarioExtraction

extension Command {
  /// `understudy merge`
  static let merge = Command(
    name: "merge", abstract: "Make one capture, or one scenario, of several.", operands: "CAPTURE|SCENARIO…", operandCount: 1...Int.max,
    discussion: """
      Captures are joined to one log in the order of their times, what two have in common once, and written as -o says: as a
      capture, or as the scenarios of its peripherals, as if there had been one log. Scenarios of one device, captures of it
      among them, become one scenario: its attributes together, its sessions in the order of their times, equal ones once.
      Where two files tell of different attributes at one handle, the handle and both files are named, and the sessions of the
      one get a database of their own.
      """,
    options: [
      Option(
        "--output", short: "-o", value: "FILE|FOLDER",
        help: "Where the result goes; .btsnoop, .log, .pcapng or .pklg asks for a capture; needed.")
    ] + ScenarioExport.filters + CaptureArguments.options + CaptureArguments.identityOptions
  ) { arguments, console in
    guard let output = arguments.value("--output"), !output.isEmpty else {
      console.report("merge needs to know where to write; give -o FILE.json5, or -o FILE.pcapng for a capture")
      return .usage
    }
    let scenarios = arguments.operands.filter(ScenarioFile.isOne)
    if CaptureOutputFormat(ending: output) != nil {
      guard scenarios.isEmpty else {
        console.report("\(printable(scenarios[0])): is a scenario, of which no capture can be made; give -o FILE.json5")
        return .usage
      }
      return CaptureConversion(arguments, console).run(CaptureInputs(arguments.operands).files)
    }
    if scenarios.isEmpty { return ScenarioExport(arguments, console).run(CaptureInputs(arguments.operands), joined: true) }
    return ScenarioJoining(arguments, console).run(to: output)
  }
}

/// Merges scenarios, and captures of the same device.
struct ScenarioJoining {
  let arguments: Arguments
  let console: Console

  init(_ arguments: Arguments, _ console: Console) { (self.arguments, self.console) = (arguments, console) }

  func run(to output: String) -> ExitCode {
    do {
      let options = try CaptureArguments.options(arguments)
      // The scenarios say which device of the captures is meant.
      let files = arguments.operands.filter(ScenarioFile.isOne)
      let captures = CaptureInputs(arguments.operands.filter { !ScenarioFile.isOne($0) }).files
      var merge: ScenarioMerge?
      for file in files { try Self.add(try Scenario.read(file: file), file, to: &merge) }
      for file in captures {
        guard let device = merge?.scenario.device else { continue }
        try Self.add(try ScenarioFile.scenario(inCapture: file, of: device, options), file, to: &merge)
      }
      guard let merge else { return .input }
      for conflict in merge.conflicts { console.report(printable(conflict)) }
      return ScenarioEdit(console).write(merge.scenario, to: output)
    } catch let error as UsageError {
      console.report(error.description)
      return .usage
    } catch {
      console.report("\(error)")
      return .input
    }
  }

  private static func add(_ scenario: Scenario, _ file: String, to merge: inout ScenarioMerge?) throws {
    guard var known = merge else { return merge = ScenarioMerge(scenario, file: file) }
    try known.add(scenario, file: file)
    merge = known
  }
}
