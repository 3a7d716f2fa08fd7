import ReplayScenarios

/// How far one connection has come on its session.
struct TapeState {
  /// Entries that a central consumed, or that the peripheral began.
  private(set) var used: [Bool]
  /// How often an entry was completed; anchored entries count from here.
  private(set) var completed: [Bool]
  private var nextWrite: [AttributeHandle: Int] = [:]
  private var nextCommand: [AttributeHandle: Int] = [:]
  private var nextBlob: [AttributeHandle: Int] = [:]
  private var nextPDU: [[UInt8]: Int] = [:]
  private var nextMTU = 0
  private var reads: [AttributeHandle: ReadPosition] = [:]
  /// The next entry that a central may consume under `strict`.
  private(set) var strictPosition = 0

  /// Where the reads of one attribute stand.
  struct ReadPosition {
    /// Index in the list of the attribute's reads.
    var position: Int
    /// When the position was reached.
    var since: AirInstant
  }

  init(_ session: CompiledSession) {
    used = Array(repeating: false, count: session.entries.count)
    completed = used
  }

  mutating func use(_ entry: Int) { used[entry] = true }

  mutating func complete(_ entry: Int) {
    used[entry] = true
    completed[entry] = true
  }

  /// The next write or command of the attribute that was not consumed yet.
  func next(_ session: CompiledSession, _ handle: AttributeHandle, command: Bool) -> Int? {
    let list = (command ? session.commands[handle] : session.writes[handle]) ?? []
    let position = (command ? nextCommand[handle] : nextWrite[handle]) ?? 0
    return position < list.count ? list[position] : nil
  }

  /// Consumes what ``next(_:_:command:)`` told.
  mutating func consumeNext(_ handle: AttributeHandle, command: Bool, in session: CompiledSession) {
    guard let entry = next(session, handle, command: command) else { return }
    use(entry)
    if command { nextCommand[handle, default: 0] += 1 } else { nextWrite[handle, default: 0] += 1 }
    advanceStrict(past: entry, in: session)
  }

  /// Consumes the next CCCD write of the attribute whose value is `value`, passing over those that set something else.
  mutating func consume(_ handle: AttributeHandle, equal value: [UInt8], in session: CompiledSession) -> Int? {
    let list = session.writes[handle] ?? []
    var position = nextWrite[handle] ?? 0
    while position < list.count {
      defer { position += 1 }
      if case .write(_, value) = session.entries[list[position]].action {
        nextWrite[handle] = position + 1
        use(list[position])
        return list[position]
      }
    }
    return nil
  }

  /// The recorded request with the same bytes that comes next, at the ATT MTU `mtu`; after the last one that one again.
  ///
  /// `isRepeat` tells that it had been consumed before.
  mutating func consume(pdu: [UInt8], mtu: Int, in session: CompiledSession) -> (entry: Int, isRepeat: Bool)? {
    guard let list = session.pdus[pdu] else { return nil }
    var position = nextPDU[pdu] ?? 0
    while position < list.count {
      defer { position += 1 }
      if session.mtus[list[position]] == mtu {
        nextPDU[pdu] = position + 1
        use(list[position])
        return (list[position], false)
      }
    }
    return list.last { session.mtus[$0] == mtu && session.entries[$0].answer != TimelineEntry.Answer.none }.map { ($0, true) }
  }

  mutating func consumeMTURequest(in session: CompiledSession) -> Int? {
    guard nextMTU < session.mtuRequests.count else { return session.mtuRequests.last }
    defer { nextMTU += 1 }
    use(session.mtuRequests[nextMTU])
    return session.mtuRequests[nextMTU]
  }

  /// The read whose answer is the attribute's value now; moves on where a cause, or the recorded time between two reads, allows it.
  ///
  /// A poller does not shift the tape: without a cause it sees a value for as long as the recording showed it.
  mutating func read(_ handle: AttributeHandle, at now: AirInstant, in session: CompiledSession) -> Int? {
    guard let list = session.reads[handle], !list.isEmpty else { return nil }
    guard var place = reads[handle] else {
      reads[handle] = ReadPosition(position: 0, since: now)
      return list[0]
    }
    let current = list[place.position]
    if place.position + 1 < list.count {
      let following = list[place.position + 1]
      let gap = (session.entries[following].at - session.entries[current].at).inNanoseconds
      let recordedCause = session.entries[(current + 1)..<following].indices.contains { index in
        completed[index] && Self.isCause(session.entries[index])
      }
      if recordedCause || now.nanoseconds - place.since.nanoseconds >= gap {
        place = ReadPosition(position: place.position + 1, since: now)
        // A cause further on brings the tape to the first read behind it.
        while place.position + 1 < list.count {
          let (here, there) = (list[place.position], list[place.position + 1])
          guard session.entries[(here + 1)..<there].indices.contains(where: { completed[$0] && Self.isCause(session.entries[$0]) }) else {
            break
          }
          place.position += 1
        }
        reads[handle] = place
      }
    }
    return list[place.position]
  }

  /// Consumes the next recorded Read Blob Request that stands on its own and asks for `offset`.
  mutating func consumeBlob(_ handle: AttributeHandle, offset: Int, in session: CompiledSession) -> Int? {
    let list = session.blobs[handle] ?? []
    let position = nextBlob[handle] ?? 0
    guard position < list.count, session.entries[list[position]].action == .readBlob(handle, offset: UInt16(clamping: offset)) else {
      return nil
    }
    nextBlob[handle] = position + 1
    use(list[position])
    return list[position]
  }

  /// Consumes exactly this read, which `strict` found to be next.
  mutating func consumeRead(_ entry: Int, of handle: AttributeHandle, at now: AirInstant, in session: CompiledSession) {
    if let position = session.reads[handle]?.firstIndex(of: entry) { reads[handle] = ReadPosition(position: position, since: now) }
    use(entry)
    advanceStrict(past: entry, in: session)
  }

  /// The read that the last Read Request of the attribute was answered from.
  func currentRead(_ handle: AttributeHandle, in session: CompiledSession) -> Int? {
    guard let list = session.reads[handle], let place = reads[handle] else { return nil }
    return list[place.position]
  }

  /// What may change a value that is read: something that was written or told, not another question.
  private static func isCause(_ entry: TimelineEntry) -> Bool {
    switch entry.action {
    case .write, .writeCommand, .notify, .indicate: true
    default: false
    }
  }

  /// The next entry that `strict` lets a central consume; `nil` at the end.
  func strictNext(in session: CompiledSession) -> Int? {
    strictPosition < session.counted.count ? session.counted[strictPosition] : nil
  }

  mutating func advanceStrict(past entry: Int, in session: CompiledSession) {
    if let next = strictNext(in: session), next == entry { strictPosition += 1 }
  }
}
