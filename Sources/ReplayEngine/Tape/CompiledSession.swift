import ReplayScenarios

/// One recorded session in the form that a replay looks things up by; it does not change while it is played.
///
/// An entry of the peripheral's has one cause at the most. Entries whose causes form a loop therefore have none from outside: they
/// never begin, and one completion begins each other entry once at the most, so that nothing goes on without end at one moment.
/// Entries that wait for a number of writes, or for silence, are begun one after the other.
struct CompiledSession {
  /// Why entries start that the peripheral begins.
  enum Cause {
    case connection
    case completed(Int)
    case requested(Int)
  }

  /// Entries that wait for every `count`-th write of one attribute, in recorded order.
  struct Count {
    let count: Int
    let handle: AttributeHandle
    /// The entry that begins the count anew; `nil` for the connection.
    let since: Int?
    var entries: [Int] = []
  }

  let session: Session
  /// The session's number in its scenario, from 0.
  let index: Int
  /// Entries that wait for a cause, in recorded order; by the entry that they wait for, as a table is faster than a dictionary.
  private var afterConnection: [Int] = []
  private var afterCompletion: [[Int]]
  private var afterRequest: [[Int]]
  private(set) var counts: [Count] = []
  /// Counts by the entry that begins them anew.
  private(set) var countsSince: [Int: [Int]] = [:]
  /// Entries that wait for silence, in recorded order.
  private(set) var idle: [Int] = []
  /// The attribute whose write is the cause at the beginning of an entry's chain; `nil` where it is something else.
  private(set) var rootWrites: [AttributeHandle?] = []
  /// Handles that need no hashing; few, for each session has tables of its own, and a scenario may have many sessions.
  static let directHandles = 128
  /// Central entries by what they ask, in recorded order.
  private(set) var reads = HandleTable<[Int]>(limit: directHandles)
  private(set) var blobs = HandleTable<[Int]>(limit: directHandles)
  private(set) var writes = HandleTable<[Int]>(limit: directHandles)
  private(set) var commands = HandleTable<[Int]>(limit: directHandles)
  private(set) var pdus: [[UInt8]: [Int]] = [:]
  private(set) var mtuRequests: [Int] = []
  private(set) var procedures: [ProcedureKey: [Int]] = [:]
  /// The central's openings of channels that are an app's, in recorded order: those of other protocols than ATT.
  private(set) var openings: [Int] = []
  /// The numbers of those channels.
  private(set) var appChannels: Set<Int> = []
  /// The number of every channel that was opened.
  private(set) var channels: [Int] = []
  /// How long after its cause the central's stack began each of its procedures, for a central whose stack is played for it.
  private(set) var stackDelays: [Int: Duration] = [:]
  /// The ATT MTU that was in force on the entry's bearer when it began.
  private(set) var mtus: [Int] = []
  /// The number of the database that held when the entry began; empty where it is always the session's first.
  private(set) var databases: [Int] = []
  /// Whether the entry is stack traffic, which never counts as unused or unmatched.
  private(set) var isStack: [Bool] = []
  /// Entries without which a run fails, in recorded order.
  private(set) var required: [Int] = []
  /// Central entries that count, in recorded order.
  private(set) var counted: [Int] = []

  /// Entries that wait for a cause, in recorded order.
  func waiting(for cause: Cause) -> [Int] {
    switch cause {
    case .connection: afterConnection
    case .completed(let entry): afterCompletion[entry]
    case .requested(let entry): afterRequest[entry]
    }
  }

  /// Whether the entry is one of ``counted``.
  func isCounted(_ entry: Int) -> Bool { session.entries[entry].origin == .central && !isStack[entry] }

  var entries: [TimelineEntry] { session.entries }

  /// `maps` has the attributes of every database, in order.
  init(_ session: Session, index: Int, maps: [AttributeMap]) {
    self.session = session
    self.index = index
    afterCompletion = Array(repeating: [], count: session.entries.count)
    afterRequest = afterCompletion
    var mtu = session.mtu
    let switches = session.entries.contains { $0.database != nil }
    var database = session.database
    var attributes = maps.map(database)
    var stack = session.entries.contains { $0.isStackProcedure } ? StackCauses() : nil
    let bearerMTUs = Self.bearerMTUs(session)
    var ids: [String: Int] = [:]
    for position in session.entries.indices { if let id = session.entries[position].id, ids[id] == nil { ids[id] = position } }
    var lastOfAttribute: [AttributeHandle: Int] = [:]
    var countOf: [Anchor.Cause: Int] = [:]
    for (position, entry) in session.entries.enumerated() {
      mtus.append(entry.bearer.map { bearerMTUs[$0] ?? 23 } ?? mtu)
      if switches { databases.append(database) }
      isStack.append(Self.isStack(entry, attributes))
      if case .link(.openChannel(let opening)) = entry.action { channels.append(opening.channel) }
      rootWrites.append(nil)
      if entry.isRequired { required.append(position) }
      if entry.origin == .central {
        add(entry, at: position)
        if !isStack[position] { counted.append(position) }
        if entry.isStackProcedure, !isOfAnApp(entry.action), let cause = stack?.cause(of: entry) {
          stackDelays[position] = cause.delay
          if let cause = cause.entry { afterCompletion[cause].append(position) } else { afterConnection.append(position) }
        }
      } else if let anchor = entry.anchor {
        var before: Int?
        switch anchor.cause {
        case .connection: break
        case .entry(let id), .request(let id): before = ids[id]
        case .previous:
          before = entry.attribute.flatMap { lastOfAttribute[$0] } ?? (entry.attribute == nil && position > 0 ? position - 1 : nil)
        case .idle: idle.append(position)
        case .every(let count, let handle, let since):
          let place = countOf[anchor.cause] ?? addCount(Count(count: max(1, count), handle: handle, since: since.flatMap { ids[$0] }))
          countOf[anchor.cause] = place
          counts[place].entries.append(position)
        }
        switch (anchor.cause, before) {
        case (.idle, _), (.every, _): break
        case (.request, let before?): afterRequest[before].append(position)
        case (_, let before?): afterCompletion[before].append(position)
        case (_, nil): afterConnection.append(position)
        }
        if let before, before < position { rootWrites[position] = rootWrites[before] ?? Self.written(by: session.entries[before]) }
      }
      if entry.origin == .peripheral, let attribute = entry.attribute { lastOfAttribute[attribute] = position }
      stack?.note(entry, at: position, isStack: isStack[position])
      if entry.bearer == nil, case .exchangeMTU(let asked) = entry.action, case .mtu(let granted)? = entry.answer {
        mtu = max(23, Int(min(asked, granted)))
      }
      if let next = entry.database { (database, attributes) = (next, maps.map(next)) }
    }
  }

  /// The ATT MTU of each channel of Enhanced ATT.
  static func bearerMTUs(_ session: Session) -> [Int: Int] {
    var mtus: [Int: Int] = [:]
    for index in session.entries.indices {
      if case .link(.openChannel(let opening)) = session.entries[index].action, opening.psm == L2CAPChannelOpening.enhancedATT,
        session.entries[index].answer == .ok
      {
        mtus[opening.channel] = opening.attributeMTU
      }
    }
    return mtus
  }

  /// Whether an entry is about a channel that an app has, which the central's stack does nothing with by itself.
  private func isOfAnApp(_ action: TimelineEntry.Action) -> Bool {
    guard case .link(let procedure) = action else { return false }
    return switch procedure {
    case .openChannel(let opening): opening.isOfAnApp
    case .channelData(let channel, _), .closeChannel(let channel): appChannels.contains(channel)
    default: false
    }
  }

  /// The number of the database that held when an entry began.
  func database(of entry: Int) -> Int { databases.isEmpty ? session.database : databases[entry] }

  private mutating func addCount(_ count: Count) -> Int {
    counts.append(count)
    if let since = count.since { countsSince[since, default: []].append(counts.count - 1) }
    return counts.count - 1
  }

  /// The attribute that the central wrote to with an entry.
  private static func written(by entry: TimelineEntry) -> AttributeHandle? {
    switch entry.action {
    case .write(let handle, _), .writeCommand(let handle, _): entry.origin == .central ? handle : nil
    default: nil
    }
  }

  private mutating func add(_ entry: TimelineEntry, at position: Int) {
    switch entry.action {
    case .exchangeMTU: mtuRequests.append(position)
    case .read(let handle): reads[handle, default: []].append(position)
    case .readBlob(let handle, _): blobs[handle, default: []].append(position)
    case .write(let handle, _): writes[handle, default: []].append(position)
    case .writeCommand(let handle, _): commands[handle, default: []].append(position)
    case .pdu(let bytes): pdus[bytes, default: []].append(position)
    case .link(let procedure):
      procedures[ProcedureKey(procedure), default: []].append(position)
      if case .openChannel(let opening) = procedure, opening.isOfAnApp {
        openings.append(position)
        appChannels.insert(opening.channel)
      }
    case .notify, .indicate, .disconnect, .vanish: break
    }
  }

  /// Discovery, MTU, everything in the services 1800 and 1801, and a CCCD write that recorded no error.
  private static func isStack(_ entry: TimelineEntry, _ attributes: AttributeMap) -> Bool {
    switch entry.action {
    case .exchangeMTU: return true
    case .read(let handle), .readBlob(let handle, _), .writeCommand(let handle, _): return attributes.isStack(handle)
    case .write(let handle, _):
      if case .error? = entry.answer { return attributes.isStack(handle) }
      return attributes.isStack(handle) || attributes.isConfiguration(handle)
    case .pdu(let bytes):
      guard let opcode = bytes.first.map({ ATTOpcode(rawValue: $0) }) else { return false }
      switch opcode {
      case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest: return true
      default: return false
      }
    case .notify, .indicate: return false
    case .link, .disconnect, .vanish: return true
    }
  }
}
