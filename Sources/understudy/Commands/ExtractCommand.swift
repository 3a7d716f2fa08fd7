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
      Option("--output", short: "-o", value: "SCENARIO|FOLDER", help: "Where the scenario or scenarios go; needed.")
    ] + ScenarioExport.filters + [
      Option("--keys", help: "Keep the values of keys that were distributed in plain; they let others read and track the device.")
    ] + CaptureArguments.options + CaptureArguments.identityOptions
  ) { arguments, console in ScenarioExport(arguments, console).run(CaptureInputs(arguments.operands)) }
}

/// Writes the scenarios of captures.
struct ScenarioExport {
  let arguments: Arguments
  let console: Console

  init(_ arguments: Arguments, _ console: Console) { (self.arguments, self.console) = (arguments, console) }

  /// Options that say which peripherals, and what is known of them besides.
  static let filters: [Option] = [
    Option("--peer", value: "ADDRESS", help: "Only the peripheral with this address, as C0:11:22:33:44:55."),
    Option("--name", value: "NAME", help: "Only peripherals whose name contains this text."),
    Option("--service", value: "UUID", help: "Only peripherals with this service, as 180D."),
    Option("--from", value: "TIME", help: "Only links that began at this time (UTC) or later, as 2026-11-30T05:09:30."),
    Option("--to", value: "TIME", help: "Only links that began at this time or earlier."),
    Option("--link", value: "N", repeats: true, help: "Only this link of the listing that inspect prints."),
    Option(
      "--gatt", value: "SIDECAR", repeats: true,
      help:
        "A scenario, an older capture or an nRF Connect XML export of the same device, for attributes a bonded phone did not ask for again."
    ),
  ]

  /// Each capture for itself, or all of them as one log.
  func run(_ inputs: CaptureInputs, joined: Bool = false) -> ExitCode {
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
    guard let choice = choice() else { return .usage }
    let options: CaptureOptions
    do { options = try CaptureArguments.options(arguments) } catch {
      console.report(error.description)
      return .usage
    }
    var sidecars: [DatabaseSidecar] = []
    for file in arguments.all("--gatt") {
      do { sidecars += try DatabaseSidecar.read(path: file, options: options) } catch {
        console.report("\(error)")
        return .input
      }
    }
    var found: [ScenarioOutline] = []
    var code = ExitCode.success
    var passedOver = 0
    for file in joined ? [inputs.files.joined(separator: " + ")] : inputs.files {
      do {
        let reader = joined ? try CaptureReader(joining: inputs.files, options: options) : try CaptureReader(path: file, options: options)
        let scenarios = try scenarios(in: reader, peer: peer, links: links, choice, sidecars)
        if scenarios.isEmpty {
          console.report(
            "\(file): holds no peripheral with attribute traffic\(isFiltered ? " that the options choose" : ""); see `understudy inspect \(file)`"
          )
          code = .input
        }
        found += scenarios
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
    return write(found, to: output) ?? code
  }

  /// What peripherals and links have to be like.
  private struct Choice {
    var service: BluetoothUUID?
    var times: ClosedRange<CaptureTime>
  }

  /// What the options ask for; `nil`, and a report, where they make no sense.
  private func choice() -> Choice? {
    var service: BluetoothUUID?
    if let text = arguments.value("--service") {
      service = BluetoothUUID(text)
      if service == nil {
        console.report("--service \(printable(text)): give a UUID, as 180D")
        return nil
      }
    }
    var limits = [CaptureTime(seconds: .min, nanoseconds: 0), CaptureTime(seconds: .max, nanoseconds: 0)]
    for (place, option) in ["--from", "--to"].enumerated() {
      guard let text = arguments.value(option) else { continue }
      guard let time = CaptureTime(iso8601: text) else {
        console.report("\(option) \(printable(text)): give a date, or a date and a time in UTC, as 2026-11-30T05:09:30")
        return nil
      }
      limits[place] = time
    }
    guard limits[0] <= limits[1] else {
      console.report("--from lies after --to; exchange them")
      return nil
    }
    return Choice(service: service, times: limits[0]...limits[1])
  }

  private var isFiltered: Bool { ["--peer", "--name", "--link", "--service", "--from", "--to"].contains { arguments.has($0) } }

  private func scenarios(
    in reader: CaptureReader, peer: BluetoothAddress?, links: Set<Int>, _ choice: Choice, _ sidecars: [DatabaseSidecar]
  ) throws -> [ScenarioOutline] {
    let progress = ReadingProgress(reader.file, byteCount: reader.byteCount, console)
    defer { progress.end() }
    let recording = try CaptureRecording(reader, progress: progress.reached)
    if let emptiness = recording.reconstruction.emptiness { throw emptiness }
    let extractor = ScenarioExtractor(recording, keepsKeys: arguments.has("--keys"))
    let subjects = extractor.subjects
    let chosen: [ScenarioExtractor.Subject] = subjects.compactMap { subject in
      if let peer, !extractor.has(peer, subject) { return nil }
      var chosen = subject
      if !links.isEmpty { chosen.links = subject.links.filter { links.contains($0) } }
      chosen.links.removeAll { index in
        recording.reconstruction.links.first { $0.index == index }.map { !choice.times.contains($0.start) } ?? true
      }
      return chosen.links.isEmpty ? nil : chosen
    }
    let scenarios =
      sidecars.isEmpty
      ? chosen.concurrentMap(extractor.outline)
      : try chosen.map { try scenario(of: $0, extractor, sidecars, isAlone: subjects.count == 1) }
    return scenarios.filter { scenario in
      if let service = choice.service, !scenario.frame.databases.joined().contains(where: { $0.isService(service) }) { return false }
      if let name = arguments.value("--name"), !(scenario.frame.device.name ?? "").localizedCaseInsensitiveContains(name) {
        return false
      }
      return true
    }
  }

  /// One peripheral's scenario; of several peripherals only those that a sidecar fits get one.
  private func scenario(
    of subject: ScenarioExtractor.Subject, _ extractor: ScenarioExtractor, _ sidecars: [DatabaseSidecar], isAlone: Bool
  ) throws -> ScenarioOutline {
    let sidecar: DatabaseSidecar
    do { sidecar = try extractor.sidecar(for: subject, among: sidecars) } catch {
      guard !isAlone, arguments.value("--peer") == nil else { throw error }
      console.report("\(error); \(subject.address?.description ?? "the captured host") is extracted without it")
      return extractor.outline(of: subject)
    }
    return try extractor.outline(of: subject, sidecar: sidecar)
  }

  /// Writes one scenario to a file, several into a folder; `nil` where all went well.
  private func write(_ scenarios: [ScenarioOutline], to output: String) -> ExitCode? {
    let isFolder = (try? URL(fileURLWithPath: output).resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory
    let asFolder = isFolder ?? (scenarios.count > 1 && !output.hasSuffix(".json5") || output.hasSuffix("/"))
    if !asFolder, scenarios.count > 1 {
      let names = scenarios.map {
        [$0.frame.device.address?.description ?? "the captured host", $0.frame.device.name.map(printable)].compactMap { $0 }
          .joined(separator: " ")
      }
      console.report(
        "\(output): \(scenarios.count) peripherals do not fit into one file (\(names.joined(separator: ", "))); name a folder, or choose with --peer"
      )
      return .usage
    }
    do {
      if asFolder { try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true) }
      var taken: [String: Int] = [:]
      let files = scenarios.map { scenario in
        let path = asFolder ? output + (output.hasSuffix("/") ? "" : "/") + Self.fileName(scenario.frame, &taken) : output
        return (path: path, scenario: scenario)
      }
      let outcomes = files.concurrentMap { file in Result { () throws(CaptureError) in try file.scenario.write(to: file.path) } }
      for ((path, scenario), outcome) in zip(files, outcomes) {
        try outcome.get()
        let frame = scenario.frame
        console.print(
          "\(path): \(printable(frame.device.name ?? "no name")), \(frame.device.address?.description ?? "no address"), "
            + "\(frame.database.count) attributes, \(counted(scenario.sessionCount, "session")), \(scenario.entryCount) entries\n"
        )
        for problem in scenario.problems { console.report("\(path): \(problem.place): \(problem.message)") }
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

extension Attribute {
  /// Whether it declares a service of a type.
  fileprivate func isService(_ type: BluetoothUUID) -> Bool { if case .service(type, _, _) = kind { true } else { false } }
}
