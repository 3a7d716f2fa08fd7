import CaptureFiles
import ReplayReports
import SessionReconstruction

extension Command {
  /// `understudy inspect`
  static let inspect = Command(
    name: "inspect", abstract: "Show what a capture holds.", operands: "CAPTURE…", operandCount: 1...Int.max,
    discussion: """
      Prints the peers with their services and how their connections ended, then the links, connections that failed, and
      what is odd about the capture. CAPTURE is a file of btsnoop, pcap, pcapng or Apple's PacketLogger, whatever its name, also
      compressed; an Android bug report or its text; an iOS sysdiagnose; a folder of such files; - is standard input.

      With --att, each ATT PDU is a line of fields between tabs: frame, time (seconds since 1970, as recorded), link, connection
      handle or access address, > from the link's central or < to it, the whole PDU in hex, its name, and the attribute's handle.
      """,
    options: [
      Option("--json", help: "Print one JSON document: an object, or an array of them for several captures."),
      Option("--att", help: "Print one ATT PDU a line."),
    ] + CaptureArguments.options + CaptureArguments.identityOptions
  ) { arguments, console in
    if arguments.has("--json"), arguments.has("--att") {
      console.report("--json and --att exclude each other; give one of them")
      return .usage
    }
    do throws(UsageError) {
      let form: CaptureInspection.Form = arguments.has("--json") ? .json : arguments.has("--att") ? .att : .text
      return CaptureInspection(form: form, options: try CaptureArguments.options(arguments), console: console)
        .run(CaptureInputs(arguments.operands))
    } catch {
      console.report(error.description)
      return .usage
    }
  }
}

/// Inspects captures one after the other; one that cannot be read does not keep the others from it.
struct CaptureInspection {
  enum Form { case text, json, att }
  let form: Form
  let options: CaptureOptions
  let console: Console

  func run(_ inputs: CaptureInputs) -> ExitCode {
    var code = ExitCode.success
    var (shown, passedOver) = (0, 0)
    let isOneOfMany = inputs.files.count > 1 || !inputs.fromFolders.isEmpty
    if form == .json, isOneOfMany { console.print("[") }
    for file in inputs.files where !console.isClosed {
      do {
        try show(file, isOneOfMany: isOneOfMany, isFirst: shown == 0)
        shown += 1
      } catch {
        if inputs.isPassedOver(file, error) {
          passedOver += 1
          continue
        }
        if form == .json, isOneOfMany {
          print(.object([("file", .string(file)), ("error", .string("\(error)"))]), isOneOfMany: true, isFirst: shown == 0)
          shown += 1
        }
        console.report("\(error)")
        code = .input
      }
    }
    if form == .json { console.print(isOneOfMany ? "\n]\n" : code == .success ? "\n" : "") }
    CaptureInputs.report(passedOver: passedOver, console)
    if shown == 0, code == .success {
      console.report("there is no capture in what was given")
      code = .input
    }
    return code
  }

  private func show(_ file: String, isOneOfMany: Bool, isFirst: Bool) throws {
    let reader = try CaptureReader(path: file, options: options)
    let progress = ReadingProgress(file, byteCount: reader.byteCount, console)
    defer { progress.end() }
    let listing =
      form == .att ? ATTListing(console: console, heading: isOneOfMany ? "\(isFirst ? "" : "\n")# \(printable(file))\n" : "") : nil
    let capture = try Reconstruction(reader, observer: listing, progress: progress.reached)
    if let emptiness = capture.emptiness { throw emptiness }
    progress.end()
    switch form {
    case .text:
      if isOneOfMany { console.print("\(isFirst ? "" : "\n")== \(printable(file)) ==\n") }
      console.print(CaptureText(capture).text)
    case .json: print(CaptureJSON.document(capture), isOneOfMany: isOneOfMany, isFirst: isFirst)
    case .att: listing?.finish()
    }
  }

  private func print(_ value: JSONValue, isOneOfMany: Bool, isFirst: Bool) {
    if isOneOfMany { console.print(isFirst ? "\n" : ",\n") }
    console.write { value.append(to: &$0) }
  }
}
