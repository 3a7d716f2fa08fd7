import CaptureFiles
import Foundation
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
      ReportFiles.option(forms: CaptureInspection.reportForms),
    ] + CaptureArguments.options + CaptureArguments.identityOptions
  ) { arguments, console in
    if arguments.has("--json"), arguments.has("--att") {
      console.report("--json and --att exclude each other; give one of them")
      return .usage
    }
    do throws(UsageError) {
      let form: CaptureInspection.Form = arguments.has("--json") ? .json : arguments.has("--att") ? .att : .text
      let inspection = CaptureInspection(
        form: form, options: try CaptureArguments.options(arguments),
        reports: try ReportFiles(arguments, forms: CaptureInspection.reportForms),
        console: console)
      return inspection.run(CaptureInputs(arguments.operands))
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
  let reports: ReportFiles
  let console: Console
  /// Captures have no outcome that the other forms would tell.
  static let reportForms: [Report.Form] = [.html]

  func run(_ inputs: CaptureInputs) -> ExitCode {
    var code = ExitCode.success
    var (shown, passedOver) = (0, 0)
    var report = Report(
      title: inputs.files.count == 1 ? URL(filePath: inputs.files[0]).lastPathComponent : "\(inputs.files.count) captures")
    let isOneOfMany = inputs.files.count > 1 || !inputs.fromFolders.isEmpty
    if form == .json, isOneOfMany { console.print("[") }
    for file in inputs.files where !console.isClosed {
      do {
        let recording = try show(file, isOneOfMany: isOneOfMany, isFirst: shown == 0)
        if let recording { report.recordings.append(recording) }
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
    return reports.write(report, console) ?? code
  }

  /// Prints what a capture holds; gives it for the report, where there is to be one.
  private func show(_ file: String, isOneOfMany: Bool, isFirst: Bool) throws -> Recording? {
    let reader = try CaptureReader(path: file, options: options)
    let progress = ReadingProgress(file, byteCount: reader.byteCount, console)
    defer { progress.end() }
    let listing =
      form == .att ? ATTListing(console: console, heading: isOneOfMany ? "\(isFirst ? "" : "\n")# \(printable(file))\n" : "") : nil
    let capture = try Reconstruction(reader, observer: listing, keepsTraffic: !reports.isEmpty, progress: progress.reached)
    if let emptiness = capture.emptiness { throw emptiness }
    progress.end()
    switch form {
    case .text:
      if isOneOfMany { console.print("\(isFirst ? "" : "\n")== \(printable(file)) ==\n") }
      console.print(CaptureText(capture).text)
    case .json: print(CaptureJSON.document(capture), isOneOfMany: isOneOfMany, isFirst: isFirst)
    case .att: listing?.finish()
    }
    return reports.isEmpty ? nil : CaptureTimelines.recording(capture)
  }

  private func print(_ value: JSONValue, isOneOfMany: Bool, isFirst: Bool) {
    if isOneOfMany { console.print(isFirst ? "\n" : ",\n") }
    console.write { value.append(to: &$0) }
  }
}
