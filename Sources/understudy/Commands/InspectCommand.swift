import ReplayReports
import SessionReconstruction

extension Command {
  /// `understudy inspect`
  static let inspect = Command(
    name: "inspect", abstract: "Show what a capture holds.", operands: "CAPTURE…", operandCount: 1...Int.max,
    discussion: """
      Prints the peers with their services and how their connections ended, then the links, connections that failed, and
      what is odd about the capture. CAPTURE is a btsnoop file (datalink 1001, 1002 or 2001) or one of PacketLogger,
      whatever its name; - is standard input.

      With --att, each ATT PDU is a line of fields between tabs: frame, time (seconds since 1970), link, connection handle,
      > from the link's central or < to it, the whole PDU in hex, its name, and the attribute's handle.
      """,
    options: [
      Option("--json", help: "Print one JSON document: an object, or an array of them for several captures."),
      Option("--att", help: "Print one ATT PDU a line."),
    ]
  ) { arguments, console in
    if arguments.has("--json"), arguments.has("--att") {
      console.report("--json and --att exclude each other; give one of them")
      return .usage
    }
    let form: CaptureInspection.Form = arguments.has("--json") ? .json : arguments.has("--att") ? .att : .text
    return CaptureInspection(form: form, console: console).run(arguments.operands)
  }
}

/// Inspects captures one after the other; one that cannot be read does not keep the others from it.
struct CaptureInspection {
  enum Form { case text, json, att }
  let form: Form
  let console: Console

  func run(_ files: [String]) -> ExitCode {
    var code = ExitCode.success
    if form == .json, files.count > 1 { console.print("[") }
    for (index, file) in files.enumerated() where !console.isClosed {
      if form == .json, files.count > 1 { console.print(index == 0 ? "\n" : ",\n") }
      do {
        try show(file, isOneOfMany: files.count > 1, isFirst: index == 0)
      } catch {
        if form == .json, files.count > 1 { print(.object([("file", .string(file)), ("error", .string("\(error)"))])) }
        console.report("\(error)")
        code = .input
      }
    }
    if form == .json { console.print(files.count > 1 ? "\n]\n" : code == .success ? "\n" : "") }
    return code
  }

  private func show(_ file: String, isOneOfMany: Bool, isFirst: Bool) throws {
    switch form {
    case .text:
      let capture = try Reconstruction(path: file)
      if isOneOfMany { console.print("\(isFirst ? "" : "\n")== \(printable(file)) ==\n") }
      console.print(CaptureText(capture).text)
    case .json: print(CaptureJSON.document(try Reconstruction(path: file)))
    case .att:
      // The heading waits until the file proves readable.
      let reader = try CaptureReader(path: file)
      if isOneOfMany { console.print("\(isFirst ? "" : "\n")# \(printable(file))\n") }
      _ = try Reconstruction(reader, observer: ATTListing(console: console))
    }
  }

  private func print(_ value: JSONValue) { console.write { value.append(to: &$0) } }
}
