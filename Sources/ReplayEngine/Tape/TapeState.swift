import ReplayScenarios

/// How far one connection has come on its session; not to be copied, for it is asked several times a PDU.
struct TapeState: ~Copyable {
  /// Entries that a central consumed, or that the peripheral began.
  private(set) var used: [Bool]
  /// How many entries that count were consumed.
  private(set) var consumed = 0
  /// The entry furthest on that was completed and may change a value that is read.
  private var lastCause: Int?
  /// No entry that counts stands unused before this place among them.
  private var unusedFrom = 0
  private var nextWrite = HandleTable<Int>(limit: CompiledSession.directHandles)
  private var nextCommand = HandleTable<Int>(limit: CompiledSession.directHandles)
  /// Writes that an app left out, the latest last: it may still make them.
  private var passedWrites = HandleTable<[Int]>(limit: CompiledSession.directHandles)
  private var passedCommands = HandleTable<[Int]>(limit: CompiledSession.directHandles)
  /// How far around the next write an equal one is looked for.
  private static let reach = 16
  private var nextBlob = HandleTable<Int>(limit: CompiledSession.directHandles)
  private var nextPDU: [[UInt8]: Int] = [:]
  private var nextMTU = 0
  private var nextProcedure: [ProcedureKey: Int] = [:]
  private var reads = HandleTable<ReadPosition>(limit: CompiledSession.directHandles)
  /// Before this place among an attribute's reads none stands unused.
  private var unusedReadsFrom = HandleTable<Int>(limit: CompiledSession.directHandles)
  /// The next entry that a central may consume under `strict`.
  private(set) var strictPosition = 0

  /// Where the reads of one attribute stand.
  struct ReadPosition {
    /// Index in the list of the attribute's reads.
    var position: Int
    /// When the position was reached.
    var since: AirInstant
  }

  /// The number of the database that holds.
  private var database: Int

  init(_ session: CompiledSession) {
    database = session.session.database
    used = Array(repeating: false, count: session.entries.count)
  }

  /// Another database holds from an entry on: what was asked of the one before stays unused.
  mutating func hold(database number: Int, from entry: Int, in session: CompiledSession) {
    database = number
    lastCause = max(lastCause ?? entry, entry)
    for (handle, list) in session.writes.all { nextWrite[handle] = max(nextWrite[handle] ?? 0, Self.firstIndex(in: list, after: entry)) }
    for (handle, list) in session.commands.all {
      nextCommand[handle] = max(nextCommand[handle] ?? 0, Self.firstIndex(in: list, after: entry))
    }
    for (handle, list) in session.blobs.all { nextBlob[handle] = max(nextBlob[handle] ?? 0, Self.firstIndex(in: list, after: entry)) }
    for (pdu, list) in session.pdus { nextPDU[pdu] = max(nextPDU[pdu] ?? 0, Self.firstIndex(in: list, after: entry)) }
  }

  /// Whether an entry is of the database that holds.
  private func holds(_ entry: Int, in session: CompiledSession) -> Bool {
    session.databases.isEmpty || session.databases[entry] == database
  }

  mutating func use(_ entry: Int, in session: CompiledSession) {
    guard !used[entry] else { return }
    used[entry] = true
    if session.isCounted(entry) { consumed += 1 }
  }

  mutating func complete(_ entry: Int, in session: CompiledSession) {
    use(entry, in: session)
    if Self.isCause(session.entries[entry].action) { lastCause = max(lastCause ?? entry, entry) }
  }

  /// The first entry that counts and was not consumed.
  mutating func firstUnused(in session: CompiledSession) -> Int? {
    while unusedFrom < session.counted.count, used[session.counted[unusedFrom]] { unusedFrom += 1 }
    return unusedFrom < session.counted.count ? session.counted[unusedFrom] : nil
  }

  /// The next write or command of the attribute that was not consumed yet.
  func next(_ session: CompiledSession, _ handle: AttributeHandle, command: Bool) -> Int? {
    let list = (command ? session.commands[handle] : session.writes[handle]) ?? []
    let position = (command ? nextCommand[handle] : nextWrite[handle]) ?? 0
    return position < list.count && holds(list[position], in: session) ? list[position] : nil
  }

  /// A write or command near the next one that had exactly this value, for an app may leave a write out or exchange two.
  func equal(_ session: CompiledSession, _ handle: AttributeHandle, _ value: [UInt8], command: Bool) -> Int? {
    let list = (command ? session.commands[handle] : session.writes[handle]) ?? []
    let position = (command ? nextCommand[handle] : nextWrite[handle]) ?? 0
    let near = list[min(position, list.count)...].prefix(Self.reach).dropFirst() + passedOver(handle, command).reversed()
    return near.first { session.entries[$0].action.writtenValue == value }
  }

  private func passedOver(_ handle: AttributeHandle, _ command: Bool) -> [Int] {
    (command ? passedCommands[handle] : passedWrites[handle]) ?? []
  }

  /// Consumes a write or command that ``next(_:_:command:)`` or ``equal(_:_:_:command:)`` told.
  mutating func consume(_ entry: Int, _ handle: AttributeHandle, command: Bool, in session: CompiledSession) {
    use(entry, in: session)
    advanceStrict(past: entry, in: session)
    let list = (command ? session.commands[handle] : session.writes[handle]) ?? []
    var position = (command ? nextCommand[handle] : nextWrite[handle]) ?? 0
    var passed = passedOver(handle, command)
    if position < list.count, list[position] <= entry {
      while position < list.count, list[position] < entry {
        passed.append(list[position])
        position += 1
      }
      position += 1
    } else {
      passed.removeAll { $0 == entry }
    }
    passed = passed.suffix(Self.reach)
    if command {
      nextCommand[handle] = position
      if !passed.isEmpty || passedCommands[handle] != nil { passedCommands[handle] = passed }
    } else {
      nextWrite[handle] = position
      if !passed.isEmpty || passedWrites[handle] != nil { passedWrites[handle] = passed }
    }
  }

  /// Consumes the next CCCD write of the attribute whose value is `value`, passing over those that set something else.
  mutating func consume(_ handle: AttributeHandle, equal value: [UInt8], in session: CompiledSession) -> Int? {
    let list = session.writes[handle] ?? []
    var position = nextWrite[handle] ?? 0
    while position < list.count {
      defer { position += 1 }
      if case .write(_, value) = session.entries[list[position]].action {
        nextWrite[handle] = position + 1
        use(list[position], in: session)
        return list[position]
      }
    }
    return nil
  }

  /// The entry that ``consume(pdu:mtu:in:)`` would tell, be it a repetition.
  func nextPDU(_ pdu: [UInt8], mtu: Int, in session: CompiledSession) -> Int? {
    peek(pdu, mtu: mtu, in: session)?.entry
  }

  /// The entry that ``consume(pdu:mtu:in:)`` would tell, where that is no repetition.
  func freshPDU(_ pdu: [UInt8], mtu: Int, in session: CompiledSession) -> Int? {
    peek(pdu, mtu: mtu, in: session).flatMap { $0.place == nil ? nil : $0.entry }
  }

  private func peek(_ pdu: [UInt8], mtu: Int, in session: CompiledSession) -> (entry: Int, place: Int?)? {
    guard let list = session.pdus[pdu] else { return nil }
    var position = nextPDU[pdu] ?? 0
    while position < list.count {
      if session.mtus[list[position]] == mtu, holds(list[position], in: session) { return (list[position], position) }
      position += 1
    }
    return list.last {
      session.mtus[$0] == mtu && session.entries[$0].answer != TimelineEntry.Answer.none && holds($0, in: session)
    }.map { ($0, nil) }
  }

  /// The recorded request with the same bytes that comes next, at the ATT MTU `mtu`; after the last one that one again.
  ///
  /// `isRepeat` tells that it had been consumed before.
  mutating func consume(pdu: [UInt8], mtu: Int, in session: CompiledSession) -> (entry: Int, isRepeat: Bool)? {
    guard let (entry, place) = peek(pdu, mtu: mtu, in: session) else { return nil }
    guard let place else { return (entry, true) }
    nextPDU[pdu] = place + 1
    use(entry, in: session)
    return (entry, false)
  }

  mutating func consumeMTURequest(in session: CompiledSession) -> Int? {
    guard nextMTU < session.mtuRequests.count else { return session.mtuRequests.last }
    defer { nextMTU += 1 }
    use(session.mtuRequests[nextMTU], in: session)
    return session.mtuRequests[nextMTU]
  }

  /// Consumes the next of the central's procedures of the same kind.
  mutating func consume(_ procedure: LinkProcedure, in session: CompiledSession) -> Int? {
    let key = ProcedureKey(procedure)
    let place = nextProcedure[key, default: 0]
    guard let list = session.procedures[key], place < list.count else { return nil }
    nextProcedure[key] = place + 1
    use(list[place], in: session)
    return list[place]
  }

  /// The read whose answer is the attribute's value now; moves on where a cause, or the recorded time between two reads, allows it.
  ///
  /// A poller does not shift the tape: without a cause it sees a value for as long as the recording showed it.
  mutating func read(_ handle: AttributeHandle, at now: AirInstant, in session: CompiledSession) -> Int? {
    guard let list = session.reads[handle], !list.isEmpty else { return nil }
    guard var place = reads[handle] else {
      let position = lastCause.map { min(Self.firstIndex(in: list, after: $0), list.count - 1) } ?? 0
      guard holds(list[position], in: session) else { return nil }
      reads[handle] = ReadPosition(position: position, since: now)
      return list[position]
    }
    if place.position + 1 < list.count {
      let gap = (session.entries[list[place.position + 1]].at - session.entries[list[place.position]].at).inNanoseconds
      var position = place.position
      if let lastCause, lastCause > list[position] {
        // The tape stands at the first read behind the cause that is furthest on, or at the last read.
        position = min(Self.firstIndex(in: list, after: lastCause), list.count - 1)
      }
      if position == place.position, now.duration(since: place.since) >= .nanoseconds(gap) { position += 1 }
      if position != place.position {
        place = ReadPosition(position: position, since: now)
        reads[handle] = place
      }
    }
    return holds(list[place.position], in: session) ? list[place.position] : nil
  }

  /// Consumes a read that ``read(_:at:in:)`` told; where that was consumed before, one that the tape passed over, for a slower app reads
  /// as often, but later.
  mutating func useRead(_ entry: Int, of handle: AttributeHandle, in session: CompiledSession) {
    guard used[entry], let list = session.reads[handle] else { return use(entry, in: session) }
    var place = unusedReadsFrom[handle] ?? 0
    while place < list.count, list[place] < entry, used[list[place]] { place += 1 }
    unusedReadsFrom[handle] = place
    if place < list.count, list[place] < entry { use(list[place], in: session) }
  }

  /// The place of the first of the ascending numbers in `list` that is greater than `number`; the count where none is.
  private static func firstIndex(in list: [Int], after number: Int) -> Int {
    var (low, high) = (0, list.count)
    while low < high {
      let middle = low + (high - low) / 2
      if list[middle] > number { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Consumes the next recorded Read Blob Request that stands on its own and asks for `offset`.
  mutating func consumeBlob(_ handle: AttributeHandle, offset: Int, onlyNext: Bool, in session: CompiledSession) -> Int? {
    let list = session.blobs[handle] ?? []
    let position = nextBlob[handle] ?? 0
    guard position < list.count, session.entries[list[position]].action == .readBlob(handle, offset: UInt16(clamping: offset)) else {
      return nil
    }
    if onlyNext, strictNext(in: session) != list[position] { return nil }
    nextBlob[handle] = position + 1
    use(list[position], in: session)
    return list[position]
  }

  /// Consumes exactly this read, which `strict` found to be next.
  mutating func consumeRead(_ entry: Int, of handle: AttributeHandle, at now: AirInstant, in session: CompiledSession) {
    if let position = session.reads[handle]?.firstIndex(of: entry) { reads[handle] = ReadPosition(position: position, since: now) }
    use(entry, in: session)
    advanceStrict(past: entry, in: session)
  }

  /// The read that the last Read Request of the attribute was answered from.
  func currentRead(_ handle: AttributeHandle, in session: CompiledSession) -> Int? {
    guard let list = session.reads[handle], let place = reads[handle] else { return nil }
    return list[place.position]
  }

  /// What may change a value that is read: something that was written or told, or encryption, not another question.
  private static func isCause(_ action: TimelineEntry.Action) -> Bool {
    switch action {
    case .write, .writeCommand, .notify, .indicate, .link(.encrypt): true
    default: false
    }
  }

  /// The next entry that `strict` lets a central consume; `nil` at the end.
  func strictNext(in session: CompiledSession) -> Int? {
    strictPosition < session.counted.count ? session.counted[strictPosition] : nil
  }

  mutating func advanceStrict(past entry: Int, in session: CompiledSession) {
    guard strictNext(in: session) == entry else { return }
    strictPosition += 1
    while let next = strictNext(in: session), used[next] { strictPosition += 1 }
  }
}

extension TimelineEntry {
  /// What a write or a command writes; `nil` for anything else.
  var writtenValue: [UInt8]? { action.writtenValue }
}

extension TimelineEntry.Action {
  /// What a write or a command writes; `nil` for anything else. By itself, for to look at a whole entry is to copy it.
  var writtenValue: [UInt8]? {
    switch self {
    case .write(_, let value), .writeCommand(_, let value): value
    default: nil
    }
  }
}
