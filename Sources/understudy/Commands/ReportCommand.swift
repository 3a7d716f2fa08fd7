import ReplayEngine
import ReplayReports

extension Command {
  /// `understudy report`
  static let report = Command(
    name: "report", abstract: "Join the results of a sweep's shards, and write them in other forms.", operands: "RESULT.json…",
    operandCount: 1...Int.max,
    discussion: """
      Reads the JSON reports of all shards of one sweep and tells what one run would have told; --report writes it in the form that a
      file's ending asks for. Points of which no shard tells are listed, and let it fail.
      """,
    options: [ReportFiles.option(forms: Report.Form.allCases), Option("--json", help: "Print the result as one JSON document.")]
  ) { arguments, console in
    let reports: ReportFiles
    do throws(UsageError) { reports = try ReportFiles(arguments, forms: Report.Form.allCases) } catch {
      console.report(error.description)
      return .usage
    }
    let result: SweepResult
    do {
      result = try SweepResult(merging: arguments.operands.map { try SweepResult(file: $0) })
    } catch {
      console.report(printable("\(error)"))
      return .input
    }
    console.print(arguments.has("--json") ? result.json : SweepLines(result).text)
    let missing = result.missing
    if !missing.isEmpty {
      let first = missing.prefix(10).map { "\($0 + 1)" }.joined(separator: ", ")
      console.report(
        "\(missing.count) of \(result.count) points have no result: \(first)\(missing.count > 10 ? ", …" : ""); name the reports of all shards"
      )
    }
    let code = reports.write(Report(title: "understudy sweep", sweeps: [result]), console)
    return code ?? (result.passed && missing.isEmpty ? .success : .failed)
  }
}
