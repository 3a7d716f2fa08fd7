/// Makes one scenario of several of the same device: what is known of its attributes together, and all sessions in the order of their times.
public struct ScenarioMerge: Sendable {
  /// What all have in common by now.
  public private(set) var scenario: Scenario
  /// Attributes that two of them tell differently, one a pair of files; such a file's sessions have a database of their own.
  public private(set) var conflicts: [String] = []
  /// Where each database comes from, for messages.
  private var origins: [String]
  private var file: String

  /// Begins with one scenario; `file` is for messages.
  public init(_ first: Scenario, file: String) {
    (scenario, self.file) = (first, file)
    origins = first.databases.map { _ in file }
  }

  /// Adds another; throws where it is of another device.
  public mutating func add(_ other: Scenario, file: String) throws(ScenarioMergeError) {
    guard Self.mayBeSame(scenario.device, other.device) else {
      throw ScenarioMergeError(
        description: "\(file): is of \(Self.name(other.device)), not of \(Self.name(scenario.device)) as \(self.file); "
          + "merge scenarios of one device")
    }
    let isEarlier = Self.isBefore(other.sessions.first?.time, scenario.sessions.first?.time)
    mergeDevice(other.device)
    var numbers: [Int] = []
    for database in other.databases { numbers.append(number(of: database, from: file, isEarlier: isEarlier)) }
    addSessions(other, numbers)
    scenario.rules += other.rules.filter { !scenario.rules.contains($0) }
    scenario.expectations += other.expectations.filter { !scenario.expectations.contains($0) }
    scenario.faults += other.faults.filter { !scenario.faults.contains($0) }
    mergeOrigin(other.origin)
    scenario.note = Self.joined(scenario.note, other.note, "\n")
  }

  // MARK: Device

  /// A resolvable address changes by the hour, so that it rules nothing out.
  private static func mayBeSame(_ one: Device, _ other: Device) -> Bool {
    guard let address = one.address, let second = other.address else { return true }
    let (all, others) = (Set(([address] + one.addresses).map(\.value)), ([second] + other.addresses).map(\.value))
    return !all.isDisjoint(with: others) || address.randomKind == .resolvable || second.randomKind == .resolvable
  }

  private static func name(_ device: Device) -> String { device.address?.description ?? "a device without an address" }

  private mutating func mergeDevice(_ other: Device) {
    var device = scenario.device
    if let address = device.address, let second = other.address, address.value != second.value {
      // An identity stands for what rotates.
      let isBetter = address.randomKind == .resolvable && second.randomKind != .resolvable
      device.address = isBetter ? second : address
      device.addresses += [isBetter ? address : second]
    }
    device.address = device.address ?? other.address
    for address in other.addresses where !device.addresses.contains(address) && address != device.address {
      device.addresses.append(address)
    }
    device.name = device.name ?? other.name
    device.identifier = device.identifier ?? other.identifier
    // What was heard stands for what was made up.
    if let advertising = other.advertising,
      device.advertising.map({ $0.provenance == .inferred && advertising.provenance != .inferred }) ?? true
    {
      device.advertising = advertising
    }
    device.sendsUnsubscribed = device.sendsUnsubscribed || other.sendsUnsubscribed
    device.keepsSubscriptions = device.keepsSubscriptions || other.keepsSubscriptions
    device.mtu = max(device.mtu, other.mtu)
    scenario.device = device
  }

  private mutating func mergeOrigin(_ other: Origin?) {
    guard let other, var origin = scenario.origin else {
      scenario.origin = scenario.origin ?? other
      return
    }
    if !origin.file.split(separator: " + ").contains(Substring(other.file)) {
      origin.file = Self.joined(origin.file, other.file, " + ") ?? ""
    }
    if Self.isBefore(other.time, origin.time) { origin.time = other.time }
    if origin.capturedAt != other.capturedAt { origin.capturedAt = nil }
    origin.tool = origin.tool ?? other.tool
    origin.redacted = origin.redacted && other.redacted
    scenario.origin = origin
  }

  private static func joined(_ one: String?, _ other: String?, _ separator: String) -> String? {
    guard let one, let other, one != other else { return one ?? other }
    return one + separator + other
  }

  // MARK: Databases

  /// The number of the database that a file's goes into: the latest that it does not contradict, or one of its own.
  private mutating func number(of database: [Attribute], from file: String, isEarlier: Bool) -> Int {
    var conflict: String?
    for number in (1...origins.count).reversed() {
      var all = Dictionary(scenario.database(number).map { ($0.handle, $0) }) { first, _ in first }
      if let handle = Self.contradiction(all, database) {
        let (one, two) = (all[handle], database.first { $0.handle == handle })
        conflict =
          conflict
          ?? "handle \(handle) is \(one?.kind.words ?? "unknown") in \(origins[number - 1]) and \(two?.kind.words ?? "unknown") in \(file)"
        continue
      }
      for attribute in database {
        all[attribute.handle] = all[attribute.handle].map { Self.merged($0, attribute, isEarlier: isEarlier) } ?? attribute
      }
      // The value of a characteristic that is declared now is no longer unknown.
      let values = Set(all.values.compactMap { if case .characteristic(_, _, let value) = $0.kind { value } else { nil } })
      let united = all.values.filter { $0.kind != .unknown || !values.contains($0.handle) }.sorted { $0.handle < $1.handle }
      if number == 1 { scenario.database = united } else { scenario.laterDatabases[number - 2] = united }
      return number
    }
    if let conflict { conflicts.append("\(conflict): the sessions of \(file) have a database of their own") }
    scenario.laterDatabases.append(database)
    origins.append(file)
    return origins.count
  }

  /// The first attribute that both tell, and tell differently.
  private static func contradiction(_ known: [AttributeHandle: Attribute], _ database: [Attribute]) -> AttributeHandle? {
    database.first { attribute in
      guard let other = known[attribute.handle], other.kind != .unknown, attribute.kind != .unknown else { return false }
      return other.kind != attribute.kind
    }?.handle
  }

  private static func merged(_ one: Attribute, _ other: Attribute, isEarlier: Bool) -> Attribute {
    var (first, second) = isEarlier ? (other, one) : (one, other)
    // What was seen stands for what was taken from elsewhere.
    let trust: [Provenance] = [.discovered, .hand, .sidecar, .inferred, .unknown]
    if first.kind == .unknown || (trust.firstIndex(of: second.provenance) ?? 0) < (trust.firstIndex(of: first.provenance) ?? 0) {
      if second.kind != .unknown { (first.kind, first.provenance) = (second.kind, second.provenance) }
    }
    first.content = first.content ?? second.content
    first.readError = first.readError ?? second.readError
    first.writeError = first.writeError ?? second.writeError
    (first.match, first.unmatched) = (first.match ?? second.match, first.unmatched ?? second.unmatched)
    first.note = joined(first.note, second.note, "; ")
    return first
  }

  // MARK: Sessions

  private mutating func addSessions(_ other: Scenario, _ numbers: [Int]) {
    func number(_ old: Int) -> Int { old > 0 && old <= numbers.count ? numbers[old - 1] : old }
    let own = scenario.origin?.file
    for index in scenario.sessions.indices where scenario.sessions[index].link != nil && scenario.sessions[index].file == nil {
      if own != other.origin?.file { scenario.sessions[index].file = own }
    }
    let known = Dictionary(grouping: scenario.sessions.indices.filter { scenario.sessions[$0].time != nil }) {
      scenario.sessions[$0].time ?? ""
    }
    var new: [Session] = []
    for var session in other.sessions {
      session.database = number(session.database)
      for entry in session.entries.indices { session.entries[entry].database = session.entries[entry].database.map(number) }
      if session.link != nil, own != other.origin?.file { session.file = session.file ?? other.origin?.file }
      // One that is there already stays once, in its longer form.
      if let time = session.time, let same = known[time]?.first(where: { Self.areOne(scenario.sessions[$0], session) }) {
        if scenario.sessions[same].entries.count < session.entries.count { scenario.sessions[same] = session }
      } else {
        new.append(session)
      }
    }
    insert(new)
  }

  /// Puts sessions where their times belong; those without a time stay behind the one that they followed.
  private mutating func insert(_ new: [Session]) {
    var all: [Session] = []
    var waiting = new[...]
    for session in scenario.sessions {
      while let next = waiting.first, Self.isBefore(next.time, session.time) { all.append(waiting.removeFirst()) }
      all.append(session)
    }
    scenario.sessions = all + waiting
  }

  /// Whether one has all that the other has, from the beginning on: one capture ended in the middle of it.
  private static func areOne(_ one: Session, _ other: Session) -> Bool {
    guard one.complete == other.complete, one.failed == other.failed else { return false }
    return zip(one.entries, other.entries).allSatisfy { $0.at == $1.at && $0.action == $1.action && $0.origin == $1.origin }
  }

  /// Times are ISO 8601 text in UTC, which sorts as it reads.
  private static func isBefore(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return false }
    return one < other
  }
}

/// Two scenarios are not of one device.
public struct ScenarioMergeError: Error, Sendable, CustomStringConvertible {
  public let description: String
}
