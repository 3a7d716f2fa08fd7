import BLEWire
import GATTStack

/// What handles are on the link while the peripheral and its tape go on with those of the database.
extension HandleShift {
  /// A request for what is not there: what it is answered with; `nil` where it is a command.
  struct Stale: Error { var pdu: ATTPDU? }

  private func moved(_ handle: UInt16) -> UInt16 {
    handle < first || handle == .max ? handle : UInt16(clamping: Int(handle) + Int(offset))
  }

  /// The handle in the database; `nil` between the places where attributes were and where they are.
  private func unmoved(_ handle: UInt16) -> UInt16? {
    if handle < first || handle == .max { return handle }
    return Int(handle) < Int(first) + Int(offset) ? nil : handle - offset
  }

  // MARK: - To the central

  /// A PDU of the peripheral with the handles that the central knows; `database` tells what holds handles in its value.
  func moved(_ bytes: [UInt8], in database: AttributeDatabase) -> [UInt8] {
    guard let opcode = bytes.first.map({ ATTOpcode(rawValue: $0) }) else { return bytes }
    var bytes = bytes
    func move(at place: Int) {
      guard place + 1 < bytes.count else { return }
      let handle = moved(UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
      (bytes[place], bytes[place + 1]) = (UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8))
    }
    switch opcode {
    case .errorResponse: move(at: 2)
    case .handleValueNotification, .handleValueIndication, .prepareWriteResponse: move(at: 1)
    case .findInformationResponse:
      for place in stride(from: 2, to: bytes.count, by: bytes.dropFirst().first == 1 ? 4 : 18) { move(at: place) }
    case .findByTypeValueResponse: for place in stride(from: 1, to: bytes.count, by: 2) { move(at: place) }
    case .readByGroupTypeResponse:
      for place in stride(from: 2, to: bytes.count, by: max(4, Int(bytes.dropFirst().first ?? 0))) {
        move(at: place)
        move(at: place + 2)
      }
    case .readByTypeResponse:
      for place in stride(from: 2, to: bytes.count, by: max(2, Int(bytes.dropFirst().first ?? 0))) where place + 1 < bytes.count {
        let type = database[AttributeHandle(UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)]?.type
        move(at: place)
        if type == AttributeDatabase.characteristic { move(at: place + 3) }
        if type == AttributeDatabase.include {
          move(at: place + 2)
          move(at: place + 4)
        }
      }
    case .multipleHandleValueNotification:
      var place = 1
      while place + 3 < bytes.count {
        move(at: place)
        place += 4 + Int(UInt16(bytes[place + 2]) | UInt16(bytes[place + 3]) << 8)
      }
    default: break
    }
    return bytes
  }

  // MARK: - From the central

  /// A PDU of the central with the handles of the database.
  func unmoved(_ bytes: [UInt8]) -> Result<[UInt8], Stale> {
    guard let opcode = bytes.first.map({ ATTOpcode(rawValue: $0) }), bytes.count >= 3 else { return .success(bytes) }
    switch opcode {
    case .readRequest, .readBlobRequest, .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest:
      return unmoved(bytes, opcode, at: [1])
    case .readMultipleRequest, .readMultipleVariableRequest:
      return unmoved(bytes, opcode, at: Array(stride(from: 1, to: bytes.count - 1, by: 2)))
    case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readByGroupTypeRequest:
      return unmovedRange(bytes, opcode)
    default: return .success(bytes)
    }
  }

  private func unmoved(_ bytes: [UInt8], _ opcode: ATTOpcode, at places: [Int]) -> Result<[UInt8], Stale> {
    var result = bytes
    for place in places {
      let asked = UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
      guard let handle = unmoved(asked) else {
        let refusal = ATTPDU.errorResponse(request: opcode, handle: AttributeHandle(asked), error: .invalidHandle)
        return .failure(Stale(pdu: opcode.role == .request ? refusal : nil))
      }
      (result[place], result[place + 1]) = (UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8))
    }
    return .success(result)
  }

  private func unmovedRange(_ bytes: [UInt8], _ opcode: ATTOpcode) -> Result<[UInt8], Stale> {
    guard bytes.count >= 5 else { return .success(bytes) }
    let (start, end) = (UInt16(bytes[1]) | UInt16(bytes[2]) << 8, UInt16(bytes[3]) | UInt16(bytes[4]) << 8)
    // What is no range is refused by the server as ever.
    guard start > 0, start <= end else { return .success(bytes) }
    let (from, to) = (unmoved(start) ?? first, unmoved(end) ?? first &- 1)
    guard from <= to else {
      return .failure(Stale(pdu: .errorResponse(request: opcode, handle: AttributeHandle(start), error: .attributeNotFound)))
    }
    var result = bytes
    for (place, handle) in [(1, from), (3, to)] {
      (result[place], result[place + 1]) = (UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8))
    }
    return .success(result)
  }
}
