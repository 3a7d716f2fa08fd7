public import ReplayScenarios

/// Cuts a scenario that makes an app fail down to the smallest that still does, by delta debugging of its sessions, faults and entries.
///
/// At the end nothing that is left can be left out by itself. Source of the idea: Zeller and Hildebrandt, Simplifying and Isolating
/// Failure-Inducing Input (2002), with complements alone.
public struct ScenarioMinimizer {
  /// What came of it.
  public struct Outcome: Sendable {
    /// The smallest scenario that still fails; its faults are among what it says.
    public var scenario: Scenario
    /// How often it was tried.
    public var trials: Int
    /// Whether the limit of trials ended the search, so that it may be cut further.
    public var isCutShort: Bool
  }

  private let scenario: Scenario
  private let faults: [Fault]
  private let errorCount: Int
  /// How many trials there may be.
  public var trialLimit = 10_000
  /// Told of each scenario that still fails, how many entries it has, and how many trials there were.
  public var whenSmaller: (_ entries: Int, _ trials: Int) -> Void = { _, _ in }

  private var trials = 0
  /// Whether the whole stands without its faults: then what fails without them fails for another reason, as an app does that waits for what
  /// was left out.
  private var needsFaults = false
  private var kept: Kept

  /// What is left.
  private struct Kept {
    /// Numbers of the sessions, and of each session's entries, as they were at the beginning.
    var sessions: [Int]
    var entries: [[Int]]
    var faults: [Int]
    var entryCount: Int { sessions.reduce(0) { $0 + entries[$1].count } }
  }

  /// Takes what is to be cut; faults that the scenario itself names are added to `faults`.
  public init(_ scenario: Scenario, faults: [Fault] = []) throws(FaultError) {
    var own: [Fault] = []
    for text in scenario.faults { own.append(try Fault(text)) }
    (self.scenario, self.faults) = (scenario, own + faults)
    errorCount = Self.errors(of: scenario)
    kept = Kept(
      sessions: Array(scenario.sessions.indices), entries: scenario.sessions.map { Array($0.entries.indices) },
      faults: Array(self.faults.indices))
  }

  private static func errors(of scenario: Scenario) -> Int { scenario.problems().count { $0.severity == .error } }

  /// Cuts for as long as `fails` holds; `nil` where it does not hold for the whole.
  public mutating func run(_ fails: (Scenario) throws -> Bool) rethrows -> Outcome? {
    guard try holds(kept, fails) else { return nil }
    needsFaults = try !faults.isEmpty && !fails(made(of: kept).withoutFaults)
    var size = 0
    repeat {
      size = kept.entryCount + kept.sessions.count + kept.faults.count
      try cut(kept.faults, fails) { $0.faults = $1 }
      try cut(kept.sessions, fails) { $0.sessions = $1 }
      // All sessions' entries together: their causes may lie in several.
      let places = kept.sessions.flatMap { session in kept.entries[session].map { Place(session: session, entry: $0) } }
      try cut(places, fails) { kept, places in
        for session in kept.sessions { kept.entries[session] = [] }
        for place in places { kept.entries[place.session].append(place.entry) }
      }
    } while kept.entryCount + kept.sessions.count + kept.faults.count < size && trials < trialLimit
    return Outcome(scenario: made(of: kept), trials: trials, isCutShort: trials >= trialLimit)
  }

  private struct Place {
    var session: Int
    var entry: Int
  }

  /// Leaves out runs of `items`, half as long each time, as long as the rest still fails.
  private mutating func cut<Item>(
    _ items: [Item], _ fails: (Scenario) throws -> Bool, _ keep: (inout Kept, [Item]) -> Void
  ) rethrows {
    var items = items
    var length = items.count
    while length > 0 {
      var (start, isSmaller) = (0, false)
      while start < items.count, trials < trialLimit {
        let rest = Array(items[..<start] + items[min(items.count, start + length)...])
        var candidate = kept
        keep(&candidate, rest)
        if try holds(candidate, fails) {
          (kept, items, isSmaller) = (candidate, rest, true)
          whenSmaller(kept.entryCount, trials)
        } else {
          start += length
        }
      }
      // What was needed by something that has gone since may go now.
      if length > 1 { length /= 2 } else if !isSmaller || trials >= trialLimit { return }
    }
  }

  private mutating func holds(_ kept: Kept, _ fails: (Scenario) throws -> Bool) rethrows -> Bool {
    let candidate = made(of: kept)
    // One that cannot be played fails otherwise.
    guard Self.errors(of: candidate) <= errorCount else { return false }
    trials += 1
    guard needsFaults else { return try fails(candidate) }
    guard try !candidate.faults.isEmpty && fails(candidate) else { return false }
    trials += 1
    return try !fails(candidate.withoutFaults)
  }

  private func made(of kept: Kept) -> Scenario {
    var made = scenario
    made.sessions = kept.sessions.map { scenario.sessions[$0].keeping(kept.entries[$0]) }
    let sessions = Dictionary(uniqueKeysWithValues: kept.sessions.enumerated().map { ($1, $0) })
    made.faults = kept.faults.compactMap { number in
      faults[number].moved { session, entry in
        // One at an entry that never was stays as it is, and is not reached.
        guard scenario.sessions.indices.contains(session), scenario.sessions[session].entries.indices.contains(entry) else {
          return (session, entry)
        }
        guard let place = sessions[session], let at = kept.entries[session].firstIndex(of: entry) else { return nil }
        return (place, at)
      }?.description
    }
    return made
  }
}

extension Scenario {
  fileprivate var withoutFaults: Scenario {
    var scenario = self
    scenario.faults = []
    return scenario
  }
}

extension Fault {
  /// The fault where its entry is now; `nil` where that has gone.
  fileprivate func moved(_ place: (_ session: Int, _ entry: Int) -> (Int, Int)?) -> Fault? {
    var moved = self
    switch trigger {
    case .before(.entry(let session, let entry)):
      guard let (session, entry) = place(session, entry) else { return nil }
      moved.trigger = .before(.entry(session: session, entry: entry))
    case .after(.entry(let session, let entry)):
      guard let (session, entry) = place(session, entry) else { return nil }
      moved.trigger = .after(.entry(session: session, entry: entry))
    case .before(.attribute), .after(.attribute), .pdu, .phase, .time: break
    }
    return moved
  }
}
