import ByteParsing

/// Where an ATT PDU has the value, or a part of the value, of an attribute.
package struct ValuePlace: Sendable, Equatable {
  /// Whose it is; several where their values stand one behind the other without lengths, none where only the type was asked for.
  package var handles: [AttributeHandle]
  /// What a request by type asked for.
  package var type: BluetoothUUID?
  /// Bytes of the PDU.
  package var bytes: Range<Int>
  /// Where the part begins in the value.
  package var offset = 0

  /// The values in a PDU of which no more than the beginning need be there; `request` is what it answers.
  package static func all(in pdu: [UInt8], request: [UInt8]? = nil) -> [ValuePlace] {
    guard let opcode = pdu.first.map(ATTOpcode.init(rawValue:)) else { return [] }
    let asked = request ?? []
    func rest(_ handles: [AttributeHandle], from start: Int, at offset: Int? = 0) -> [ValuePlace] {
      guard start < pdu.count, !handles.isEmpty else { return [] }
      return [ValuePlace(handles: handles, bytes: start..<pdu.count, offset: offset ?? 0)]
    }
    switch opcode {
    case .readResponse: return rest(handle(asked, at: 1), from: 1)
    case .readBlobResponse:
      return rest(handle(asked, at: 1), from: 1, at: number(asked, at: 3).map(Int.init))
    case .readMultipleResponse: return rest(handles(asked), from: 1)
    case .readMultipleVariableResponse: return list(pdu, handles(asked), from: 1)
    case .readByTypeResponse: return byType(pdu, asked)
    case .handleValueNotification, .handleValueIndication, .writeRequest, .writeCommand, .signedWriteCommand:
      return rest(handle(pdu, at: 1), from: 3)
    case .multipleHandleValueNotification: return list(pdu, nil, from: 1)
    case .prepareWriteRequest, .prepareWriteResponse:
      return rest(handle(pdu, at: 1), from: 5, at: number(pdu, at: 3).map(Int.init))
    default: return []
    }
  }

  /// What makes it secret: the type that was asked for, or the attribute, of which `kindOf` tells.
  package func kind(chosen: Set<BluetoothUUID> = [], _ kindOf: (AttributeHandle) -> SecretKind?) -> SecretKind? {
    if let kind = type.flatMap({ SecretKind.of($0, chosen: chosen) }) { return kind }
    let kinds = handles.compactMap(kindOf)
    // Of values in a row without lengths nobody can tell which is which.
    return handles.count == 1 ? kinds.first : kinds.isEmpty ? nil : .chosen
  }

  private static func number(_ bytes: [UInt8], at place: Int) -> UInt16? {
    place + 1 < bytes.count ? UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8 : nil
  }

  private static func handle(_ bytes: [UInt8], at place: Int) -> [AttributeHandle] {
    number(bytes, at: place).map { [AttributeHandle($0)] } ?? []
  }

  private static func handles(_ request: [UInt8]) -> [AttributeHandle] {
    stride(from: 1, to: request.count, by: 2).flatMap { handle(request, at: $0) }
  }

  /// `length(2) value(length)` of each handle, or `handle(2) length(2) value(length)`.
  private static func list(_ pdu: [UInt8], _ handles: [AttributeHandle]?, from start: Int) -> [ValuePlace] {
    var places: [ValuePlace] = []
    var (place, index) = (start, 0)
    while place < pdu.count {
      let handle: AttributeHandle?
      if let handles {
        handle = index < handles.count ? handles[index] : nil
      } else {
        handle = Self.handle(pdu, at: place).first
        place += 2
      }
      guard let handle, let length = number(pdu, at: place) else { break }
      place += 2
      let end = min(place + Int(length), pdu.count)
      if place < end { places.append(ValuePlace(handles: [handle], bytes: place..<end)) }
      (place, index) = (end, index + 1)
    }
    return places
  }

  /// `size(1)`, then `handle(2) value(size − 2)` of each attribute.
  private static func byType(_ pdu: [UInt8], _ request: [UInt8]) -> [ValuePlace] {
    guard pdu.count > 1, case let size = Int(pdu[1]), size > 2 else { return [] }
    var type: BluetoothUUID?
    if case .readByTypeRequest(_, _, let asked)? = try? ATTPDU(parsing: request) { type = asked }
    return stride(from: 2, to: pdu.count, by: size).compactMap { start in
      guard let handle = Self.handle(pdu, at: start).first, start + 2 < pdu.count else { return nil }
      return ValuePlace(handles: [handle], type: type, bytes: (start + 2)..<min(start + size, pdu.count))
    }
  }
}
