import GATTStack
import ReplayScenarios

/// What a phone asks for itself, beside the traffic of its apps.
extension PeripheralConnection {
  /// Answers from the database, at once and out of reach of faults, for an app's requests are not to come later or meet other faults than
  /// those of the recorded one; `nil` where the peripheral says nothing any more.
  func answerStack(_ bytes: [UInt8], at now: AirInstant) -> [UInt8]? {
    guard isResponsive, let opcode = bytes.first.map({ ATTOpcode(rawValue: $0) }) else { return nil }
    select(0)
    switch server.receive(bytes) {
    case .respond(let pdu): return pdu.bytes
    case .value(.read(let handle, let offset, let request)):
      guard let value = server.database[handle]?.value else { break }
      return server.answer(request, handle: handle, value: value, offset: offset).bytes
    case .value(.write(let handle, let value, _)) where attributes.isConfiguration(handle):
      // What the recorded phone did in its place has its consequences.
      if let entry = tape.next(session, handle, command: false) {
        tape.consume(entry, handle, command: false, in: session)
        requested(entry, at: now)
        complete(entry, at: now)
      }
      configure(handle, value, after: nil, at: now)
      return ATTPDU.writeResponse.bytes
    default: break
    }
    return ATTPDU.errorResponse(request: opcode, handle: AttributeHandle(0), error: .requestNotSupported).bytes
  }

  /// A subscription that is so already is not written again by a phone. Where the recorded central did write it again, what follows
  /// that counts from here.
  func passRepeatedSubscription(_ descriptor: AttributeHandle, _ value: [UInt8], at now: AirInstant) {
    guard isResponsive, let entry = tape.next(session, descriptor, command: false),
      session.entries[entry].action == .write(descriptor, value), session.entries[entry].answer == .ok
    else { return }
    tape.consume(entry, descriptor, command: false, in: session)
    requested(entry, at: now)
    schedule.add(.complete(entry), at: now.advanced(by: session.entries[entry].latency ?? .zero), rank: entry)
  }
}
