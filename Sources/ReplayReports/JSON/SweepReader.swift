public import ReplayEngine
import ReplayScenarios

extension SweepResult {
  /// Reads the JSON report of a sweep; `file` names it in errors.
  public init(json text: String, file: String = "the sweep") throws(ReportError) { try self.init(json: Array(text.utf8), file: file) }

  /// Reads the JSON report of a sweep as UTF-8; `file` names it in errors.
  public init(json bytes: [UInt8], file: String = "the sweep") throws(ReportError) {
    var reader = SweepReader(bytes, file: file)
    self = try reader.result()
  }
}

/// Reads what `SweepJSON.swift` writes.
private struct SweepReader {
  private let file: String
  private var reader: JSON5Reader
  private var format: String?

  init(_ bytes: [UInt8], file: String) { (reader, self.file) = (JSON5Reader(bytes), file) }

  private enum Key: String, CaseIterable { case format, name, seed, count, passed, outcomes, points }
  private enum PointKey: String, CaseIterable { case number, fault, name, outcome, failures, verdict, seconds }

  /// No sweep has more points; what is missing of a made-up count would be listed for hours.
  private static let limit = 10_000_000
  private static let remedy = "give the JSON report of a sweep, which has \"format\": \"\(SweepResult.jsonFormat)\""

  mutating func result() throws(ReportError) -> SweepResult {
    do throws(JSON5Error) { return try document() } catch {
      // Whatever stands in a file that never said to be a sweep is no mistake in a sweep.
      guard let format else {
        throw ReportError(.otherFormat, file: file, at: error.position, "this is no result of a sweep; \(Self.remedy)")
      }
      guard format == SweepResult.jsonFormat else {
        let found = JSON5Writer.quoted(format, limit: 40)
        throw ReportError(
          .otherFormat, file: file, at: error.position, "this is \(found), no result of a sweep that this version reads; \(Self.remedy)")
      }
      throw ReportError(.malformed, file: file, error)
    }
  }

  private mutating func document() throws(JSON5Error) -> SweepResult {
    var result = SweepResult(name: "", seed: 0, count: 0)
    var object = try reader.beginObject("the result of a sweep", keys: Key.self)
    let start = reader.place
    var found: Set<Key> = []
    var pointPlaces: [TextPosition] = []
    while let key = try reader.nextKey(&object) {
      found.insert(key)
      switch key {
      case .format:
        format = try reader.string("the format")
        if format != SweepResult.jsonFormat { throw JSON5Error(reader.place, "", "") }
      case .name: result.name = try reader.string("the name")
      case .seed: result.seed = try seed()
      case .count: result.count = try reader.integer("the count of all points", in: 0...Self.limit)
      case .passed: _ = try reader.boolean("whether all passed")
      case .outcomes: try passOverOutcomes()
      case .points:
        try reader.beginList("the list of points")
        while try reader.nextElement(isFirst: result.points.isEmpty) {
          let (point, place) = try point()
          if let last = result.points.last, last.number >= point.number {
            throw JSON5Error(
              place, "point \(point.number + 1) stands behind point \(last.number + 1)", "sort the points, and keep one of each")
          }
          result.points.append(point)
          pointPlaces.append(place)
        }
      }
    }
    let end = try reader.next()
    guard end.kind == .end else {
      throw JSON5Error(end.position, "\(end.words) stands after the end of the result", "remove it; a file holds one result")
    }
    // What can be counted need not be told.
    for key in Key.allCases where !found.contains(key) && key != .passed && key != .outcomes {
      throw JSON5Error(start, "the member \"\(key.rawValue)\" is missing", "write the report anew")
    }
    if let last = result.points.last, last.number >= result.count {
      throw JSON5Error(
        pointPlaces[pointPlaces.count - 1], "point \(last.number + 1) is beyond the sweep's \(result.count) points", "write the report anew"
      )
    }
    return result
  }

  /// Numbers of 64 bits are text, for not every reader of JSON keeps all their digits.
  private mutating func seed() throws(JSON5Error) -> UInt64 {
    let text = try reader.string("the seed")
    guard let seed = UInt64(text) else {
      throw JSON5Error(
        reader.place, "the seed cannot be \(JSON5Writer.quoted(text, limit: 40))", "write a number from 0 to 2^64-1 in quotes")
    }
    return seed
  }

  private mutating func passOverOutcomes() throws(JSON5Error) {
    enum Outcome: String, CaseIterable { case passed, failed, trapped, notReached, skipped }
    var object = try reader.beginObject("the counts by outcome", keys: Outcome.self)
    while try reader.nextKey(&object) != nil { _ = try reader.integer("a count", in: 0...Int.max) }
  }

  private mutating func point() throws(JSON5Error) -> (SweepResult.Point, TextPosition) {
    var object = try reader.beginObject("a point", keys: PointKey.self)
    let start = reader.place
    var (number, fault, name, outcome, seconds) = (Int?.none, Fault?.none, String?.none, SweepResult.Outcome?.none, Double?.none)
    var (failures, verdict) = ([String]?.none, String??.none)
    while let key = try reader.nextKey(&object) {
      switch key {
      case .number: number = try reader.integer("the number of a point", in: 1...Self.limit) - 1
      case .fault: fault = try self.fault()
      case .name: name = try reader.string("the name of a point")
      case .outcome: outcome = try self.outcome()
      case .failures: failures = try texts("the list of failures")
      case .verdict: verdict = try optionalText("the verdict")
      case .seconds: seconds = try decimal("the time that a run took")
      }
    }
    guard let number, let fault, let name, let outcome, let seconds, let failures, let verdict else {
      let missing: [(PointKey, Bool)] = [
        (.number, number == nil), (.fault, fault == nil), (.name, name == nil), (.outcome, outcome == nil), (.failures, failures == nil),
        (.verdict, verdict == nil), (.seconds, seconds == nil),
      ]
      let first = missing.first(where: \.1)?.0 ?? .number
      throw JSON5Error(start, "the member \"\(first.rawValue)\" of a point is missing", "write the report anew")
    }
    return (
      SweepResult.Point(
        number: number, point: FaultPoint(fault, name: name), outcome: outcome, failures: failures, verdict: verdict, seconds: seconds),
      start
    )
  }

  private mutating func fault() throws(JSON5Error) -> Fault {
    let text = try reader.string("the fault")
    do throws(FaultError) { return try Fault(text) } catch {
      throw JSON5Error(reader.place, "the fault cannot be read: \(JSON5Writer.printable(error.description))", "write the report anew")
    }
  }

  private mutating func outcome() throws(JSON5Error) -> SweepResult.Outcome {
    let text = try reader.string("the outcome")
    guard let outcome = SweepResult.Outcome(rawValue: text) else {
      let names = SweepResult.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
      throw JSON5Error(reader.place, "the outcome cannot be \(JSON5Writer.quoted(text, limit: 40))", "there are \(names)")
    }
    return outcome
  }

  private mutating func texts(_ what: String) throws(JSON5Error) -> [String] {
    var texts: [String] = []
    try reader.beginList(what)
    while try reader.nextElement(isFirst: texts.isEmpty) { texts.append(try reader.string("a text")) }
    return texts
  }

  private mutating func optionalText(_ what: String) throws(JSON5Error) -> String? {
    guard try reader.peek().kind == .name("null") else { return try reader.string(what) }
    _ = try reader.next()
    return nil
  }

  private mutating func decimal(_ what: String) throws(JSON5Error) -> Double {
    let token = try reader.next()
    guard case .number(let text) = token.kind, let value = Double(text), value.isFinite else {
      throw JSON5Reader.expected(what, token, "write a number of seconds")
    }
    return value
  }
}
