public import ReplayEngine

extension SweepResult {
  /// The version of the JSON form; it changes when a member goes or changes its meaning.
  public static let jsonFormat = "understudy-sweep/1"

  /// The result as a JSON document that ``init(json:file:)`` reads, its members in a fixed order.
  public var json: String { jsonValue.text + "\n" }

  /// The result as part of a larger document; numbers of points count from 1.
  package var jsonValue: JSONValue {
    .object([
      ("format", .string(Self.jsonFormat)), ("name", .string(name)), ("seed", .string("\(seed)")), ("count", .integer(count)),
      ("passed", .bool(passed)),
      ("outcomes", .object(Outcome.allCases.map { ($0.rawValue, .integer(count(of: $0))) })),
      ("points", .array(points.map(\.jsonValue))),
    ])
  }
}

extension SweepResult.Point {
  fileprivate var jsonValue: JSONValue {
    .object([
      ("number", .integer(number &+ 1)), ("fault", .string("\(point.fault)")), ("name", .string(point.name)),
      ("outcome", .string(outcome.rawValue)), ("failures", .strings(failures)), ("verdict", .optional(verdict)),
      ("seconds", .decimal(seconds)),
    ])
  }
}
