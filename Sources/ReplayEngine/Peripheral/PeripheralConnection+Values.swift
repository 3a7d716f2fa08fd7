import GATTStack
import ReplayScenarios

/// Reads and writes of values: what the tape, the database and the policy for unmatched requests make of them.
extension PeripheralConnection {
  func value(
    _ request: GATTServer.ValueRequest, _ bytes: [UInt8], at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]
  ) {
    switch request {
    case .read(let handle, let offset, let opcode):
      // The later requests of a long read belong to the read that began it.
      if passed == .none { partsRead = opcode == .readRequest ? 1 : partsRead &+ 1 }
      if !faults.isEmpty {
        if opcode == .readRequest, stopsUse(.read, handle, &faults, &outputs) { return }
        if stopsUse(.readPart, handle, part: partsRead, &faults, &outputs) { return }
      }
      if opcode == .readBlobRequest {
        readBlob(handle, offset: offset, at: now, faults: &faults, outputs: &outputs)
      } else {
        read(handle, at: now, faults: &faults, outputs: &outputs)
      }
    case .write(let handle, let value, let opcode):
      write(handle, value, opcode, at: now, faults: &faults, outputs: &outputs)
    case .command(let handle, let value):
      if isDue(bytes) {
        answerRecorded(bytes, else: nil, at: now, faults: &faults, outputs: &outputs)
      } else {
        command(handle, value, at: now, faults: &faults, outputs: &outputs)
      }
    case .readMultiple(let handles, let opcode):
      if !isDue(bytes), let handle = handles.first(where: { !attributes.isStack($0) }) {
        unmatched(opcode, handle, [], at: now)
        switch policy(for: handle) {
        case .again, .last: break
        case .silence: return
        case .error, .fail: return respond(.errorResponse(request: opcode, handle: handle, error: .unlikelyError), after: nil, at: now)
        }
      }
      answerRecorded(bytes, else: multiple(handles, opcode), at: now, faults: &faults, outputs: &outputs)
    case .prepare(let handle, let offset, let part):
      prepare(handle, offset, part, bytes, at: now, faults: &faults, outputs: &outputs)
    case .execute(let values, let cancel):
      // One whole value is a write like any other; anything else is answered as recorded, or applied.
      if values.count == 1, let only = values.first, only.offset == 0, !isRecordedAlone(bytes, insteadOf: only.handle) {
        write(only.handle, only.value, .executeWriteRequest, at: now, faults: &faults, outputs: &outputs)
      } else {
        let computed = cancel ? .executeWriteResponse : apply(values, at: now)
        answerRecorded(bytes, else: computed, at: now, faults: &faults, outputs: &outputs)
      }
    }
  }

  // MARK: - Reads

  private func read(_ handle: AttributeHandle, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    let isStack = attributes.isStack(handle)
    if answerByRule(handle, at: now) { return }
    let match = match(for: handle)
    if match == .stateful, changed.contains(handle), let attribute = server.database[handle] {
      if let entry = tape.read(handle, at: now, in: session) {
        tape.useRead(entry, of: handle, in: session)
        if case .error? = session.entries[entry].answer { report.addChangedError(entry, describe(entry)) }
      }
      let answer = server.answer(.readRequest, handle: handle, value: attribute.value, offset: 0)
      return respond(answer, after: nil, at: now, about: .read(handle))
    }
    var entry: Int?
    if let taken = takeAssigned() {
      entry = taken
    } else if match == .strict, !isStack {
      if let next = tape.strictNext(in: session), session.entries[next].action == .read(handle) {
        entry = next
        tape.consumeRead(next, of: handle, at: now, in: session)
      }
    } else {
      entry = tape.read(handle, at: now, in: session)
      if let entry {
        tape.useRead(entry, of: handle, in: session)
        tape.advanceStrict(past: entry, in: session)
      }
    }
    if let entry {
      if stopsEntry(entry, &faults, &outputs) { return }
      requested(entry, at: now)
      answerRead(entry, .readRequest, handle, offset: 0, at: now)
      return
    }
    if !isStack { unmatched(.readRequest, handle, [], at: now) }
    switch isStack ? .again : policy(for: handle) {
    case .again, .last: respond(databaseAnswer(.readRequest, handle, offset: 0), after: nil, at: now, about: .read(handle))
    case .silence: break
    case .error, .fail:
      respond(.errorResponse(request: .readRequest, handle: handle, error: .unlikelyError), after: nil, at: now, about: .read(handle))
    }
  }

  private func readBlob(_ handle: AttributeHandle, offset: Int, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    if ruledReads.contains(handle) || match(for: handle) == .stateful && changed.contains(handle), let attribute = server.database[handle] {
      let answer = server.answer(.readBlobRequest, handle: handle, value: attribute.value, offset: offset)
      return respond(answer, after: nil, at: now, about: .read(handle))
    }
    if let entry = takeAssigned()
      ?? tape.consumeBlob(
        handle, offset: offset, onlyNext: match(for: handle) == .strict && !attributes.isStack(handle), in: session)
    {
      if stops(
        .use, entry: entry, faults.attribute(.read, handle: handle, uuid: attributes.types[handle], of: report.peripheral, before: true),
        &outputs)
      {
        return
      }
      if stopsEntry(entry, &faults, &outputs) { return }
      tape.advanceStrict(past: entry, in: session)
      requested(entry, at: now)
      switch session.entries[entry].answer {
      case .value(let part):
        respond(.readBlobResponse(part: part), after: session.entries[entry].latency, at: now, entry: entry, about: .read(handle))
      default: answer(entry, to: .readBlobRequest, handle: handle, at: now, about: .read(handle))
      }
    } else if let entry = tape.currentRead(handle, in: session), case .value? = session.entries[entry].answer {
      answerRead(entry, .readBlobRequest, handle, offset: offset, at: now)
    } else {
      respond(databaseAnswer(.readBlobRequest, handle, offset: offset), after: nil, at: now, about: .read(handle))
    }
  }

  private func answerRead(_ entry: Int, _ request: ATTOpcode, _ handle: AttributeHandle, offset: Int, at now: AirInstant) {
    let recorded = session.entries[entry]
    guard case .value(let value)? = recorded.answer else {
      if recorded.answer == nil { return }
      answer(entry, to: request, handle: handle, at: now, about: .read(handle))
      return
    }
    var sum = 0
    let part = recorded.parts.first { part in
      defer { sum &+= part.count ?? 0 }
      return sum == offset
    }
    let pdu = server.answer(request, handle: handle, value: value, offset: offset)
    let isLast = isLastPart(of: recorded, count: value.count, offset: offset)
    respond(
      pdu, after: part?.latency ?? recorded.latency, at: now, entry: isLast ? entry : nil,
      about: Answered(use: .read, handle: handle, part: partsRead, isLast: isLast))
  }

  /// Whether the part from `offset` ends the read, so that it is completed once.
  private func isLastPart(of entry: TimelineEntry, count: Int, offset: Int) -> Bool {
    let end = offset + server.mtu - 1
    guard offset <= count else { return false }
    guard end == count || (offset == count && count > 0) else { return end > count }
    // A last part that fills its PDU may be followed by an empty one; the recording tells whether it was.
    let asksOnce = entry.parts.reduce(0) { $0 &+ ($1.count ?? 0) } == count && entry.parts.last?.count == 0
    return (offset == count) == asksOnce
  }

  /// What the database has for an attribute, where the tape has nothing: in this session, then in earlier ones, then the database.
  private func databaseAnswer(_ request: ATTOpcode, _ handle: AttributeHandle, offset: Int) -> ATTPDU {
    for session in [self.session] + earlier.reversed() {
      // Of this session, what the tape shows now; of the earlier ones, what they ended with.
      let list = session.reads[handle]
      if let last = session.index == self.session.index ? tape.currentRead(handle, in: session) ?? list?.first : list?.last,
        session.database(of: last) == database
      {
        switch session.entries[last].answer {
        case .value(let value): return server.answer(request, handle: handle, value: value, offset: offset)
        case .error(let error): return .errorResponse(request: request, handle: handle, error: error)
        default: break
        }
      }
    }
    guard let attribute = server.database[handle] else { return .errorResponse(request: request, handle: handle, error: .invalidHandle) }
    if let error = attribute.readError { return .errorResponse(request: request, handle: handle, error: error) }
    if let properties = attributes.properties[handle], properties & 0x02 == 0 {
      return .errorResponse(request: request, handle: handle, error: .readNotPermitted)
    }
    if attributes.isConfiguration(handle) {
      return server.answer(request, handle: handle, value: attribute.value.isEmpty ? [0, 0] : attribute.value, offset: offset)
    }
    guard !attribute.value.isEmpty || attributes.hasKnownValue(handle) else {
      return .errorResponse(request: request, handle: handle, error: .unlikelyError)
    }
    return server.answer(request, handle: handle, value: attribute.value, offset: offset)
  }

  private func multiple(_ handles: [AttributeHandle], _ request: ATTOpcode) -> ATTPDU {
    var values: [[UInt8]] = []
    for handle in handles {
      switch databaseAnswer(.readRequest, handle, offset: 0) {
      case .readResponse(let value): values.append(value)
      case .errorResponse(_, let handle, let error): return .errorResponse(request: request, handle: handle, error: error)
      default: break
      }
    }
    return server.answer(request, values: values)
  }

  // MARK: - Writes

  private func write(
    _ handle: AttributeHandle, _ value: [UInt8], _ request: ATTOpcode, at now: AirInstant, faults: inout FaultSet,
    outputs: inout [Output]
  ) {
    let isConfiguration = attributes.isConfiguration(handle)
    if isConfiguration, !faults.isEmpty, stopsSubscribing(handle, value, &faults, &outputs) { return }
    if stopsUse(.write, handle, &faults, &outputs) { return }
    if isTooLong(value, for: handle) {
      return respond(.errorResponse(request: request, handle: handle, error: .invalidAttributeValueLength), after: nil, at: now)
    }
    if isConfiguration || attributes.isStack(handle), !nextIsError(handle) || attributes.isStack(handle) {
      if let rule = rule(.write, handle, value, at: now) { return follow(rule, handle, value, request, at: now) }
      stackWrite(handle, value, request, at: now, faults: &faults, outputs: &outputs)
      return
    }
    if passed < .entry { written(handle, at: now) }
    if let rule = rule(.write, handle, value, at: now) {
      follow(rule, handle, value, request, at: now)
      return
    }
    guard let entry = matchedWrite(handle, value, command: false, at: now) else {
      if match(for: handle) == .stateful, accept(handle, value, request, at: now) { return }
      unmatchedWrite(handle, value, request, at: now)
      return
    }
    if stopsEntry(entry, &faults, &outputs) { return }
    if session.entries[entry].answer == .ok { accepted(handle, value, at: now) }
    requested(entry, at: now)
    answer(entry, to: request, handle: handle, at: now, about: .write(handle))
  }

  /// Whether an attribute may be written by a request, or by what else its properties have a bit for (Core 5.4, Vol 3, Part G, 3.3.1.1).
  func takesWrites(_ handle: AttributeHandle, property: UInt8 = 0x08) -> Bool {
    guard let attribute = server.database[handle], attribute.writeError == nil else { return false }
    return attributes.properties[handle].map { $0 & property != 0 } ?? true
  }

  /// Whether a value is longer than that of an attribute that can be written may be (Core 5.4, Vol 3, Part F, 3.2.9); not where the recording
  /// has such a one.
  private func isTooLong(_ value: [UInt8], for handle: AttributeHandle) -> Bool {
    guard value.count > AttributeDatabase.longestValue, takesWrites(handle) else { return false }
    let recorded = tape.next(session, handle, command: false).flatMap { session.entries[$0].writtenValue }
    return recorded.map { $0.count < value.count } ?? true
  }

  /// A CCCD write whose recorded answer is an error is the app's business, not the stack's.
  private func nextIsError(_ handle: AttributeHandle) -> Bool {
    guard let next = assigned ?? tape.next(session, handle, command: false), case .error? = session.entries[next].answer else {
      return false
    }
    return true
  }

  private func stackWrite(
    _ handle: AttributeHandle, _ value: [UInt8], _ request: ATTOpcode, at now: AirInstant, faults: inout FaultSet,
    outputs: inout [Output]
  ) {
    if let entry = takeAssigned() ?? tape.consume(handle, equal: value, in: session) {
      if stopsEntry(entry, &faults, &outputs) { return }
      if session.entries[entry].answer == .ok { accepted(handle, value, after: session.entries[entry].latency, at: now) }
      requested(entry, at: now)
      answer(entry, to: request, handle: handle, at: now, about: .write(handle))
    } else if let entry = session.writes[handle]?.last(where: { session.entries[$0].action == .write(handle, value) }),
      session.entries[entry].answer == .ok
    {
      // Subscribing once more brings again what followed the last time.
      accepted(handle, value, after: session.entries[entry].latency, at: now)
      requested(entry, at: now)
      answer(entry, to: request, handle: handle, at: now, about: .write(handle))
    } else if let attribute = server.database[handle] {
      if let error = attribute.writeError {
        respond(.errorResponse(request: request, handle: handle, error: error), after: nil, at: now, about: .write(handle))
      } else {
        accepted(handle, value, at: now)
        respond(request == .executeWriteRequest ? .executeWriteResponse : .writeResponse, after: nil, at: now, about: .write(handle))
      }
    } else {
      respond(.errorResponse(request: request, handle: handle, error: .invalidHandle), after: nil, at: now, about: .write(handle))
    }
  }

  func accepted(_ handle: AttributeHandle, _ value: [UInt8], after latency: Duration? = nil, at now: AirInstant) {
    if attributes.isConfiguration(handle) {
      configure(handle, value, after: latency, at: now)
    } else {
      server.database.setValue(value, at: handle)
      if match(for: handle) == .stateful { changed.insert(handle) }
    }
  }

  private func command(_ handle: AttributeHandle, _ value: [UInt8], at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]) {
    if stopsUse(.write, handle, &faults, &outputs) { return }
    if passed < .entry { written(handle, at: now) }
    if let rule = rule(.write, handle, value, at: now) {
      follow(rule, handle, value, nil, at: now)
      _ = used(.write, handle, &faults, &outputs)
      return
    }
    guard let entry = matchedWrite(handle, value, command: true, at: now) else {
      if match(for: handle) == .stateful, accept(handle, value, nil, at: now) {
        _ = used(.write, handle, &faults, &outputs)
        return
      }
      if !attributes.isStack(handle) { unmatched(.writeCommand, handle, value, at: now) }
      let policy = policy(for: handle)
      if policy == .again || policy == .last {
        server.database.setValue(value, at: handle)
        if let again = again(handle, isCommand: true, value, policy) {
          requested(again, at: now)
          complete(again, at: now)
        }
      }
      _ = used(.write, handle, &faults, &outputs)
      return
    }
    if stopsEntry(entry, &faults, &outputs) { return }
    server.database.setValue(value, at: handle)
    requested(entry, at: now)
    complete(entry, at: now)
    if used(.write, handle, &faults, &outputs) { return }
    played(entry, &faults, &outputs)
  }

  /// Consumes the entry that a write belongs to; a value that its matcher refuses takes the entry's place and is noted.
  private func matchedWrite(_ handle: AttributeHandle, _ value: [UInt8], command: Bool, at now: AirInstant) -> Int? {
    if let taken = takeAssigned() { return taken }
    // A copy must not take what the app is still to write.
    if passed == .copy { return nil }
    let match = match(for: handle)
    let next = tape.next(session, handle, command: command)
    let isNext = next.map { isAccepted(value, for: $0, handle) } ?? false
    if match == .strict {
      guard let next, session.isStack[next] || tape.strictNext(in: session) == next && isNext else { return nil }
    }
    // Without a near one it comes in the place of the next one.
    let equal = isNext || match == .strict ? nil : tape.equal(session, handle, value, command: command)
    guard let entry = equal ?? next else { return nil }
    let isTaken = isNext || equal != nil && isAccepted(value, for: entry, handle)
    // Under `stateful` a value that nothing recorded is no other value of the next entry: it is a value.
    if match == .stateful, !isTaken { return nil }
    let expected = session.entries[entry].action.writtenValue ?? []
    if !isTaken, expected != value, passed < .all {
      report.add(
        SessionReport.Substitution(time: now, entry: entry, attribute: attributes.name(handle), expected: expected, got: value))
    }
    if case .counter = session.entries[entry].matcher { counters[handle] = (expected, value) }
    tape.consume(entry, handle, command: command, in: session)
    return entry
  }

  /// Whether a written value counts as the recorded one.
  private func isAccepted(_ value: [UInt8], for entry: Int, _ handle: AttributeHandle) -> Bool {
    let matcher = session.entries[entry].matcher
    guard let recorded = session.entries[entry].action.writtenValue else { return false }
    return matcher == .exact ? value == recorded : matcher.accepts(value, for: recorded, before: counters[handle])
  }

  private func unmatchedWrite(_ handle: AttributeHandle, _ value: [UInt8], _ request: ATTOpcode, at now: AirInstant) {
    unmatched(request, handle, value, at: now)
    let policy = policy(for: handle)
    if policy == .silence { return }
    if policy == .again || policy == .last {
      if let entry = again(handle, isCommand: false, value, policy) {
        if session.entries[entry].answer == .ok { accepted(handle, value, at: now) }
        requested(entry, at: now)
        answer(entry, to: request, handle: handle, at: now, about: .write(handle))
        return
      }
      if takesWrites(handle) {
        accepted(handle, value, at: now)
        respond(request == .executeWriteRequest ? .executeWriteResponse : .writeResponse, after: nil, at: now, about: .write(handle))
        return
      }
    }
    let attribute = server.database[handle]
    let error: ATTErrorCode =
      policy == .again || policy == .last ? attribute.map { $0.writeError ?? .unlikelyError } ?? .invalidHandle : .unlikelyError
    respond(.errorResponse(request: request, handle: handle, error: error), after: nil, at: now, about: .write(handle))
  }

  /// The latest write or command that was consumed and wrote the same value, or else one that its matcher takes for the same; under
  /// `last` any.
  private func again(_ handle: AttributeHandle, isCommand: Bool, _ value: [UInt8], _ policy: UnmatchedPolicy) -> Int? {
    let list = (isCommand ? session.commands[handle] : session.writes[handle]) ?? []
    func isPlayed(_ entry: Int) -> Bool { tape.used[entry] && session.database(of: entry) == database }
    if policy == .last { return list.last(where: isPlayed) }
    let key = WriteIndex.Key(handle: handle, isCommand: isCommand)
    let index = writeIndexes[key] ?? WriteIndex(list, in: session)
    writeIndexes[key] = index
    return index.latest(value, where: isPlayed) { isAccepted(value, for: $0, handle) }
  }
}
