import CaptureFiles
import ScenarioExtraction

extension Command {
  /// `understudy convert`
  static let convert = Command(
    name: "convert", abstract: "Write a capture in another format.", operands: "CAPTURE", operandCount: 1...1,
    discussion: """
      Writes what inspect reads as btsnoop, pcapng or PacketLogger, so that other programs open it; directions and times are kept
      as they were recorded. What the format has no place for is counted and told.
      """,
    options: [
      Option("--output", short: "-o", value: "FILE", help: "Where it goes; .btsnoop, .log, .pcapng or .pklg says the format; needed.")
    ] + CaptureArguments.options
  ) { arguments, console in CaptureConversion(arguments, console).run(arguments.operands) }
}

/// Copies the records of a capture into a file of another format.
struct CaptureConversion {
  let arguments: Arguments
  let console: Console

  init(_ arguments: Arguments, _ console: Console) { (self.arguments, self.console) = (arguments, console) }

  /// How much is kept before it is written.
  private static let chunk = 1 << 20

  /// Copies the records of these captures, as one log; `redaction` learns from them first.
  func run(_ files: [String], redaction: ((() throws -> CaptureReader) throws -> CaptureRedaction)? = nil) -> ExitCode {
    guard let output = arguments.value("--output"), !output.isEmpty else {
      console.report("convert needs to know where to write; give -o FILE.btsnoop, FILE.pcapng or FILE.pklg")
      return .usage
    }
    guard let format = CaptureOutputFormat(ending: output) else {
      console.report("\(printable(output)): the ending says the format; end it in .btsnoop, .log, .pcapng or .pklg")
      return .usage
    }
    let options: CaptureOptions
    do { options = try CaptureArguments.options(arguments) } catch {
      console.report(error.description)
      return .usage
    }
    do {
      func open() throws -> CaptureReader {
        files.count == 1 ? try CaptureReader(path: files[0], options: options) : try CaptureReader(joining: files, options: options)
      }
      var redaction = try redaction?(open)
      var reader = try open()
      let progress = ReadingProgress(reader.file, byteCount: reader.byteCount, console)
      defer { progress.end() }
      var writer = format.writer(for: reader.format)
      let file = try AtomicFile(path: output)
      var losses: [CaptureLoss: Int] = [:]
      var (waiting, passedOver, leftOut) = (0, 0, 0)
      try reader.forEachRecord { record in
        if record.kind == .transport { passedOver += 1 }
        if redaction == nil {
          if let loss = writer.append(record) { losses[loss, default: 0] += 1 }
        } else if record.kind != .transport,
          redaction?.redact(record, { if let loss = writer.append($0) { losses[loss, default: 0] += 1 } }) == false
        {
          leftOut += 1
        }
        waiting += record.bytes.byteCount + 64
        if waiting >= Self.chunk {
          try file.write(writer.takeBytes())
          waiting = 0
          progress.reached(record.byteOffset)
        }
      }
      if let emptiness = reader.emptiness { throw emptiness }
      progress.end()
      let written = reader.recordCount - passedOver - leftOut - (losses[.record] ?? 0)
      if leftOut > 0 { console.report("\(printable(output)): \(counted(leftOut, "record")) of text or of unknown kinds left out") }
      if written > 0 {
        writer.finish()
        try file.write(writer.takeBytes())
        try file.commit()
        console.print("\(printable(output)): \(counted(written, "record"))\n")
      }
      report(output, reader, losses)
      guard written > 0 else {
        // An empty capture is of no use, and would take the place of what stood there.
        console.report(
          "\(printable(output)): is not written: nothing in \(printable(reader.file)) has a place in its format; give -o FILE.pcapng, "
            + "which also takes what sniffers heard")
        return .input
      }
      return .success
    } catch let error as CaptureError {
      console.report("\(error)")
      return error.code == .cannotWrite ? .environment : .input
    } catch {
      console.report("\(error)")
      return .input
    }
  }

  private func report(_ output: String, _ reader: CaptureReader, _ losses: [CaptureLoss: Int]) {
    for loss in CaptureLoss.allCases {
      if let count = losses[loss] { console.report("\(printable(output)): lacks \(count) \(loss.description)") }
    }
    for finding in reader.findings.findings where finding.severity != .note {
      console.report("\(printable(reader.file)): \(finding.severity): \(printable(finding.message))")
    }
  }
}

extension CaptureOutputFormat {
  /// What a file name's ending asks for; `nil` where it asks for no capture.
  init?(ending output: String) {
    let endings: [(String, CaptureOutputFormat)] = [
      (".btsnoop", .btsnoop), (".log", .btsnoop), (".cfa", .btsnoop), (".pcapng", .pcapng), (".pklg", .pklg),
    ]
    guard let found = endings.first(where: { output.lowercased().hasSuffix($0.0) }) else { return nil }
    self = found.1
  }
}
