package import BLEWire

/// One client's view of a GATT server: its MTU, and the long write it is preparing.
///
/// What needs no judgement is answered here: discovery, and the checks that the specification asks for. A read or write of a
/// value comes back as a ``ValueRequest``; whoever owns the values answers it. Source: Core 5.4, Vol 3, Part F, 3.4.
package struct GATTServer: Sendable {
  /// How many bytes a client may prepare; more get Prepare Queue Full (3.4.6.1).
  package static let queueLimit = 4096

  /// What a client wants of a value.
  package enum ValueRequest: Sendable, Equatable {
    case read(AttributeHandle, offset: Int, request: ATTOpcode)
    /// A whole value: from a Write Request, or from Prepare Write Requests and their Execute Write Request.
    case write(AttributeHandle, [UInt8], request: ATTOpcode)
    case command(AttributeHandle, [UInt8])
    /// Read Multiple, plain or with lengths.
    case readMultiple([AttributeHandle], request: ATTOpcode)
    /// A part was queued and waits for its echo.
    case prepare(AttributeHandle, offset: Int, part: [UInt8])
    /// Several values, or none, are written by one Execute Write Request.
    case execute([PreparedValue], cancel: Bool)
  }

  /// A value that was put together from prepared parts.
  package struct PreparedValue: Sendable, Equatable {
    package var handle: AttributeHandle
    package var offset: Int
    package var value: [UInt8]
  }

  package enum Outcome: Sendable, Equatable {
    case respond(ATTPDU)
    case value(ValueRequest)
    /// Exchange MTU Request with the client's receive MTU.
    case exchangeMTU(Int)
    case confirmation
    /// A response to a request of our own.
    case response(ATTPDU)
    /// Nothing is sent: a command that is not known.
    case ignored
  }

  package var database: AttributeDatabase
  /// The ATT MTU in force.
  package var mtu = 23
  private var prepared: [PreparedValue] = []
  private var preparedBytes = 0

  package init(database: AttributeDatabase) { self.database = database }

  /// Takes one PDU from the client.
  package mutating func receive(_ bytes: [UInt8]) -> Outcome {
    guard let first = bytes.first else { return .ignored }
    let opcode = ATTOpcode(rawValue: first)
    guard let pdu = try? ATTPDU(parsing: bytes) else {
      // Malformed commands and responses are passed over, a malformed request is told (3.4.1.1).
      return opcode.role == .request ? .respond(.errorResponse(request: opcode, handle: AttributeHandle(0), error: .invalidPDU)) : .ignored
    }
    switch pdu {
    case .exchangeMTURequest(let mtu): return .exchangeMTU(Int(mtu))
    case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest:
      return database.answer(pdu, mtu: mtu).map { .respond($0) } ?? .ignored
    case .readRequest(let handle): return .value(.read(handle, offset: 0, request: opcode))
    case .readBlobRequest(let handle, let offset): return .value(.read(handle, offset: Int(offset), request: opcode))
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
      return .value(.readMultiple(handles, request: opcode))
    case .writeRequest(let handle, let value): return .value(.write(handle, value, request: opcode))
    case .writeCommand(let handle, let value), .signedWriteCommand(let handle, let value, _): return .value(.command(handle, value))
    case .prepareWriteRequest(let handle, let offset, let part):
      guard preparedBytes + Self.cost(part) <= Self.queueLimit else {
        return .respond(.errorResponse(request: opcode, handle: handle, error: .prepareQueueFull))
      }
      return .value(.prepare(handle, offset: Int(offset), part: part))
    case .executeWriteRequest(let flags):
      defer { discardPrepared() }
      return .value(.execute(flags == 1 ? prepared : [], cancel: flags != 1))
    case .handleValueConfirmation: return .confirmation
    // What the central's own server tells is confirmed, whoever listens (3.4.7.2).
    case .handleValueIndication: return .respond(.handleValueConfirmation)
    case .unknown:
      return opcode.role == .request
        ? .respond(.errorResponse(request: opcode, handle: AttributeHandle(0), error: .requestNotSupported)) : .ignored
    default: return opcode.role == .response ? .response(pdu) : .ignored
    }
  }

  /// An empty part takes a place in the queue, too.
  private static func cost(_ part: [UInt8]) -> Int { max(1, part.count) }

  /// Queues a part whose Prepare Write Request was accepted; parts that follow each other become one value.
  package mutating func queue(_ handle: AttributeHandle, offset: Int, part: [UInt8]) {
    preparedBytes += Self.cost(part)
    if let last = prepared.indices.last, prepared[last].handle == handle, prepared[last].offset + prepared[last].value.count == offset {
      prepared[last].value += part
    } else {
      prepared.append(PreparedValue(handle: handle, offset: offset, value: part))
    }
  }

  /// Empties the queue: after an Execute Write Request, whatever its outcome, and when the link ends.
  package mutating func discardPrepared() {
    prepared = []
    preparedBytes = 0
  }

  /// The answer to a read of `value` from `offset` on.
  package func answer(_ request: ATTOpcode, handle: AttributeHandle, value: [UInt8], offset: Int) -> ATTPDU {
    guard offset <= value.count else { return .errorResponse(request: request, handle: handle, error: .invalidOffset) }
    let part = Array(value[offset..<min(value.count, offset + mtu - 1)])
    return request == .readBlobRequest ? .readBlobResponse(part: part) : .readResponse(value: part)
  }

  /// The answer to a Read Multiple of `values`.
  package func answer(_ request: ATTOpcode, values: [[UInt8]]) -> ATTPDU {
    if request == .readMultipleRequest { return .readMultipleResponse(values: Array(values.joined().prefix(mtu - 1))) }
    var list: [ATTPDU.LengthValue] = []
    var room = mtu - 1
    for value in values where room >= 2 {
      let part = Array(value.prefix(room - 2))
      list.append(.init(length: UInt16(clamping: value.count), value: part))
      room -= 2 + part.count
    }
    return .readMultipleVariableResponse(list)
  }

  /// Agrees on an MTU from both ends' receive MTUs (3.4.2.2).
  package mutating func agree(client: Int, server: Int) { mtu = max(23, min(client, server)) }
}
