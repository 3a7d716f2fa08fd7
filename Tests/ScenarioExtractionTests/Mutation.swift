import ReplayEngine
import ReplayScenarios
import ScenarioExtraction
import TestSupport
import Testing

/// Changes one byte of a scenario at a time and expects the comparison with the capture to find it.
enum Mutation {
  /// Changes a seeded byte of each entry that has an answer, or of `limit` of them.
  static func everyEntry(of scenario: Scenario, _ recording: CaptureRecording, seed: UInt64, limit: Int) throws {
    var random = SeededGenerator(seed: seed)
    var places: [(Int, Int)] = []
    for (session, recorded) in scenario.sessions.enumerated() {
      for index in recorded.entries.indices where recorded.entries[index].answer != nil { places.append((session, index)) }
    }
    try #require(!places.isEmpty)
    let chosen = places.count <= limit ? places : Array(places.shuffled(using: &random).prefix(limit))
    for (session, index) in chosen {
      var entry = scenario.sessions[session].entries[index]
      guard change(&entry, onlyAnswer: false, &random) else { continue }
      expectFound(entry, session, index, scenario, recording, seed)
    }
  }

  /// Changes `count` random bytes of answers.
  static func answers(of scenario: Scenario, _ recording: CaptureRecording, seed: UInt64, count: Int) throws {
    var random = SeededGenerator(seed: seed)
    var places: [(Int, Int)] = []
    for (session, recorded) in scenario.sessions.enumerated() {
      for index in recorded.entries.indices {
        var copy = recorded.entries[index]
        if change(&copy, onlyAnswer: true, &random) { places.append((session, index)) }
      }
    }
    try #require(!places.isEmpty)
    for _ in 0..<count {
      let (session, index) = try #require(places.randomElement(using: &random))
      var entry = scenario.sessions[session].entries[index]
      guard change(&entry, onlyAnswer: true, &random) else { continue }
      expectFound(entry, session, index, scenario, recording, seed)
    }
  }

  private static func expectFound(
    _ entry: TimelineEntry, _ session: Int, _ index: Int, _ scenario: Scenario, _ recording: CaptureRecording, _ seed: UInt64
  ) {
    var changed = scenario
    changed.sessions[session].entries[index] = entry
    let replay = ScenarioReplay(changed, sessions: [session])
    let comparison = CaptureComparison(replay.trafficBySession, of: changed, with: recording, sessions: [session])
    #expect(!comparison.differences.isEmpty, "session \(session + 1), entry \(index + 1), seed \(seed): \(entry)")
  }

  /// Changes one byte; `false` where the entry has none.
  private static func change(_ entry: inout TimelineEntry, onlyAnswer: Bool, _ random: inout SeededGenerator) -> Bool {
    var answered = true
    switch entry.answer {
    case .value(var bytes):
      guard flip(&bytes, &random) else { answered = false; break }
      entry.answer = .value(bytes)
    case .pdu(var bytes):
      guard flip(&bytes, &random) else { answered = false; break }
      entry.answer = .pdu(bytes)
    case .mtu(let mtu): entry.answer = .mtu(mtu ^ UInt16(1) << UInt16.random(in: 0..<8, using: &random))
    case .error(let error): entry.answer = .error(ATTErrorCode(rawValue: error.rawValue ^ UInt8.random(in: 1...255, using: &random)))
    case .refused(let code): entry.answer = .refused(code ^ UInt16.random(in: 1...255, using: &random))
    case .ok, .some(.none), nil: answered = false
    }
    if onlyAnswer { return answered }
    if answered, Bool.random(using: &random) { return true }
    switch entry.action {
    case .write(let handle, var bytes):
      guard flip(&bytes, &random) else { return answered }
      entry.action = .write(handle, bytes)
    case .writeCommand(let handle, var bytes):
      guard flip(&bytes, &random) else { return answered }
      entry.action = .writeCommand(handle, bytes)
    case .notify(let handle, var bytes):
      guard flip(&bytes, &random) else { return answered }
      entry.action = .notify(handle, bytes)
    case .indicate(let handle, var bytes):
      guard flip(&bytes, &random) else { return answered }
      entry.action = .indicate(handle, bytes)
    case .pdu(var bytes):
      guard flip(&bytes, &random) else { return answered }
      entry.action = .pdu(bytes)
    default: return answered
    }
    return true
  }

  private static func flip(_ bytes: inout [UInt8], _ random: inout SeededGenerator) -> Bool {
    guard let index = bytes.indices.randomElement(using: &random) else { return false }
    bytes[index] ^= UInt8.random(in: 1...255, using: &random)
    return true
  }
}
