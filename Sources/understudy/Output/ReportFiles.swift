import ReplayReports

/// The files that `--report` asks for.
struct ReportFiles {
  private let paths: [String]

  var isEmpty: Bool { paths.isEmpty }

  /// The option of a command that can write these forms.
  static func option(forms: [Report.Form], note: String? = nil) -> Option {
    let names = forms.map { $0 == .junit ? ".xml (JUnit)" : ".\($0.rawValue)" }.joined(separator: ", ")
    return Option(
      "--report", value: "FILE", repeats: true,
      help: "Write a report, in the form that the ending asks for: \(names)\(note.map { "; \($0)" } ?? "").")
  }

  /// Looks at the endings before anything is done.
  init(_ arguments: Arguments, forms: [Report.Form]) throws(UsageError) {
    paths = arguments.all("--report")
    for path in paths {
      guard let form = Report.Form(path: path), forms.contains(form) else {
        let endings = forms.map { ".\($0.rawValue)" }.joined(separator: ", ")
        throw UsageError(
          description: "--report \(printable(path)): the ending tells the form; there \(forms.count == 1 ? "is" : "are") \(endings)")
      }
    }
  }

  /// Writes the report; `nil` where all went well.
  func write(_ report: Report, _ console: Console) -> ExitCode? {
    var code: ExitCode?
    for path in paths {
      do throws(ReportError) { try report.write(to: path) } catch {
        console.report(error.description)
        code = .environment
      }
    }
    return code
  }
}
