package import BLEWire

/// A GATT client without I/O: procedures go in, PDUs and results come out, one request at a time.
///
/// Source: Core 5.4, Vol 3, Part G, 4 (procedures); Part F, 3.3.2 and 3.3.3 (one request under way, 30 s transaction timeout).
package struct GATTClient: Sendable {
  /// The time after which a request without an answer ends the bearer.
  package static let transactionTimeout: Duration = .seconds(30)

  package enum Procedure: Sendable, Hashable {
    case exchangeMTU(Int)
    case discoverServices(BluetoothUUID?)
    case discoverIncludedServices(start: AttributeHandle, end: AttributeHandle)
    case discoverCharacteristics(start: AttributeHandle, end: AttributeHandle)
    case discoverDescriptors(start: AttributeHandle, end: AttributeHandle)
    case read(AttributeHandle)
    /// The first attribute of a type, as far as one PDU carries its value.
    case readByType(BluetoothUUID)
    case write(AttributeHandle, [UInt8])
  }

  package struct FoundService: Sendable, Equatable {
    package var uuid: BluetoothUUID
    package var start: AttributeHandle
    package var end: AttributeHandle
  }

  package struct FoundInclude: Sendable, Equatable {
    package var handle: AttributeHandle
    package var start: AttributeHandle
    package var end: AttributeHandle
    package var uuid: BluetoothUUID?
  }

  package struct FoundCharacteristic: Sendable, Equatable {
    package var declaration: AttributeHandle
    package var value: AttributeHandle
    package var properties: UInt8
    package var uuid: BluetoothUUID
  }

  package struct FoundDescriptor: Sendable, Equatable {
    package var handle: AttributeHandle
    package var uuid: BluetoothUUID
  }

  package enum Success: Sendable, Equatable {
    case mtu(Int)
    case services([FoundService])
    case includes([FoundInclude])
    case characteristics([FoundCharacteristic])
    case descriptors([FoundDescriptor])
    case value([UInt8])
    case attribute(AttributeHandle, [UInt8])
    case written
  }

  package typealias Result = Swift.Result<Success, Failure>

  package enum Failure: Error, Sendable, Equatable {
    case att(ATTErrorCode)
    /// An answer that does not fit the request.
    case invalidAnswer
    /// The echo of a prepared write differed (Part G, 4.9.5).
    case echoMismatch
    /// The link ended.
    case disconnected
    /// No answer came in 30 s.
    case timeout
  }

  package enum Output: Sendable, Equatable {
    case send([UInt8])
    case finished(id: Int, Result)
    /// A notification or an indication; an indication's confirmation is sent as well.
    case received(AttributeHandle, [UInt8], indication: Bool)
  }

  private struct Running {
    var id: Int
    var procedure: Procedure
    /// Handle from which the next request goes on.
    var cursor: UInt16 = 1
    var value: [UInt8] = []
    var services: [FoundService] = []
    var includes: [FoundInclude] = []
    var characteristics: [FoundCharacteristic] = []
    var descriptors: [FoundDescriptor] = []
    /// The part of a long write that waits for its echo; `nil` once Execute Write was sent.
    var part: (offset: Int, bytes: [UInt8])?
    var isExecuting = false
    var failure: Failure?
  }

  /// The ATT MTU in force, set by procedures and by the owner where the server asked.
  package var mtu = 23
  /// What our own server answers to an Exchange MTU Request.
  package var receiveMTU: Int
  /// What was started, up to ``begun`` of which has had its turn.
  private var queue: [(id: Int, procedure: Procedure)] = []
  private var begun = 0
  private var running: Running?
  private var request: ATTOpcode?
  /// The ATT MTU when the request was sent; the server may change it before it answers.
  private var requestMTU = 23

  package init(receiveMTU: Int = 517) { self.receiveMTU = receiveMTU }

  /// Whether a request waits for its answer.
  package var isWaiting: Bool { request != nil }

  /// Queues a procedure; its result comes with `id`.
  package mutating func start(_ procedure: Procedure, id: Int) -> [Output] {
    queue.append((id, procedure))
    return running == nil ? next() : []
  }

  /// Takes one PDU from the server.
  package mutating func receive(_ bytes: [UInt8]) -> [Output] {
    guard let pdu = try? ATTPDU(parsing: bytes) else {
      guard let opcode = bytes.first.map({ ATTOpcode(rawValue: $0) }) else { return [] }
      switch opcode.role {
      case .request: return [.send(ATTPDU.errorResponse(request: opcode, handle: AttributeHandle(0), error: .invalidPDU).bytes)]
      case .response:
        // A malformed answer to something else is passed over, as a whole one is.
        guard let request, opcode == request.expectedResponse || opcode == .errorResponse else { return [] }
        self.request = nil
        return giveUp(.invalidAnswer)
      default: return []
      }
    }
    switch pdu {
    case .handleValueNotification(let handle, let value): return [.received(handle, value, indication: false)]
    case .multipleHandleValueNotification(let list): return list.map { .received($0.handle, $0.value, indication: false) }
    case .handleValueIndication(let handle, let value):
      return [.send(ATTPDU.handleValueConfirmation.bytes), .received(handle, value, indication: true)]
    case .exchangeMTURequest(let mtu):
      self.mtu = max(23, min(Int(mtu), receiveMTU))
      return [.send(ATTPDU.exchangeMTUResponse(serverMTU: UInt16(clamping: receiveMTU)).bytes)]
    default: break
    }
    switch pdu.opcode.role {
    case .request:
      // A central without a server of its own has no attributes.
      return [.send(Self.refusal(of: pdu).bytes)]
    case .response:
      guard let request else { return [] }
      if case .errorResponse(let failed, _, let error) = pdu {
        guard failed == request else { return [] }
        self.request = nil
        return fail(error)
      }
      guard request.expectedResponse == pdu.opcode else { return [] }
      self.request = nil
      return proceed(pdu)
    default: return []
    }
  }

  /// The link ended: every procedure fails, in order.
  package mutating func disconnect(_ failure: Failure = .disconnected) -> [Output] {
    var outputs: [Output] = running.map { [.finished(id: $0.id, .failure(failure))] } ?? []
    outputs += queue[begun...].map { .finished(id: $0.id, .failure(failure)) }
    (running, queue, begun, request) = (nil, [], 0, nil)
    return outputs
  }

  private static func refusal(of pdu: ATTPDU) -> ATTPDU {
    switch pdu {
    case .findInformationRequest(let start, let end), .findByTypeValueRequest(let start, let end, _, _),
      .readByTypeRequest(let start, let end, _),
      .readByGroupTypeRequest(let start, let end, _):
      .errorResponse(
        request: pdu.opcode, handle: start, error: start.rawValue == 0 || start > end ? .invalidHandle : .attributeNotFound)
    case .unknown, .executeWriteRequest: .errorResponse(request: pdu.opcode, handle: AttributeHandle(0), error: .requestNotSupported)
    default: .errorResponse(request: pdu.opcode, handle: pdu.attributeHandle ?? AttributeHandle(0), error: .invalidHandle)
    }
  }

  private mutating func next() -> [Output] {
    guard begun < queue.count else { return [] }
    let (id, procedure) = queue[begun]
    begun += 1
    // What is over is let go of now and then, so that a long queue is not moved each time.
    if begun > queue.count / 2 {
      queue.removeFirst(begun)
      begun = 0
    }
    var new = Running(id: id, procedure: procedure)
    switch procedure {
    case .discoverIncludedServices(let start, _), .discoverCharacteristics(let start, _), .discoverDescriptors(let start, _):
      new.cursor = start.rawValue
    default: break
    }
    running = new
    return ask()
  }

  private mutating func send(_ pdu: ATTPDU) -> [Output] {
    request = pdu.opcode
    requestMTU = mtu
    return [.send(pdu.bytes)]
  }

  private mutating func finish(_ result: Result) -> [Output] {
    guard let done = running else { return [] }
    (running, request) = (nil, nil)
    return [.finished(id: done.id, result)] + next()
  }

  /// Sends the request that the running procedure needs now.
  private mutating func ask() -> [Output] {
    guard var now = running else { return [] }
    let cursor = AttributeHandle(now.cursor)
    switch now.procedure {
    case .exchangeMTU(let mtu): return send(.exchangeMTURequest(clientMTU: UInt16(clamping: mtu)))
    case .discoverServices(nil):
      return send(.readByGroupTypeRequest(start: cursor, end: AttributeHandle(0xFFFF), type: AttributeDatabase.primaryService))
    case .discoverServices(let uuid?):
      return send(
        .findByTypeValueRequest(
          start: cursor, end: AttributeHandle(0xFFFF), type: AttributeDatabase.primaryService, value: uuid.shortened.wireBytes))
    case .discoverIncludedServices(_, let end):
      if let open = now.includes.first(where: { $0.uuid == nil }) { return send(.readRequest(handle: open.start)) }
      return send(.readByTypeRequest(start: cursor, end: end, type: AttributeDatabase.include))
    case .discoverCharacteristics(_, let end):
      return send(.readByTypeRequest(start: cursor, end: end, type: AttributeDatabase.characteristic))
    case .discoverDescriptors(_, let end):
      guard cursor <= end else { return finish(.success(.descriptors([]))) }
      return send(.findInformationRequest(start: cursor, end: end))
    case .read(let handle):
      return send(
        now.value.isEmpty ? .readRequest(handle: handle) : .readBlobRequest(handle: handle, offset: UInt16(clamping: now.value.count)))
    case .readByType(let uuid):
      return send(.readByTypeRequest(start: AttributeHandle(1), end: AttributeHandle(0xFFFF), type: uuid.shortened))
    case .write(let handle, let value):
      // What began in parts goes on in parts, also where the MTU has grown since.
      guard now.part != nil || value.count > mtu - 3 else { return send(.writeRequest(handle: handle, value: value)) }
      let offset = now.part.map { $0.offset + $0.bytes.count } ?? 0
      guard offset < value.count, now.failure == nil else {
        now.isExecuting = true
        running = now
        return send(.executeWriteRequest(flags: now.failure == nil ? 1 : 0))
      }
      let part = Array(value[offset..<min(value.count, offset + mtu - 5)])
      now.part = (offset, part)
      running = now
      return send(.prepareWriteRequest(handle: handle, offset: UInt16(clamping: offset), part: part))
    }
  }

  /// Goes on from `last`, or ends with `result` at the end of the range.
  private mutating func advance(past last: AttributeHandle, end: AttributeHandle, _ result: Success) -> [Output] {
    guard last < end, last.rawValue != 0xFFFF else { return finish(.success(result)) }
    running?.cursor = last.rawValue + 1
    return ask()
  }

  private mutating func proceed(_ pdu: ATTPDU) -> [Output] {
    guard var now = running else { return [] }
    let before = AttributeHandle(now.cursor)
    switch (now.procedure, pdu) {
    case (.exchangeMTU(let own), .exchangeMTUResponse(let server)):
      mtu = max(23, min(own, Int(server)))
      return finish(.success(.mtu(mtu)))
    case (.discoverServices, .readByGroupTypeResponse(let list)):
      for group in list {
        guard group.start >= before, group.end >= group.start, let uuid = BluetoothUUID(wire: group.value.byteSpan) else {
          return finish(.failure(.invalidAnswer))
        }
        now.services.append(FoundService(uuid: uuid, start: group.start, end: group.end))
      }
      running = now
      return advance(past: list.map(\.end).max() ?? before, end: AttributeHandle(0xFFFF), .services(now.services))
    case (.discoverServices(let uuid?), .findByTypeValueResponse(let list)):
      guard list.allSatisfy({ $0.found >= before && $0.groupEnd >= $0.found }) else { return finish(.failure(.invalidAnswer)) }
      now.services += list.map { FoundService(uuid: uuid, start: $0.found, end: $0.groupEnd) }
      running = now
      return advance(past: list.map(\.groupEnd).max() ?? before, end: AttributeHandle(0xFFFF), .services(now.services))
    case (.discoverIncludedServices(_, let end), .readByTypeResponse(let list)):
      for data in list {
        let uuid = BluetoothUUID(wire: Array(data.value.dropFirst(4)).byteSpan)
        // Four bytes are an include whose UUID of 128 bits has to be read at the service itself (Part G, 4.5.1).
        guard data.handle >= before, data.handle <= end, data.value.count == 4 || (data.value.count > 4 && uuid != nil) else {
          return finish(.failure(.invalidAnswer))
        }
        let start = AttributeHandle(UInt16(data.value[0]) | UInt16(data.value[1]) << 8)
        let last = AttributeHandle(UInt16(data.value[2]) | UInt16(data.value[3]) << 8)
        guard start.rawValue > 0, start <= last else { return finish(.failure(.invalidAnswer)) }
        now.includes.append(FoundInclude(handle: data.handle, start: start, end: last, uuid: uuid))
      }
      running = now
      let last = list.map(\.handle).max() ?? before
      if now.includes.contains(where: { $0.uuid == nil }) {
        running?.cursor = last.rawValue == 0xFFFF ? 0xFFFF : last.rawValue + 1
        return ask()
      }
      return advance(past: last, end: end, .includes(now.includes))
    case (.discoverIncludedServices(_, let end), .readResponse(let value)):
      guard let open = now.includes.firstIndex(where: { $0.uuid == nil }), let uuid = BluetoothUUID(wire: value.byteSpan) else {
        return finish(.failure(.invalidAnswer))
      }
      now.includes[open].uuid = uuid
      running = now
      if now.includes.contains(where: { $0.uuid == nil }) { return ask() }
      return advance(past: now.includes.map(\.handle).max() ?? before, end: end, .includes(now.includes))
    case (.discoverCharacteristics(_, let end), .readByTypeResponse(let list)):
      for data in list {
        guard data.handle >= before, data.handle <= end, data.value.count >= 5,
          let uuid = BluetoothUUID(wire: Array(data.value.dropFirst(3)).byteSpan)
        else {
          return finish(.failure(.invalidAnswer))
        }
        let value = AttributeHandle(UInt16(data.value[1]) | UInt16(data.value[2]) << 8)
        now.characteristics.append(
          FoundCharacteristic(declaration: data.handle, value: value, properties: data.value[0], uuid: uuid))
      }
      running = now
      return advance(past: list.map(\.handle).max() ?? before, end: end, .characteristics(now.characteristics))
    case (.discoverDescriptors(_, let end), .findInformationResponse(let list)):
      guard list.allSatisfy({ $0.handle >= before && $0.handle <= end }) else { return finish(.failure(.invalidAnswer)) }
      now.descriptors += list.map { FoundDescriptor(handle: $0.handle, uuid: $0.uuid) }
      running = now
      return advance(past: list.map(\.handle).max() ?? before, end: end, .descriptors(now.descriptors))
    case (.read, .readResponse(let part)), (.read, .readBlobResponse(let part)):
      now.value += part
      running = now
      // A part that fills the PDU may have more behind it (Part G, 4.8.3); values have 512 bytes at the most.
      return part.count >= min(mtu, requestMTU) - 1 && !part.isEmpty && now.value.count < AttributeDatabase.longestValue
        ? ask() : finish(.success(.value(now.value)))
    case (.readByType, .readByTypeResponse(let list)):
      return finish(list.first.map { .success(.attribute($0.handle, $0.value)) } ?? .failure(.invalidAnswer))
    case (.write, .writeResponse): return finish(.success(.written))
    case (.write(let handle, _), .prepareWriteResponse(let echoed, let offset, let part)):
      guard let sent = now.part, echoed == handle, Int(offset) == sent.offset, part == sent.bytes else {
        return giveUp(.echoMismatch)
      }
      return ask()
    case (.write, .executeWriteResponse): return finish(now.failure.map { .failure($0) } ?? .success(.written))
    default: return finish(.failure(.invalidAnswer))
    }
  }

  /// Ends the procedure; a long write cancels what it had prepared before.
  private mutating func giveUp(_ failure: Failure) -> [Output] {
    guard let now = running, now.part != nil, !now.isExecuting else { return finish(.failure(failure)) }
    running?.failure = failure
    return ask()
  }

  private mutating func fail(_ error: ATTErrorCode) -> [Output] {
    guard let now = running else { return [] }
    switch now.procedure {
    case .discoverServices where error == .attributeNotFound: return finish(.success(.services(now.services)))
    case .discoverIncludedServices where error == .attributeNotFound: return finish(.success(.includes(now.includes)))
    case .discoverCharacteristics where error == .attributeNotFound: return finish(.success(.characteristics(now.characteristics)))
    case .discoverDescriptors where error == .attributeNotFound: return finish(.success(.descriptors(now.descriptors)))
    case .read where !now.value.isEmpty && (error == .attributeNotLong || error == .invalidOffset):
      // The value was exactly as long as what was read.
      return finish(.success(.value(now.value)))
    case .write where now.part != nil && !now.isExecuting:
      // A refused part leaves the earlier ones in the server's queue: they are cancelled (Part F, 3.4.6.1).
      return giveUp(.att(error))
    case .exchangeMTU where error == .requestNotSupported: return finish(.success(.mtu(mtu)))
    default: return finish(.failure(now.failure ?? .att(error)))
    }
  }
}
