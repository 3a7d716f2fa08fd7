import GATTStack
import ReplayScenarios

/// What rules make the peripheral do, and what it does under `stateful` without the tape.
extension PeripheralConnection {
  /// Follows a rule for a write; `request` is `nil` for a command. The tape's next write to the attribute counts as made.
  func follow(_ found: RuleBook.Found, _ handle: AttributeHandle, _ value: [UInt8], _ request: ATTOpcode?, at now: AirInstant) {
    let rule = found.rule
    let next = tape.next(session, handle, command: request == nil)
    // Without an order only the recorded value is the recorded write.
    let entry = match(for: handle) == .stateful ? next.flatMap { session.entries[$0].writtenValue == value ? $0 : nil } : next
    let latency = entry.flatMap { session.entries[$0].latency } ?? .zero
    if let entry {
      tape.consume(entry, handle, command: request == nil, in: session)
      ruled[entry] = found.told
      requested(entry, at: now)
    }
    if rule.error == nil { accepted(handle, value, at: now) }
    if let request {
      let answer: ATTPDU =
        rule.error.map { .errorResponse(request: request, handle: handle, error: $0) }
        ?? (request == .executeWriteRequest ? .executeWriteResponse : .writeResponse)
      respond(answer, after: latency, at: now, entry: entry, about: .write(handle))
    } else if let entry {
      complete(entry, at: now)
    }
    begin(found, value, at: request == nil ? now : now.advanced(by: latency))
  }

  /// Answers a read by its rule; `false` where there is none.
  func answerByRule(_ handle: AttributeHandle, at now: AirInstant) -> Bool {
    ruledReads.remove(handle)
    guard let found = rule(.read, handle, at: now) else { return false }
    let rule = found.rule
    ruledReads.insert(handle)
    // The tape goes on as if it had answered.
    if let entry = tape.read(handle, at: now, in: session) { tape.useRead(entry, of: handle, in: session) }
    if let error = rule.error {
      respond(.errorResponse(request: .readRequest, handle: handle, error: error), after: nil, at: now, about: .read(handle))
    } else {
      if let answer = rule.answer, let value = value(of: answer, request: [], count: found.count) {
        server.database.setValue(value, at: handle)
      }
      let value = server.database[handle]?.value ?? []
      respond(server.answer(.readRequest, handle: handle, value: value, offset: 0), after: nil, at: now, about: .read(handle))
    }
    begin(found, [], at: now)
    return true
  }

  /// An attribute was subscribed to; the response goes out after `latency`.
  func subscribed(_ attribute: AttributeHandle, after latency: Duration, at now: AirInstant) {
    if faultState.changedServices != nil { schedule.add(.tellServiceChanged, at: now.advanced(by: latency), rank: .max) }
    guard !rules.isEmpty else { return }
    for found in allRules(.subscribe, attribute, [], at: now) { begin(found, [], at: now.advanced(by: latency)) }
  }

  /// Takes a write that nothing recorded; `false` where the attribute does not allow it.
  func accept(_ handle: AttributeHandle, _ value: [UInt8], _ request: ATTOpcode?, at now: AirInstant) -> Bool {
    guard takesWrites(handle, property: request == nil ? 0x04 : 0x08) else { return false }
    accepted(handle, value, at: now)
    if let request {
      respond(request == .executeWriteRequest ? .executeWriteResponse : .writeResponse, after: nil, at: now, about: .write(handle))
    }
    return true
  }

  /// What a rule that was followed in the place of a cause tells.
  func ruled(by cause: CompiledSession.Cause) -> Set<AttributeHandle>? {
    guard !ruled.isEmpty else { return nil }
    switch cause {
    case .completed(let entry), .requested(let entry): return ruled[entry]
    default: return nil
    }
  }

  /// The rule that something is for.
  func rule(_ trigger: DeviceRule.Trigger, _ handle: AttributeHandle, _ value: [UInt8] = [], at now: AirInstant) -> RuleBook.Found? {
    rules.isEmpty ? nil : allRules(trigger, handle, value, at: now).first
  }

  private func allRules(
    _ trigger: DeviceRule.Trigger, _ handle: AttributeHandle, _ value: [UInt8], at now: AirInstant
  ) -> [RuleBook.Found] {
    rules.all(trigger, handle, value, at: now, attributes) { [database = server.database] in database[$0]?.value ?? [] }
  }

  private func begin(_ found: RuleBook.Found, _ request: [UInt8], at time: AirInstant) {
    for step in found.rule.steps {
      // Behind the response, where both are due together.
      schedule.add(.follow(step.action, request: request, count: found.count), at: time.advanced(by: step.delay), rank: .max)
    }
  }

  private func value(of template: ValueTemplate, request: [UInt8], count: Int) -> [UInt8]? {
    template.bytes(request: request, count: count) { [server] in server.database[$0]?.value ?? [] }
  }

  /// Does one step of a rule.
  func follow(
    _ step: Rule.Step.Action, _ request: [UInt8], _ count: Int, at now: AirInstant, faults: inout FaultSet, outputs: inout [Output]
  ) {
    switch step {
    case .set(let handle, let template):
      guard let value = value(of: template, request: request, count: count) else { return }
      server.database.setValue(value, at: handle)
      changed.insert(handle)
    case .disconnect(let reason):
      outputs.append(.end(reason))
      close()
    case .notify(let handle, let template):
      let (notifies, indicates) = (isSubscribed(handle, bit: 1), isSubscribed(handle, bit: 2))
      guard notifies || indicates, let value = value(of: template, request: request, count: count) else { return }
      // What an attribute only indicates, and what an app asked to be indicated, is indicated.
      let isIndication = indicates && (!notifies || attributes.properties[handle].map { $0 & 0x30 == 0x20 } ?? false)
      if isIndication, isUnconfirmed {
        heldRuledIndications.append((bearer, handle, value))
      } else {
        tell(handle, value, isIndication: isIndication, faults: &faults, outputs: &outputs)
      }
    }
  }

  /// Tells by Service Changed that attributes from `first` on were moved, as soon as the central has subscribed to it.
  func changeServices(from first: UInt16, at now: AirInstant) {
    faultState.changedServices = [UInt8(truncatingIfNeeded: first), UInt8(truncatingIfNeeded: first >> 8), 0xFF, 0xFF]
    schedule.add(.tellServiceChanged, at: now, rank: .max)
  }

  func tellServiceChanged(faults: inout FaultSet, outputs: inout [Output]) {
    guard let value = faultState.changedServices,
      let handle = attributes.database.entries.first(where: { $0.type?.short == 0x2A05 })?.handle,
      isSubscribed(handle, bit: 2)
    else { return }
    faultState.changedServices = nil
    select(0)
    if isUnconfirmed {
      heldRuledIndications.append((bearer, handle, value))
    } else {
      tell(handle, value, isIndication: true, faults: &faults, outputs: &outputs)
    }
  }

  /// Tells a value by a rule.
  func tell(_ handle: AttributeHandle, _ value: [UInt8], isIndication: Bool, faults: inout FaultSet, outputs: inout [Output]) {
    let use: Fault.Use = isIndication ? .indication : .notification
    if holdsBackValue(use, handle, &faults, &outputs) { return }
    streaming = handle
    server.database.setValue(value, at: handle)
    if isIndication {
      ruledIndications[bearer] = handle
      awaitAnswer(isIndication: true)
    }
    let pdu: ATTPDU =
      isIndication
      ? .handleValueIndication(handle: handle, value: limited(value)) : .handleValueNotification(handle: handle, value: limited(value))
    send(pdu.bytes, &outputs)
    _ = used(use, handle, &faults, &outputs)
  }
}
