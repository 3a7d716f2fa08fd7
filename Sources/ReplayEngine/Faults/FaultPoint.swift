public import ReplayScenarios

/// One point of a sweep: a fault at one entry of a scenario.
public struct FaultPoint: Sendable, Hashable, Codable, CustomStringConvertible {
  public var fault: Fault
  /// What stands at the point, in words.
  public var name: String
  /// Where the point is, and what stands there.
  public var description: String { "\(fault) (\(name))" }

  /// Joins both.
  public init(_ fault: Fault, name: String) { (self.fault, self.name) = (fault, name) }

  /// Which points of a scenario a sweep visits.
  public enum Selection: Sendable, Hashable {
    /// Right after every entry that is not stack traffic, between the connection and the end of its session.
    case everyEntry
    /// Right before each of them.
    case beforeEveryEntry
  }

  /// All points of a scenario.
  public static func all(
    _ action: Fault.Action, at selection: Selection = .everyEntry, of source: ScenarioSource
  ) throws -> [FaultPoint] { all(action, at: selection, in: try source.load()) }

  /// All points of a scenario that was read already.
  public static func all(_ action: Fault.Action, at selection: Selection = .everyEntry, in scenario: Scenario) -> [FaultPoint] {
    let maps = scenario.databases.map(AttributeMap.init)
    var points: [FaultPoint] = []
    for (number, session) in scenario.sessions.enumerated() {
      let compiled = CompiledSession(session, index: number, maps: maps)
      for index in session.entries.indices where !compiled.isStack[index] {
        let moment = Fault.Moment.entry(session: number, entry: index)
        let name = session.entries[index].attribute.map { maps.map(compiled.database(of: index)).name($0) } ?? "no attribute"
        points.append(FaultPoint(Fault(action, at: selection == .everyEntry ? .after(moment) : .before(moment)), name: name))
      }
    }
    return points
  }
}
