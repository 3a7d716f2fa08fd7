import GATTStack
import ReplayScenarios

/// What the verdict is told of a connection: near misses, entries in words, and how far the tape was played.
extension PeripheralConnection {
  /// Notes a request that the tape does not have.
  func unmatched(_ request: ATTOpcode, _ handle: AttributeHandle, _ value: [UInt8], at now: AirInstant) {
    // A copy that a fault made is not the app's doing.
    if passed < .all { report.addNearMiss(nearMiss(request, handle, value, at: now)) }
  }

  private func nearMiss(
    _ request: ATTOpcode, _ handle: AttributeHandle, _ value: [UInt8], at now: AirInstant
  ) -> SessionReport.NearMiss {
    let nearest =
      match(for: handle) == .strict
      ? tape.strictNext(in: session) : tape.next(session, handle, command: request == .writeCommand) ?? tape.firstUnused(in: session)
    let expectedBytes = nearest.flatMap { session.entries[$0].writtenValue } ?? []
    return SessionReport.NearMiss(
      time: now, request: "\(request) \(attributes.name(handle))", got: value, expectedEntry: nearest,
      expected: nearest.map { describe($0) }, expectedBytes: expectedBytes, position: tape.consumed, count: session.counted.count,
      answer: Self.words(policy(for: handle)), stale: formerName(handle), fails: policy(for: handle) == .fail)
  }

  private static func words(_ policy: UnmatchedPolicy) -> String {
    switch policy {
    case .again: "answered as before or from the database"
    case .last: "answered as it was last, or from the database"
    case .error, .fail: "answered with an error"
    case .silence: "not answered"
    }
  }

  /// The level at which requests for an attribute are matched, and what those get that match nothing.
  func match(for handle: AttributeHandle) -> MatchLevel { attributes.matches.isEmpty ? match : attributes.matches[handle] ?? match }
  func policy(for handle: AttributeHandle) -> UnmatchedPolicy {
    attributes.policies.isEmpty ? policy : attributes.policies[handle] ?? policy
  }

  /// What the handle was in the latest of the databases before the one that holds, where it is something else now.
  func formerName(_ handle: AttributeHandle) -> String? {
    if hasDiscovered { return nil }
    for number in (1..<max(1, min(database, maps.count + 1))).reversed() {
      if let type = maps.map(number).types[handle] {
        return type == attributes.types[handle] ? nil : "\(handle) was \(type) in database \(number), and database \(database) holds"
      }
    }
    return nil
  }

  /// A central that looks for characteristics, which phones skip where they remember a device, knows the handles of today.
  func noteDiscovery(_ bytes: [UInt8]) {
    let isOfCharacteristics = bytes.count >= 7 && bytes[5] == 0x03 && bytes[6] == 0x28
    switch bytes[0] {
    case ATTOpcode.readByTypeRequest.rawValue where isOfCharacteristics, ATTOpcode.findInformationRequest.rawValue: hasDiscovered = true
    default: break
    }
  }

  /// Notes a request or command for a place that an attribute was at before a fault moved it.
  func noteStale(_ bytes: [UInt8], movedBy shift: HandleShift, at now: AirInstant) {
    guard bytes.count >= 3 else { return }
    let (opcode, handle) = (ATTOpcode(rawValue: bytes[0]), AttributeHandle(UInt16(bytes[1]) | UInt16(bytes[2]) << 8))
    // What a discovery asks for is a range.
    guard Self.phase(opcode) == nil || opcode == .prepareWriteRequest, let type = attributes.types[handle] else { return }
    report.addNearMiss(
      SessionReport.NearMiss(
        time: now, request: "\(opcode) \(handle)", got: Array(bytes.dropFirst(3)), expectedEntry: nil, expected: nil, expectedBytes: [],
        position: tape.consumed, count: session.counted.count,
        answer: opcode.role == .request ? "answered with Invalid Handle" : "passed over",
        stale: "\(handle) was \(type) before a fault moved it by \(shift.offset)", fails: policy(for: handle) == .fail))
  }

  /// An entry in words.
  func describe(_ entry: Int) -> String {
    let name = session.entries[entry].attribute.map { attributes.name($0) } ?? ""
    switch session.entries[entry].action {
    case .exchangeMTU(let mtu): return "Exchange MTU \(mtu)"
    case .read: return "Read Request \(name)"
    case .readBlob(_, let offset): return "Read Blob Request \(name) from \(offset)"
    case .write(_, let value): return "Write Request \(name) \(Hexadecimal.encode(value))"
    case .writeCommand(_, let value): return "Write Command \(name) \(Hexadecimal.encode(value))"
    case .pdu(let bytes): return "\(bytes.first.map { ATTOpcode(rawValue: $0).description } ?? "empty PDU") \(name)"
    case .notify(_, let value): return "Handle Value Notification \(name) \(Hexadecimal.encode(value))"
    case .indicate(_, let value): return "Handle Value Indication \(name) \(Hexadecimal.encode(value))"
    case .disconnect(let reason): return "disconnection \(reason)"
    case .link(let procedure): return procedure.words
    case .vanish: return "loss of the link"
    }
  }

  /// The report of this connection as it stands.
  func finishedReport() -> SessionReport {
    var result = report
    result.counted = session.counted.count
    result.unknownAttributes = rules.unknown
    result.consumed = tape.consumed
    let own = session.entries.indices.filter { session.entries[$0].origin == .peripheral }
    result.spontaneous = own.count
    result.begun = own.filter { tape.used[$0] }.count
    let unused = session.counted.filter { !tape.used[$0] }.map { SessionReport.NamedEntry(entry: $0, words: describe($0)) }
    result.unused = unused.filter { $0.entry < result.firstExcused }
    result.excused = unused.filter { $0.entry >= result.firstExcused }
    return result
  }
}
