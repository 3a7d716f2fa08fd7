public import ByteParsing

/// One ATT PDU over borrowed bytes, checked once, whose parts are then read without failing.
///
/// Layouts stand at each case; integers are little-endian. Source: Core 5.4, Vol 3, Part F, 3.4.
public enum ATTPDUView: ~Escapable {
  /// `0x01 request(1) handle(2) error(1)`
  case errorResponse(request: ATTOpcode, handle: AttributeHandle, error: ATTErrorCode)
  /// `0x02 mtu(2)`
  case exchangeMTURequest(clientMTU: UInt16)
  /// `0x03 mtu(2)`
  case exchangeMTUResponse(serverMTU: UInt16)
  /// `0x04 start(2) end(2)`
  case findInformationRequest(start: AttributeHandle, end: AttributeHandle)
  /// `0x05 format(1) { handle(2) uuid(2|16) }+`
  case findInformationResponse(HandleUUIDList)
  /// `0x06 start(2) end(2) type(2) value(0…MTU−7)`
  case findByTypeValueRequest(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID, value: RawSpan)
  /// `0x07 { found(2) groupEnd(2) }+`
  case findByTypeValueResponse(HandleRangeList)
  /// `0x08 start(2) end(2) type(2|16)`
  case readByTypeRequest(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID)
  /// `0x09 length(1) { handle(2) value(length−2) }+`
  case readByTypeResponse(AttributeDataList)
  /// `0x0A handle(2)`
  case readRequest(handle: AttributeHandle)
  /// `0x0B value(0…MTU−1)`
  case readResponse(value: RawSpan)
  /// `0x0C handle(2) offset(2)`
  case readBlobRequest(handle: AttributeHandle, offset: UInt16)
  /// `0x0D part(0…MTU−1)`
  case readBlobResponse(part: RawSpan)
  /// `0x0E { handle(2) }2+`
  case readMultipleRequest(HandleList)
  /// `0x0F values(0…MTU−1)`
  case readMultipleResponse(values: RawSpan)
  /// `0x10 start(2) end(2) type(2|16)`
  case readByGroupTypeRequest(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID)
  /// `0x11 length(1) { handle(2) groupEnd(2) value(length−4) }+`
  case readByGroupTypeResponse(AttributeGroupList)
  /// `0x12 handle(2) value(0…MTU−3)`
  case writeRequest(handle: AttributeHandle, value: RawSpan)
  /// `0x13`
  case writeResponse
  /// `0x16 handle(2) offset(2) part(0…MTU−5)`
  case prepareWriteRequest(handle: AttributeHandle, offset: UInt16, part: RawSpan)
  /// `0x17 handle(2) offset(2) part(0…MTU−5)`
  case prepareWriteResponse(handle: AttributeHandle, offset: UInt16, part: RawSpan)
  /// `0x18 flags(1)`: 0 cancels, 1 writes
  case executeWriteRequest(flags: UInt8)
  /// `0x19`
  case executeWriteResponse
  /// `0x1B handle(2) value(0…MTU−3)`
  case handleValueNotification(handle: AttributeHandle, value: RawSpan)
  /// `0x1D handle(2) value(0…MTU−3)`
  case handleValueIndication(handle: AttributeHandle, value: RawSpan)
  /// `0x1E`
  case handleValueConfirmation
  /// `0x20 { handle(2) }2+`
  case readMultipleVariableRequest(HandleList)
  /// `0x21 { length(2) value(length) }2+`, the last value cut by the MTU where it does not fit
  case readMultipleVariableResponse(LengthValueList)
  /// `0x23 { handle(2) length(2) value(length) }+`
  case multipleHandleValueNotification(HandleLengthValueList)
  /// `0x52 handle(2) value(0…MTU−3)`
  case writeCommand(handle: AttributeHandle, value: RawSpan)
  /// `0xD2 handle(2) value(0…MTU−15) signature(12)`
  case signedWriteCommand(handle: AttributeHandle, value: RawSpan, signature: RawSpan)
  /// An opcode that the specification does not have, with all that follows it.
  case unknown(opcode: ATTOpcode, parameters: RawSpan)

  /// Checks a whole PDU: `.truncated` where more bytes would help, `.malformed` where its lengths cannot be right.
  @_lifetime(copy bytes)
  public init(parsing bytes: RawSpan) throws(ParseError) {
    var reader = ByteReader(bytes, layer: .att)
    let opcode = ATTOpcode(rawValue: try reader.uint8())
    switch opcode {
    case .errorResponse:
      self = .errorResponse(
        request: ATTOpcode(rawValue: try reader.uint8()), handle: try reader.handle(), error: ATTErrorCode(rawValue: try reader.uint8()))
    case .exchangeMTURequest: self = .exchangeMTURequest(clientMTU: try reader.uint16())
    case .exchangeMTUResponse: self = .exchangeMTUResponse(serverMTU: try reader.uint16())
    case .findInformationRequest: self = .findInformationRequest(start: try reader.handle(), end: try reader.handle())
    case .findInformationResponse: self = .findInformationResponse(try HandleUUIDList(parsing: &reader))
    case .findByTypeValueRequest:
      self = .findByTypeValueRequest(
        start: try reader.handle(), end: try reader.handle(), type: BluetoothUUID(try reader.uint16()), value: reader.rest())
    case .findByTypeValueResponse: self = .findByTypeValueResponse(try HandleRangeList(parsing: &reader))
    case .readByTypeRequest:
      self = .readByTypeRequest(start: try reader.handle(), end: try reader.handle(), type: try reader.attributeType())
    case .readByTypeResponse: self = .readByTypeResponse(try AttributeDataList(parsing: &reader))
    case .readRequest: self = .readRequest(handle: try reader.handle())
    case .readResponse: self = .readResponse(value: reader.rest())
    case .readBlobRequest: self = .readBlobRequest(handle: try reader.handle(), offset: try reader.uint16())
    case .readBlobResponse: self = .readBlobResponse(part: reader.rest())
    case .readMultipleRequest: self = .readMultipleRequest(try HandleList(parsing: &reader))
    case .readMultipleResponse: self = .readMultipleResponse(values: reader.rest())
    case .readByGroupTypeRequest:
      self = .readByGroupTypeRequest(start: try reader.handle(), end: try reader.handle(), type: try reader.attributeType())
    case .readByGroupTypeResponse: self = .readByGroupTypeResponse(try AttributeGroupList(parsing: &reader))
    case .writeRequest: self = .writeRequest(handle: try reader.handle(), value: reader.rest())
    case .writeResponse: self = .writeResponse
    case .prepareWriteRequest:
      self = .prepareWriteRequest(handle: try reader.handle(), offset: try reader.uint16(), part: reader.rest())
    case .prepareWriteResponse:
      self = .prepareWriteResponse(handle: try reader.handle(), offset: try reader.uint16(), part: reader.rest())
    case .executeWriteRequest: self = .executeWriteRequest(flags: try reader.uint8())
    case .executeWriteResponse: self = .executeWriteResponse
    case .handleValueNotification: self = .handleValueNotification(handle: try reader.handle(), value: reader.rest())
    case .handleValueIndication: self = .handleValueIndication(handle: try reader.handle(), value: reader.rest())
    case .handleValueConfirmation: self = .handleValueConfirmation
    case .readMultipleVariableRequest: self = .readMultipleVariableRequest(try HandleList(parsing: &reader))
    case .readMultipleVariableResponse: self = .readMultipleVariableResponse(try LengthValueList(parsing: &reader))
    case .multipleHandleValueNotification: self = .multipleHandleValueNotification(try HandleLengthValueList(parsing: &reader))
    case .writeCommand: self = .writeCommand(handle: try reader.handle(), value: reader.rest())
    case .signedWriteCommand:
      let handle = try reader.handle()
      guard reader.remaining >= 12 else {
        throw ParseError.truncated(.att, at: reader.offset, needed: 12, available: reader.remaining)
      }
      self = .signedWriteCommand(handle: handle, value: try reader.slice(reader.remaining - 12), signature: try reader.slice(12))
    default: self = .unknown(opcode: opcode, parameters: reader.rest())
    }
    try reader.expectEnd("bytes follow the end of the PDU")
  }
}

extension ByteReader {
  @_lifetime(self: copy self)
  mutating func handle() throws(ParseError) -> AttributeHandle { AttributeHandle(try uint16()) }

  /// A type of 16 or 128 bits that fills the rest of the PDU.
  @_lifetime(self: copy self)
  mutating func attributeType() throws(ParseError) -> BluetoothUUID {
    switch remaining {
    case 2, 16: break
    case 0, 1: throw .truncated(.att, at: offset, needed: 2, available: remaining)
    case 3..<16: throw .truncated(.att, at: offset, needed: 16, available: remaining)
    default: throw malformed("an attribute type has 2 or 16 bytes")
    }
    guard let uuid = BluetoothUUID(wire: rest()) else { throw malformed("an attribute type has 2 or 16 bytes") }
    return uuid
  }
}
