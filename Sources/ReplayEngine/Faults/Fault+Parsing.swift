import ReplayScenarios

/// Why a fault's text was refused.
public struct FaultError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong and what to do.
  public let description: String
}

extension Fault {
  /// Reads `ACTION@TRIGGER[@peripheral:N][*COUNT][~PROBABILITY]`, as `docs/faults.md` describes it.
  public init(_ text: String) throws(FaultError) {
    let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2 else {
      throw FaultError(description: "\"\(text)\" has no trigger; write it as disconnect:0x08@after:notification:2A37#3")
    }
    var trigger = String(halves[1])
    let millionths = try Self.suffix(of: &trigger, after: "~").map(Self.millionths) ?? 1_000_000
    let count = try Self.suffix(of: &trigger, after: "*").map(Self.count) ?? 1
    let peripheral = try Self.suffix(of: &trigger, after: "@").map(Self.peripheral)
    self.init(try Action(String(halves[0])), at: try Self.trigger(trigger), of: peripheral, count: count, millionths: millionths)
  }

  /// Takes what stands behind the last `mark` from a text.
  private static func suffix(of text: inout String, after mark: Character) -> String? {
    guard let place = text.lastIndex(of: mark) else { return nil }
    defer { text = String(text[..<place]) }
    return String(text[text.index(after: place)...])
  }

  private static func millionths(_ text: String) throws(FaultError) -> Int {
    guard let millionths = decimal(text, places: 6), millionths <= 1_000_000 else {
      throw FaultError(description: "\"\(text)\" is no probability; give one from 0 to 1 with up to six decimals, as ~0.25")
    }
    return Int(millionths)
  }

  private static func count(_ text: String) throws(FaultError) -> Int {
    if text == "all" { return everyTime }
    guard let count = number(text), count >= 0 else {
      throw FaultError(description: "\"\(text)\" tells no number of times; write *3, *0 for never, or *all")
    }
    return count
  }

  private static func peripheral(_ text: String) throws(FaultError) -> Int {
    guard text.hasPrefix("peripheral:"), let number = Int(text.dropFirst("peripheral:".count)), number > 0 else {
      throw FaultError(description: "\"\(text)\" names no peripheral; count from 1, as @peripheral:2")
    }
    return number - 1
  }

  private static func trigger(_ text: String) throws(FaultError) -> Trigger {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let rest = parts.count == 2 ? parts[1] : ""
    switch parts[0] {
    case "before": return .before(try moment(rest))
    case "after": return .after(try moment(rest))
    case "pdu":
      guard let count = Int(rest), count > 0 else { throw FaultError(description: "\"\(rest)\" is no PDU number; count from 1, as pdu:12") }
      return .pdu(count)
    case "phase":
      let (name, number) = try numbered(rest)
      guard let phase = Phase(rawValue: name) else {
        let names = Phase.allCases.map(\.rawValue)
        throw FaultError(description: "\"\(name)\" is no phase\(suggestion(name, names)); the phases are \(names.joined(separator: ", "))")
      }
      return .phase(phase, count: number)
    case "time": return .time(try time(rest))
    default:
      let names = ["before", "after", "pdu", "phase", "time"]
      throw FaultError(
        description: "\"\(parts[0])\" is no trigger\(suggestion(parts[0], names)); the triggers are \(names.joined(separator: ", "))")
    }
  }

  private static func moment(_ text: String) throws(FaultError) -> Moment {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let rest = parts.count == 2 ? parts[1] : ""
    if parts[0] == "entry" {
      let numbers = rest.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 2, let session = numbers[0], let entry = numbers[1], session > 0, entry > 0 else {
        throw FaultError(description: "\"\(rest)\" names no entry; give session and entry, both from 1, as entry:1.12")
      }
      return .entry(session: session - 1, entry: entry - 1)
    }
    guard let use = Use(rawValue: parts[0]) else {
      let names = ["entry"] + Use.allCases.map(\.rawValue)
      throw FaultError(
        description: "\"\(parts[0])\" is nothing to wait for\(suggestion(parts[0], names)); there are \(names.joined(separator: ", "))")
    }
    let (name, count) = try numbered(rest)
    if name.hasPrefix("0x"), let handle = number(name), let value = UInt16(exactly: handle), value > 0 {
      return .attribute(use, .handle(value), count: count)
    }
    guard BluetoothUUID(name) != nil else {
      throw FaultError(description: "\"\(name)\" is neither a UUID nor a handle; write 2A37, a 36-character UUID, or 0x002a")
    }
    return .attribute(use, .uuid(name.uppercased()), count: count)
  }

  /// Takes `#N`, which counts from 1, from the end of a name.
  private static func numbered(_ text: String) throws(FaultError) -> (name: String, number: Int) {
    var name = text
    guard let digits = suffix(of: &name, after: "#") else { return (text, 1) }
    guard let number = Int(digits), number > 0 else {
      throw FaultError(description: "\"\(digits)\" is no count; count from 1, as notification:2A37#3")
    }
    return (name, number)
  }

  static func time(_ text: String) throws(FaultError) -> Duration {
    let inMilliseconds = text.hasSuffix("ms")
    guard text.hasSuffix("s"), let nanoseconds = decimal(text.dropLast(inMilliseconds ? 2 : 1), places: inMilliseconds ? 6 : 9) else {
      throw FaultError(description: "\"\(text)\" is no time; write it as 1500ms or 1.5s")
    }
    return .nanoseconds(nanoseconds)
  }

  /// A number with up to `places` decimals, counted in units of the last of them.
  private static func decimal(_ text: some StringProtocol, places: Int) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : "0"
    // Digits are shifted instead of multiplied, so that each of them survives.
    guard let whole = parts.first, !whole.isEmpty, !fraction.isEmpty, fraction.utf8.count <= places,
      (String(whole) + fraction).utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(String(whole) + fraction + String(repeating: "0", count: places - fraction.utf8.count))
  }

  static func number(_ text: String) -> Int? { text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text) }

  /// A hint where one of `names` is near.
  static func suggestion(_ text: String, _ names: [String]) -> String {
    Spelling.suggestion(for: text, among: names).map { ": did you mean \($0)?" } ?? ""
  }
}

extension Fault: Codable {
  /// Reads the form that the command line reads.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    do { try self.init(text) } catch {
      throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "\(error)"))
    }
  }

  /// Writes it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
