/// A scenario with the lines of the file that it was read from, so that problems can be shown where they are.
public struct ScenarioDocument: Sendable {
  /// The file as the caller named it.
  public let file: String
  /// What the file says.
  public let scenario: Scenario
  private let lines: ScenarioLines

  /// Reads the text of an `understudy/1` document; `file` names it in errors.
  public init(reading bytes: [UInt8], file: String) throws(ScenarioError) {
    var reader = ScenarioReader(bytes)
    do {
      scenario = try reader.scenario()
    } catch {
      throw Self.formatError(bytes, file: file) ?? ScenarioError(file: file, error)
    }
    self.file = file
    lines = reader.lines
  }

  /// The line where a part of the scenario begins, from 1.
  public func line(of place: ScenarioPlace) -> Int? { lines[place] }

  /// What is inconsistent in the scenario, in the order of the file.
  public func problems() -> [ScenarioProblem] {
    scenario.problems().map { problem in
      var problem = problem
      problem.line = line(of: problem.place)
      return problem
    }
  }

  /// The error of a document that is no `understudy/1`; what else is wrong with it matters less than that.
  private static func formatError(_ bytes: [UInt8], file: String) -> ScenarioError? {
    var tokenizer = JSON5Tokenizer(bytes)
    guard let first = try? tokenizer.next(), first.kind == .beginObject else { return nil }
    var depth = 1
    var isKey = true
    while let token = try? tokenizer.next() {
      switch token.kind {
      case .beginObject, .beginArray: depth += 1
      case .endObject, .endArray:
        depth -= 1
        if depth == 0 { return ScenarioError(.otherFormat, file: file, ScenarioReader.missingFormat(first.position)) }
      case .comma: isKey = depth == 1
      case .name("format") where isKey && depth == 1, .string("format") where isKey && depth == 1:
        guard (try? tokenizer.next())?.kind == .colon, let value = try? tokenizer.next() else { return nil }
        return ScenarioReader.refuseFormat(value).map { ScenarioError(.otherFormat, file: file, $0) }
      case .colon: isKey = false
      case .end: return nil
      default: break
      }
    }
    return nil
  }
}

extension Scenario {
  /// Reads the text of an `understudy/1` document; `file` names it in errors.
  public init(reading bytes: [UInt8], file: String = "scenario") throws(ScenarioError) {
    self = try ScenarioDocument(reading: bytes, file: file).scenario
  }

  /// Reads the text of an `understudy/1` document; `file` names it in errors.
  public init(reading text: String, file: String = "scenario") throws(ScenarioError) {
    try self.init(reading: [UInt8](text.utf8), file: file)
  }

  /// The scenario as an `understudy/1` document, UTF-8: one attribute and one timeline entry a line.
  public func document() -> [UInt8] {
    var writer = ScenarioWriter(self)
    return writer.document()
  }
}

/// A part of a scenario, by its indexes in the model.
public enum ScenarioPlace: Sendable, Hashable {
  case scenario
  case device
  /// By the number of the database, from 1.
  case attribute(Int, database: Int)
  case rule(Int)
  case expectation(Int)
  case fault(Int)
  case session(Int)
  case entry(session: Int, Int)
}

extension ScenarioPlace: CustomStringConvertible {
  /// The place in words, counted from 1.
  public var description: String {
    switch self {
    case .scenario: "the scenario"
    case .device: "the device"
    case .attribute(let index, let database): database == 1 ? "attribute \(index + 1)" : "attribute \(index + 1) of database \(database)"
    case .rule(let index): "rule \(index + 1)"
    case .expectation(let index): "expectation \(index + 1)"
    case .fault(let index): "fault \(index + 1)"
    case .session(let index): "session \(index + 1)"
    case .entry(let session, let index): "session \(session + 1), entry \(index + 1)"
    }
  }
}

/// Where the parts of a scenario begin in its file.
struct ScenarioLines: Sendable {
  private var device: Int?
  private var attributes: [Int: [Int]] = [:]
  /// Rules, expectations and faults: people write them, and few.
  private var written: [ScenarioPlace: Int] = [:]
  private var sessions: [Int] = []
  private var entries: [[Int]] = []

  /// A part's line; parts are told in the order of the file.
  subscript(place: ScenarioPlace) -> Int? {
    get {
      switch place {
      case .scenario: 1
      case .device: device
      case .attribute(let index, let database): attributes[database].flatMap { $0.indices.contains(index) ? $0[index] : nil }
      case .rule, .expectation, .fault: written[place]
      case .session(let index): sessions.indices.contains(index) ? sessions[index] : nil
      case .entry(let session, let index):
        entries.indices.contains(session) && entries[session].indices.contains(index) ? entries[session][index] : nil
      }
    }
    set {
      guard let newValue else { return }
      switch place {
      case .scenario: break
      case .device: device = newValue
      case .attribute(_, let database): attributes[database, default: []].append(newValue)
      case .rule, .expectation, .fault: written[place] = newValue
      case .session:
        sessions.append(newValue)
        entries.append([])
      case .entry: if !entries.isEmpty { entries[entries.count - 1].append(newValue) }
      }
    }
  }
}
