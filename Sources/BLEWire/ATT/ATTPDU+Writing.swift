package import ByteParsing

extension ATTPDU {
  /// The PDU's first octet.
  public var opcode: ATTOpcode {
    switch self {
    case .errorResponse: .errorResponse
    case .exchangeMTURequest: .exchangeMTURequest
    case .exchangeMTUResponse: .exchangeMTUResponse
    case .findInformationRequest: .findInformationRequest
    case .findInformationResponse: .findInformationResponse
    case .findByTypeValueRequest: .findByTypeValueRequest
    case .findByTypeValueResponse: .findByTypeValueResponse
    case .readByTypeRequest: .readByTypeRequest
    case .readByTypeResponse: .readByTypeResponse
    case .readRequest: .readRequest
    case .readResponse: .readResponse
    case .readBlobRequest: .readBlobRequest
    case .readBlobResponse: .readBlobResponse
    case .readMultipleRequest: .readMultipleRequest
    case .readMultipleResponse: .readMultipleResponse
    case .readByGroupTypeRequest: .readByGroupTypeRequest
    case .readByGroupTypeResponse: .readByGroupTypeResponse
    case .writeRequest: .writeRequest
    case .writeResponse: .writeResponse
    case .prepareWriteRequest: .prepareWriteRequest
    case .prepareWriteResponse: .prepareWriteResponse
    case .executeWriteRequest: .executeWriteRequest
    case .executeWriteResponse: .executeWriteResponse
    case .handleValueNotification: .handleValueNotification
    case .handleValueIndication: .handleValueIndication
    case .handleValueConfirmation: .handleValueConfirmation
    case .readMultipleVariableRequest: .readMultipleVariableRequest
    case .readMultipleVariableResponse: .readMultipleVariableResponse
    case .multipleHandleValueNotification: .multipleHandleValueNotification
    case .writeCommand: .writeCommand
    case .signedWriteCommand: .signedWriteCommand
    case .unknown(let opcode, _): opcode
    }
  }

  /// The attribute that the PDU names first; `nil` for one that names none.
  public var attributeHandle: AttributeHandle? {
    switch self {
    case .errorResponse(_, let handle, _), .readRequest(let handle), .readBlobRequest(let handle, _), .writeRequest(let handle, _),
      .prepareWriteRequest(let handle, _, _), .prepareWriteResponse(let handle, _, _), .handleValueNotification(let handle, _),
      .handleValueIndication(let handle, _), .writeCommand(let handle, _), .signedWriteCommand(let handle, _, _),
      .findInformationRequest(let handle, _), .findByTypeValueRequest(let handle, _, _, _), .readByTypeRequest(let handle, _, _),
      .readByGroupTypeRequest(let handle, _, _):
      handle
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles): handles.first
    case .multipleHandleValueNotification(let values): values.first?.handle
    default: nil
    }
  }

  /// The number of bytes that ``bytes`` has.
  public var encodedByteCount: Int {
    switch self {
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: 1
    case .executeWriteRequest: 2
    case .exchangeMTURequest, .exchangeMTUResponse, .readRequest: 3
    case .errorResponse, .findInformationRequest, .readBlobRequest: 5
    case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value), .unknown(_, let value): 1 + value.count
    case .writeRequest(_, let value), .handleValueNotification(_, let value), .handleValueIndication(_, let value),
      .writeCommand(_, let value):
      3 + value.count
    case .prepareWriteRequest(_, _, let part), .prepareWriteResponse(_, _, let part): 5 + part.count
    case .signedWriteCommand(_, let value, let signature): 3 + value.count + signature.count
    case .findByTypeValueRequest(_, _, _, let value): 7 + value.count
    case .readByTypeRequest(_, _, let type), .readByGroupTypeRequest(_, _, let type): 5 + type.encodedByteCount
    case .findInformationResponse(let list): 2 + list.reduce(0) { $0 + 2 + $1.uuid.encodedByteCount }
    case .findByTypeValueResponse(let list): 1 + 4 * list.count
    case .readByTypeResponse(let list): 2 + list.reduce(0) { $0 + 2 + $1.value.count }
    case .readByGroupTypeResponse(let list): 2 + list.reduce(0) { $0 + 4 + $1.value.count }
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles): 1 + 2 * handles.count
    case .readMultipleVariableResponse(let list): 1 + list.reduce(0) { $0 + 2 + $1.value.count }
    case .multipleHandleValueNotification(let list): 1 + list.reduce(0) { $0 + 4 + $1.value.count }
    }
  }

  /// Appends the PDU's bytes.
  package func write(to writer: inout ByteWriter) {
    writer.uint8(opcode.rawValue)
    switch self {
    case .errorResponse(let request, let handle, let error):
      writer.uint8(request.rawValue)
      writer.handle(handle)
      writer.uint8(error.rawValue)
    case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): writer.uint16(mtu)
    case .findInformationRequest(let start, let end):
      writer.handle(start)
      writer.handle(end)
    case .findInformationResponse(let list):
      writer.uint8(list.first?.uuid.width == .bits128 ? 2 : 1)
      for entry in list {
        writer.handle(entry.handle)
        entry.uuid.write(to: &writer)
      }
    case .findByTypeValueRequest(let start, let end, let type, let value):
      writer.handle(start)
      writer.handle(end)
      type.write(to: &writer)
      writer.append(value)
    case .findByTypeValueResponse(let list):
      for entry in list {
        writer.handle(entry.found)
        writer.handle(entry.groupEnd)
      }
    case .readByTypeRequest(let start, let end, let type), .readByGroupTypeRequest(let start, let end, let type):
      writer.handle(start)
      writer.handle(end)
      type.write(to: &writer)
    case .readByTypeResponse(let list):
      writer.uint8(UInt8(truncatingIfNeeded: 2 + (list.first?.value.count ?? 0)))
      for entry in list {
        writer.handle(entry.handle)
        writer.append(entry.value)
      }
    case .readByGroupTypeResponse(let list):
      writer.uint8(UInt8(truncatingIfNeeded: 4 + (list.first?.value.count ?? 0)))
      for entry in list {
        writer.handle(entry.start)
        writer.handle(entry.end)
        writer.append(entry.value)
      }
    case .readRequest(let handle): writer.handle(handle)
    case .readBlobRequest(let handle, let offset):
      writer.handle(handle)
      writer.uint16(offset)
    case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles): handles.forEach { writer.handle($0) }
    case .readResponse(let value), .readBlobResponse(let value), .readMultipleResponse(let value), .unknown(_, let value):
      writer.append(value)
    case .writeRequest(let handle, let value), .writeCommand(let handle, let value), .handleValueNotification(let handle, let value),
      .handleValueIndication(let handle, let value):
      writer.handle(handle)
      writer.append(value)
    case .prepareWriteRequest(let handle, let offset, let part), .prepareWriteResponse(let handle, let offset, let part):
      writer.handle(handle)
      writer.uint16(offset)
      writer.append(part)
    case .executeWriteRequest(let flags): writer.uint8(flags)
    case .signedWriteCommand(let handle, let value, let signature):
      writer.handle(handle)
      writer.append(value)
      writer.append(signature)
    case .readMultipleVariableResponse(let list):
      for entry in list {
        writer.uint16(entry.length)
        writer.append(entry.value)
      }
    case .multipleHandleValueNotification(let list):
      for entry in list {
        writer.handle(entry.handle)
        writer.uint16(UInt16(truncatingIfNeeded: entry.value.count))
        writer.append(entry.value)
      }
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: break
    }
  }

  /// The PDU as it goes on the air.
  public var bytes: [UInt8] {
    var writer = ByteWriter(capacity: encodedByteCount)
    write(to: &writer)
    return writer.bytes
  }
}

extension ByteWriter {
  mutating func handle(_ handle: AttributeHandle) { uint16(handle.rawValue) }
}
