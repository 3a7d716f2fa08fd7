import CaptureFiles
import Foundation
import ReplayScenarios
import ScenarioExtraction
import SessionReconstruction

extension Command {
  /// `understudy extract`
  static let extract = Command(
    name: "extract", abstract: "Make scenarios of the peripherals in a capture.", operands: "CAPTURE…", operandCount: 1...Int.max,
    discussion: """
      One peripheral goes into the file that -o names; several go into a folder, a file each, named after the device. A file
      that exists is replaced at once, when the new one is complete.
      """,
    options: [
      Option("--output", short: "-o", value: "SCENARIO|FOLDER", help: "Where the scenario or scenarios go; needed."),
      Option("--peer", value: "ADDRESS", help: "Only the peripheral with this address, as C0:11:22:33:44:55."),
      Option("--name", value: "NAME", help: "Only peripherals whose name contains this text."),
      Option("--link", value: "N", repeats: true, help: "Only this link of the listing that inspect prints."),
    ] + CaptureArguments.options
  ) { arguments, console in ScenarioExport(arguments, console).run() }
}

/// Writes the scenarios of captures.
struct ScenarioExport {
  let arguments: Arguments
  let console: Console

  init(_ arguments: Arguments, _ console: Console) { (self.arguments, self.console) = (arguments, console) }

  func run() -> ExitCode {
    guard let output = arguments.value("--output"), !output.isEmpty else {
      console.report("extract needs to know where to write; give -o FILE.json5, or -o FOLDER for several peripherals")
      return .usage
    }
    var links: Set<Int> = []
    for text in arguments.all("--link") {
      guard let link = Int(text), link > 0 else {
        console.report("--link \(text): links are numbered from 1; see `understudy inspect`")
        return .usage
      }
      links.insert(link)
    }
    let peer = arguments.value("--peer").flatMap { BluetoothAddress($0, kind: .publicDevice) }
    if let text = arguments.value("--peer"), peer == nil {
      console.report("--peer \(text): an address has six octets, as C0:11:22:33:44:55")
      return .usage
    }
    let options: CaptureOptions
    do { options = try CaptureArguments.options(arguments) } catch {
      console.report(error.description)
      return .usage
    }
    var found: [(file: String, scenario: Scenario)] = []
    var code = ExitCode.success
    var passedOver = 0
    let inputs = CaptureInputs(arguments.operands)
    for file in inputs.files {
      do {
        let scenarios = try scenarios(in: file, peer: peer, links: links, options)
        if scenarios.isEmpty {
          console.report(
            "\(file): holds no peripheral with attribute traffic\(isFiltered ? " that the options choose" : ""); see `understudy inspect \(file)`"
          )
          code = .input
        }
        found += scenarios.map { (file, $0) }
      } catch {
        if inputs.isPassedOver(file, error) {
          passedOver += 1
          continue
        }
        console.report("\(error)")
        code = .input
      }
    }
    CaptureInputs.report(passedOver: passedOver, console)
    guard !found.isEmpty else { return code }
    return write(found.map(\.scenario), to: output) ?? code
  }

  private var isFiltered: Bool { ["--peer", "--name", "--link"].contains { arguments.has($0) } }

  private func scenarios(in file: String, peer: BluetoothAddress?, links: Set<Int>, _ options: CaptureOptions) throws -> [Scenario] {
    let reader = try CaptureReader(path: file, options: options)
    let progress = ReadingProgress(file, byteCount: reader.byteCount, console)
    defer { progress.end() }
    let recording = try CaptureRecording(reader, progress: progress.reached)
    if let emptiness = recording.reconstruction.emptiness { throw emptiness }
    let extractor = ScenarioExtractor(recording)
    return extractor.subjects.compactMap { subject in
      if let peer, subject.address?.value != peer.value { return nil }
      var chosen = subject
      if !links.isEmpty { chosen.links = subject.links.filter { links.contains($0) } }
      guard !chosen.links.isEmpty else { return nil }
      let scenario = extractor.scenario(of: chosen)
      if let name = arguments.value("--name"), !(scenario.device.name ?? "").localizedCaseInsensitiveContains(name) { return nil }
      return scenario
    }
  }

  /// Writes one scenario to a file, several into a folder; `nil` where all went well.
  private func write(_ scenarios: [Scenario], to output: String) -> ExitCode? {
    let isFolder = (try? URL(fileURLWithPath: output).resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory
    let asFolder = isFolder ?? (scenarios.count > 1 && !output.hasSuffix(".json5") || output.hasSuffix("/"))
    if !asFolder, scenarios.count > 1 {
      let names = scenarios.map { "\($0.device.address?.description ?? "the captured host") \(printable($0.device.name ?? ""))" }
      console.report(
        "\(output): \(scenarios.count) peripherals do not fit into one file (\(names.joined(separator: ", "))); name a folder, or choose with --peer"
      )
      return .usage
    }
    do {
      if asFolder { try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true) }
      var taken: [String: Int] = [:]
      for scenario in scenarios {
        let path = asFolder ? output + (output.hasSuffix("/") ? "" : "/") + Self.fileName(scenario, &taken) : output
        try scenario.write(to: path)
        let entries = scenario.sessions.reduce(0) { $0 + $1.entries.count }
        console.print(
          "\(path): \(printable(scenario.device.name ?? "no name")), \(scenario.device.address?.description ?? "no address"), "
            + "\(scenario.database.count) attributes, \(scenario.sessions.count) session\(scenario.sessions.count == 1 ? "" : "s"), \(entries) entries\n"
        )
      }
      return nil
    } catch {
      console.report("\(error)")
      return .environment
    }
  }

  /// A file name of the device's name or address, in lower-case letters, digits and hyphens, and not given twice.
  private static func fileName(_ scenario: Scenario, _ taken: inout [String: Int]) -> String {
    let wanted = scenario.device.name ?? scenario.device.address?.description ?? "peripheral"
    var base = ""
    for scalar in wanted.lowercased().unicodeScalars {
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      if isPlain { base.unicodeScalars.append(scalar) } else if !base.isEmpty, !base.hasSuffix("-") { base += "-" }
    }
    while base.hasSuffix("-") { base.removeLast() }
    base = String(base.prefix(60))
    if base.isEmpty { base = "peripheral" }
    var name = base
    var number = taken[base] ?? 1
    while taken[name] != nil {
      number += 1
      name = "\(base)-\(number)"
    }
    taken[base] = number
    taken[name] = taken[name] ?? 1
    return name + ".json5"
  }
}
