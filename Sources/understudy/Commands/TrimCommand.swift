import ReplayScenarios

extension Command {
  /// `understudy trim`
  static let trim = Command(
    name: "trim", abstract: "Cut a scenario down to what matters.", operands: "SCENARIO", operandCount: 1...1,
    discussion: """
      Keeps the sessions, times, entries and attributes that the options name, all of them where none does; several options
      keep what all of them name. Anchors whose cause goes are tied to what was complete last before them.
      """,
    options: [
      Option("--output", short: "-o", value: "FILE", help: "Where the trimmed scenario goes; needed."),
      Option("--session", value: "N", repeats: true, help: "Only this session, counted from 1."),
      Option("--link", value: "N", repeats: true, help: "Only the session of this link of the capture."),
      Option("--from", value: "MS", help: "Only entries at this time since the connection or later, in milliseconds."),
      Option("--to", value: "MS", help: "Only entries at this time or earlier."),
      Option("--entries", value: "A-B", help: "Only these entries of each session, counted from 1."),
      Option(
        "--attribute", value: "HANDLE|UUID", repeats: true,
        help: "Only entries about this value or descriptor (0x000c), characteristic or service (2A37)."),
    ]
  ) { arguments, console in
    do throws(UsageError) {
      guard let output = arguments.value("--output"), !output.isEmpty else {
        throw UsageError(description: "trim needs to know where to write; give -o FILE.json5")
      }
      let trim = try ScenarioTrim(arguments)
      return ScenarioEdit(console).write(arguments.operands[0], to: output) { trim.applied(to: $0) }
    } catch {
      console.report(error.description)
      return .usage
    }
  }
}

extension ScenarioTrim {
  /// What the options name.
  init(_ arguments: Arguments) throws(UsageError) {
    self.init()
    sessions = try Self.numbers("--session", arguments)
    links = try Self.numbers("--link", arguments)
    let (from, to) = (try Self.time("--from", arguments), try Self.time("--to", arguments))
    if from != nil || to != nil {
      guard (from ?? .zero) <= (to ?? .seconds(Int64.max)) else { throw UsageError(description: "--from lies after --to; exchange them") }
      times = (from ?? .zero)...(to ?? .seconds(Int64.max))
    }
    if let text = arguments.value("--entries") {
      let parts = text.split(separator: "-").compactMap { Int($0) }
      guard parts.count == 2, parts[0] > 0, parts[0] <= parts[1] else {
        throw UsageError(description: "--entries \(printable(text)): give the first and the last, as 10-25")
      }
      entries = parts[0]...parts[1]
    }
    (handles, types) = try arguments.attributes("--attribute")
  }

  private static func numbers(_ option: String, _ arguments: Arguments) throws(UsageError) -> Set<Int> {
    var numbers: Set<Int> = []
    for text in arguments.all(option) {
      guard let number = Int(text), number > 0 else {
        throw UsageError(description: "\(option) \(printable(text)): they are numbered from 1")
      }
      numbers.insert(number)
    }
    return numbers
  }

  private static func time(_ option: String, _ arguments: Arguments) throws(UsageError) -> Duration? {
    guard let text = arguments.value(option) else { return nil }
    guard let value = Double(text), value >= 0, value < 1e15 else {
      throw UsageError(description: "\(option) \(printable(text)): give milliseconds since the connection, as 1500")
    }
    return .microseconds(Int64((value * 1000).rounded()))
  }
}

extension Arguments {
  /// The attributes that an option names.
  func attributes(_ option: String) throws(UsageError) -> (handles: Set<AttributeHandle>, types: Set<BluetoothUUID>) {
    var (handles, types): (Set<AttributeHandle>, Set<BluetoothUUID>) = ([], [])
    for text in all(option) {
      if text.hasPrefix("0x"), let handle = UInt16(text.dropFirst(2), radix: 16) {
        handles.insert(AttributeHandle(handle))
      } else if let uuid = BluetoothUUID(text) {
        types.insert(uuid)
      } else {
        throw UsageError(description: "\(option) \(printable(text)): give a handle, as 0x000c, or a UUID, as 2A37")
      }
    }
    return (handles, types)
  }
}
