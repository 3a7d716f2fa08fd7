package import BLEWire

/// Holds what a central wrote in several sessions against each other: in which bytes it differs from session to session, and whether
/// what it got differs with it.
///
/// The n-th writes to an attribute are compared, and what came between them and the next write. Of each attribute the first 256 are kept.
package struct WriteComparison {
  /// Writes, or commands, to one attribute of one database.
  private struct Target: Hashable {
    var database: Int
    var handle: AttributeHandle
    var isCommand: Bool
  }

  private struct Exchange {
    var session: Int
    var entry: Int
    var value: [UInt8]
    var answers: [(handle: AttributeHandle, value: [UInt8])] = []
  }

  /// Requests that differ at random-looking bytes, whose answers differ, too: no recording can answer another such request.
  package struct Challenge {
    /// The first of the writes, and the attributes that answer.
    package var session: Int
    package var entry: Int
    package var handle: AttributeHandle
    package var answers: [AttributeHandle]
  }

  /// Bytes of a write that are the same in each session.
  package struct Mask {
    package var session: Int
    package var entry: Int
    package var bytes: [UInt8]
  }

  private static let writeLimit = 256
  private static let answerLimit = 8
  private static let limit = 1 << 16

  /// For each target, the writes of each session that has some.
  private var exchanges: [Target: [[Exchange]]] = [:]
  private var targets: [Target] = []
  private var count = 0
  private var session = -1
  private var database = 1
  private var configurations: Set<AttributeHandle> = []
  private var latest: Target?

  package init() {}

  /// Compares the sessions of a scenario.
  package init(_ scenario: Scenario) {
    for (index, session) in scenario.sessions.enumerated() {
      let databases = scenario.databases
      let attributes = databases.indices.contains(session.database - 1) ? databases[session.database - 1] : []
      begin(index, database: session.database, configurations: Set(attributes.configurations.keys))
      for (place, entry) in session.entries.enumerated() where wants(entry.action, entry.origin) { add(entry, at: place) }
    }
  }

  /// Goes on to a session; `configurations` are its CCCDs, whose writes are left out.
  package mutating func begin(_ session: Int, database: Int, configurations: Set<AttributeHandle>) {
    (self.session, self.database, self.configurations, latest) = (session, database, configurations, nil)
  }

  // MARK: - Entries

  /// Whether an entry that writes to an attribute, or tells or reads one, would still be kept.
  package func wantsWrite(to handle: AttributeHandle, isCommand: Bool) -> Bool {
    !configurations.contains(handle) && kept(Target(database: database, handle: handle, isCommand: isCommand)) < Self.writeLimit
  }
  package var wantsAnswer: Bool {
    latest.flatMap { exchanges[$0]?.last?.last }.map { $0.answers.count < Self.answerLimit } ?? false
  }

  private func wants(_ action: TimelineEntry.Action, _ origin: TimelineEntry.Side) -> Bool {
    switch (action, origin) {
    case (.write(let handle, _), .central): wantsWrite(to: handle, isCommand: false)
    case (.writeCommand(let handle, _), .central): wantsWrite(to: handle, isCommand: true)
    case (.notify, .peripheral), (.indicate, .peripheral), (.read, .central): wantsAnswer
    default: false
    }
  }

  private func kept(_ target: Target) -> Int {
    guard count < Self.limit, let last = exchanges[target]?.last else { return count < Self.limit ? 0 : .max }
    return last.first?.session == session ? last.count : 0
  }

  /// Adds an entry; in recorded order.
  package mutating func add(_ entry: TimelineEntry, at place: Int) {
    switch entry.action {
    case .write(let handle, let value): add(value, to: handle, isCommand: false, place)
    case .writeCommand(let handle, let value): add(value, to: handle, isCommand: true, place)
    case .notify(let handle, let value), .indicate(let handle, let value): answer(handle, value)
    case .read(let handle): if case .value(let value)? = entry.answer { answer(handle, value) }
    default: break
    }
  }

  private mutating func add(_ value: [UInt8], to handle: AttributeHandle, isCommand: Bool, _ place: Int) {
    let target = Target(database: database, handle: handle, isCommand: isCommand)
    if exchanges[target] == nil { targets.append(target) }
    let isFirst = kept(target) == 0
    if isFirst { exchanges[target, default: []].append([]) }
    guard let row = exchanges[target]?.indices.last else { return }
    exchanges[target]?[row].append(Exchange(session: session, entry: place, value: value))
    count += 1
    latest = target
  }

  private mutating func answer(_ handle: AttributeHandle, _ value: [UInt8]) {
    guard let latest, let row = exchanges[latest]?.indices.last, let place = exchanges[latest]?[row].indices.last else { return }
    exchanges[latest]?[row][place].answers.append((handle, value))
  }

  // MARK: - What differs

  /// Requests that no recording can answer, by attribute.
  package var challenges: [Challenge] { targets.compactMap { challenge(exchanges[$0] ?? [], $0.handle) } }

  private func challenge(_ sessions: [[Exchange]], _ handle: AttributeHandle) -> Challenge? {
    var found: Challenge?
    var answers: Set<AttributeHandle> = []
    for place in 0..<(sessions.map(\.count).max() ?? 0) {
      // Of each length, the first write that stands at this place.
      var first: [Int: Exchange] = [:]
      for exchange in sessions.compactMap({ $0.indices.contains(place) ? $0[place] : nil }) {
        guard let other = first[exchange.value.count] else {
          first[exchange.value.count] = exchange
          continue
        }
        guard Self.looksRandom(exchange.value, other.value) else { continue }
        let differing = zip(exchange.answers, other.answers).filter { $0.handle == $1.handle && $0.value != $1.value }.map(\.0.handle)
        guard !differing.isEmpty else { continue }
        found = found ?? Challenge(session: other.session, entry: other.entry, handle: handle, answers: [])
        answers.formUnion(differing)
      }
    }
    found?.answers = answers.sorted()
    return found
  }

  /// Whether two values of one length differ as random bytes do: in many bytes, and in about half of the bits from the first to the last.
  private static func looksRandom(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    guard one.count == other.count else { return false }
    let places = one.indices.filter { one[$0] != other[$0] }
    guard places.count >= 6, let first = places.first, let last = places.last else { return false }
    let bits = places.reduce(0) { $0 + (one[$1] ^ other[$1]).nonzeroBitCount }
    let isText = (one[first...last] + other[first...last]).allSatisfy { (0x20..<0x7F).contains($0) }
    return !isText && bits * 10 >= (last - first + 1) * 8 * 3
  }

  /// Masks of writes in which sessions differ.
  ///
  /// An attribute has none unless all of its sessions agree on what comes at which place: in each place all values have one length and
  /// are alike, and no value that differs from session to session stands at another place, too, as commands in another order do.
  package var masks: [Mask] {
    targets.flatMap { target -> [Mask] in
      guard let sessions = exchanges[target], sessions.count >= 2, challenge(sessions, target.handle) == nil else { return [] }
      return Self.masks(sessions)
    }
  }

  private static func masks(_ sessions: [[Exchange]]) -> [Mask] {
    var places: [[UInt8]: Int] = [:]
    var moved: Set<[UInt8]> = []
    for session in sessions {
      for (place, exchange) in session.enumerated() where places.updateValue(place, forKey: exchange.value) ?? place != place {
        moved.insert(exchange.value)
      }
    }
    var masks: [Mask] = []
    for place in 0..<(sessions.map(\.count).min() ?? 0) {
      let row = sessions.map { $0[place] }
      let value = row[0].value
      guard row.contains(where: { $0.value != value }) else { continue }
      guard row.allSatisfy({ $0.value.count == value.count && !moved.contains($0.value) }) else { return [] }
      let mask = value.indices.map { byte in row.allSatisfy { $0.value[byte] == value[byte] } ? 0xFF : 0x00 as UInt8 }
      let isAlike =
        mask.count { $0 == 0xFF } * 2 >= mask.count
        || mask[0] == 0xFF && row.allSatisfy { $0.value == value || looksRandom($0.value, value) }
      guard isAlike else { return [] }
      masks += row.map { Mask(session: $0.session, entry: $0.entry, bytes: mask) }
    }
    return masks
  }
}

extension WriteComparison.Challenge {
  /// It as something that a scenario's reader should know.
  package var problem: ScenarioProblem {
    let told = answers.map(\.description).joined(separator: ", ")
    return ScenarioProblem(
      .notReplayable, .warning, at: .entry(session: session, entry),
      "not-replayable: what is written to \(handle) differs from session to session at bytes that look random, and so does what then comes "
        + "from \(told): another app's requests cannot be answered from the recording; compute the answers by a rule or in code, or let the "
        + "app use the recorded nonce")
  }
}
