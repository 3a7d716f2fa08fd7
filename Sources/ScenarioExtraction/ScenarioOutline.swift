public import CaptureFiles
public import ReplayScenarios

/// A scenario in short: its entries are made one by one, so that writing it needs no room for all of them.
public struct ScenarioOutline: Sendable {
  /// The scenario without its sessions.
  public internal(set) var frame: Scenario
  /// What its reader should know: requests that no recording can answer.
  public internal(set) var problems: [ScenarioProblem] = []
  var sessions: [SessionOutline] = []

  /// Timeline entries in all.
  public var entryCount: Int { sessions.reduce(0) { $0 + $1.count } }
  /// Sessions in all.
  public var sessionCount: Int { sessions.count }

  init(frame: Scenario) { self.frame = frame }

  /// Holds the sessions' writes against each other: bytes that differ are masked, and what no recording can answer is found.
  mutating func compareWrites() {
    guard sessions.count(where: { $0.count > 0 }) > 1 else { return }
    var comparison = WriteComparison()
    for (index, session) in sessions.enumerated() { session.compare(in: &comparison, session: index) }
    for mask in comparison.masks { sessions[mask.session].matchers[mask.entry] = .mask(mask.bytes) }
    problems = comparison.challenges.map(\.problem)
  }

  /// All of it.
  public var scenario: Scenario {
    var scenario = frame
    scenario.sessions = sessions.map { outline in
      var session = outline.frame
      session.entries = (0..<outline.count).compactMap(outline.entry)
      return session
    }
    return scenario
  }

  /// Writes the document to `path`, which is replaced at once when it is complete; throws where the file cannot be written.
  public func write(to path: String) throws(CaptureError) {
    let file = try AtomicFile(path: path)
    var writer = ScenarioWriter(frame)
    writer.begin(hasSessions: !sessions.isEmpty)
    for session in sessions {
      writer.beginSession(session.frame, hasEntries: session.count > 0)
      try session.writeEntries(to: &writer) { writer throws(CaptureError) in
        if writer.byteCount > Self.writtenAtOnce { try Self.drain(&writer, to: file) }
      }
      writer.endSession()
    }
    writer.end()
    try Self.drain(&writer, to: file)
    try file.commit()
  }

  /// Bytes that a processor keeps near.
  private static let writtenAtOnce = 1 << 17

  private static func drain(_ writer: inout ScenarioWriter, to file: AtomicFile) throws(CaptureError) {
    try file.write(writer.text)
    writer.removeText()
  }
}
