import ReplayEngine

extension Report {
  /// The version of the JSON form; it changes when a member goes or changes its meaning.
  public static let jsonFormat = "understudy-report/1"

  /// The report as a JSON document, its members in a fixed order; that of one sweep alone is the sweep's own, which shards are joined from.
  public var json: String {
    if runs.isEmpty, sweeps.count == 1 { return sweeps[0].json }
    return JSONValue.object([
      ("format", .string(Self.jsonFormat)), ("title", .string(title)), ("passed", .bool(passed)),
      ("runs", .array(runs.map(\.jsonValue))), ("sweeps", .array(sweeps.map(\.jsonValue))),
    ]).text + "\n"
  }
}

extension Report.Run {
  fileprivate var jsonValue: JSONValue {
    .object([
      ("name", .string(name)), ("passed", .bool(passed)), ("failures", .strings(failures)), ("notes", .strings(notes)),
      ("seconds", seconds.map { .decimal($0) } ?? .null), ("verdict", verdict?.jsonValue ?? .null),
    ])
  }
}
