public import CaptureFiles
public import ReplayScenarios

/// A scenario in short: its entries are made one by one, so that writing it needs no room for all of them.
public struct ScenarioOutline {
  /// The scenario without its sessions.
  public internal(set) var frame: Scenario
  var sessions: [SessionOutline] = []

  /// Timeline entries in all.
  public var entryCount: Int { sessions.reduce(0) { $0 + $1.count } }
  /// Sessions in all.
  public var sessionCount: Int { sessions.count }

  init(frame: Scenario) { self.frame = frame }

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
      for index in 0..<session.count {
        if let entry = session.entry(index) { writer.writeEntry(entry) }
        if writer.byteCount > 1 << 20 { try file.write(writer.takeBytes()) }
      }
      writer.endSession()
    }
    writer.end()
    try file.write(writer.takeBytes())
    try file.commit()
  }
}
