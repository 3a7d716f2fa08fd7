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
    /// Whether nothing is left of sessions and faults.
    public var isEmpty: Bool { scenario.sessions.isEmpty && scenario.faults.isEmpty }
    /// What an empty outcome may mean.
    package static let emptyHint =
      "nothing that was recorded is needed for this failure: an app that waits for something fails so with any cut; assert more exactly"
  }

  private let scenario: Scenario
  private let faults: [Fault]
  private let errorCount: Int
  /// How many trials there may be.
  public var trialLimit = 10_000
  /// Told after each trial how many entries are left, and how many trials there were.
  public var whenTried: (_ entries: Int, _ trials: Int) -> Void = { _, _ in }

  private var trials = 0
  /// Whether the whole stands without its faults: then what fails without them fails for another reason, as an app does that waits for what
  /// was left out.
  private var needsFaults = false
  private var kept: Kept
  private var state = State.whole

  /// What is left.
  private struct Kept {
    /// Numbers of the sessions, and of each session's entries, as they were at the beginning.
    var sessions: [Int]
    var entries: [[Int]]
    var faults: [Int]
    var entryCount: Int { sessions.reduce(0) { $0 + entries[$1].count } }
    var size: Int { entryCount + sessions.count + faults.count }
  }

  /// How far the search is. Whoever runs the trials asks for the next and tells how it came out, so that apps that are run by asynchronous
  /// code are cut in the same way.
  private enum State {
    /// The whole is tried, and without its faults.
    case whole, wholeWithoutFaults
    case cuts(Cut)
    /// A smaller one is tried, and without its faults.
    case candidate(Kept, Scenario, Cut)
    case candidateWithoutFaults(Kept, Scenario, Cut)
    /// The whole did not fail.
    case stands
    case over
  }

  /// A walk over all parts of one kind, which leaves out runs of them, half as long each time.
  private struct Cut {
    enum Kind { case faults, sessions, entries }
    var kind: Kind
    /// What is left of the parts: numbers of faults or sessions; for an entry its session's besides.
    var parts: [(session: Int, number: Int)]
    var length: Int
    var start = 0
    var isSmaller = false
    /// How much was left when the walks over all kinds began.
    var sizeBefore: Int

    init(_ kind: Kind, of kept: Kept, sizeBefore: Int) {
      (self.kind, self.sizeBefore) = (kind, sizeBefore)
      parts =
        switch kind {
        case .faults: kept.faults.map { (0, $0) }
        case .sessions: kept.sessions.map { (0, $0) }
        // All sessions' entries together: their causes may lie in several.
        case .entries: kept.sessions.flatMap { session in kept.entries[session].map { (session, $0) } }
        }
      length = parts.count
    }

    /// The parts without the run at hand.
    var rest: [(session: Int, number: Int)] { Array(parts[..<start] + parts[min(parts.count, start + length)...]) }

    /// The walk, past the run at hand.
    var passing: Cut {
      var cut = self
      cut.start += cut.length
      return cut
    }

    func keeping(_ parts: [(session: Int, number: Int)], in kept: Kept) -> Kept {
      var kept = kept
      switch kind {
      case .faults: kept.faults = parts.map(\.number)
      case .sessions: kept.sessions = parts.map(\.number)
      case .entries:
        for session in kept.sessions { kept.entries[session] = [] }
        for part in parts { kept.entries[part.session].append(part.number) }
      }
      return kept
    }
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
    while let candidate = next() { tell(try fails(candidate)) }
    return outcome
  }

  /// The same where it takes asynchronous code to find out.
  public mutating func run(
    isolation: isolated (any Actor)? = #isolation, _ fails: (Scenario) async throws -> Bool
  ) async rethrows -> Outcome? {
    while let candidate = next() { tell(try await fails(candidate)) }
    return outcome
  }

  /// What came of it; `nil` where the whole did not fail.
  private var outcome: Outcome? {
    guard case .over = state else { return nil }
    return Outcome(scenario: made(of: kept), trials: trials, isCutShort: trials >= trialLimit)
  }

  // MARK: - Trials

  /// The scenario that is to be tried next; `nil` where the search is over.
  private mutating func next() -> Scenario? {
    while case .cuts(let cut) = state { state = step(cut) }
    switch state {
    case .whole: return made(of: kept)
    case .wholeWithoutFaults: return made(of: kept).withoutFaults
    case .candidate(_, let scenario, _): return scenario
    case .candidateWithoutFaults(_, let scenario, _): return scenario.withoutFaults
    case .cuts, .stands, .over: return nil
    }
  }

  /// Takes how the trial came out that was asked for last.
  private mutating func tell(_ fails: Bool) {
    trials += 1
    switch state {
    case .whole: state = !fails ? .stands : faults.isEmpty ? begin() : .wholeWithoutFaults
    case .wholeWithoutFaults:
      needsFaults = !fails
      state = begin()
    case .candidate(let candidate, let scenario, let cut):
      state = !fails ? .cuts(cut.passing) : needsFaults ? .candidateWithoutFaults(candidate, scenario, cut) : take(candidate, cut)
    case .candidateWithoutFaults(let candidate, _, let cut): state = fails ? .cuts(cut.passing) : take(candidate, cut)
    case .cuts, .stands, .over: break
    }
    whenTried(kept.entryCount, trials)
  }

  private func begin() -> State { .cuts(Cut(.faults, of: kept, sizeBefore: kept.size)) }

  private mutating func take(_ candidate: Kept, _ cut: Cut) -> State {
    kept = candidate
    var cut = cut
    (cut.parts, cut.isSmaller) = (cut.rest, true)
    return .cuts(cut)
  }

  /// One step of a walk that needs no trial, or the trial that comes next.
  private func step(_ cut: Cut) -> State {
    guard trials < trialLimit else { return .over }
    var cut = cut
    if cut.start < cut.parts.count {
      let candidate = cut.keeping(cut.rest, in: kept)
      let scenario = made(of: candidate)
      // One that cannot be played fails otherwise.
      let isOne = Self.errors(of: scenario) <= errorCount && !(needsFaults && scenario.faults.isEmpty)
      return isOne ? .candidate(candidate, scenario, cut) : .cuts(cut.passing)
    }
    // What was needed by something that has gone since may go now.
    if cut.length > 1 || cut.isSmaller {
      (cut.start, cut.length, cut.isSmaller) = (0, cut.length > 1 ? cut.length / 2 : 1, false)
      return .cuts(cut)
    }
    switch cut.kind {
    case .faults: return .cuts(Cut(.sessions, of: kept, sizeBefore: cut.sizeBefore))
    case .sessions: return .cuts(Cut(.entries, of: kept, sizeBefore: cut.sizeBefore))
    case .entries: return kept.size < cut.sizeBefore ? begin() : .over
    }
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
