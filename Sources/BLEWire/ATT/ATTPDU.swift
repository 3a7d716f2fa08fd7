// Whoever parses PDUs meets the errors and the loads of the byte parser.
@_exported public import ByteParsing

/// One ATT PDU by value, with the same cases as ``ATTPDUView``; what scenarios and replay work with.
///
/// Layouts stand at the view's cases. Source: Core 5.4, Vol 3, Part F, 3.4.
public enum ATTPDU: Sendable, Hashable {
  case errorResponse(request: ATTOpcode, handle: AttributeHandle, error: ATTErrorCode)
  case exchangeMTURequest(clientMTU: UInt16)
  case exchangeMTUResponse(serverMTU: UInt16)
  case findInformationRequest(start: AttributeHandle, end: AttributeHandle)
  case findInformationResponse([HandleUUID])
  case findByTypeValueRequest(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID, value: [UInt8])
  case findByTypeValueResponse([HandleRange])
  case readByTypeRequest(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID)
  case readByTypeResponse([AttributeData])
  case readRequest(handle: AttributeHandle)
  case readResponse(value: [UInt8])
  case readBlobRequest(handle: AttributeHandle, offset: UInt16)
  case readBlobResponse(part: [UInt8])
  case readMultipleRequest([AttributeHandle])
  case readMultipleResponse(values: [UInt8])
  case readByGroupTypeRequest(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID)
  case readByGroupTypeResponse([AttributeGroup])
  case writeRequest(handle: AttributeHandle, value: [UInt8])
  case writeResponse
  case prepareWriteRequest(handle: AttributeHandle, offset: UInt16, part: [UInt8])
  case prepareWriteResponse(handle: AttributeHandle, offset: UInt16, part: [UInt8])
  case executeWriteRequest(flags: UInt8)
  case executeWriteResponse
  case handleValueNotification(handle: AttributeHandle, value: [UInt8])
  case handleValueIndication(handle: AttributeHandle, value: [UInt8])
  case handleValueConfirmation
  case readMultipleVariableRequest([AttributeHandle])
  case readMultipleVariableResponse([LengthValue])
  case multipleHandleValueNotification([HandleValue])
  case writeCommand(handle: AttributeHandle, value: [UInt8])
  case signedWriteCommand(handle: AttributeHandle, value: [UInt8], signature: [UInt8])
  case unknown(opcode: ATTOpcode, parameters: [UInt8])

  /// An attribute and its type, of Find Information Response.
  public struct HandleUUID: Sendable, Hashable {
    public var handle: AttributeHandle
    public var uuid: BluetoothUUID
    /// Pairs both.
    public init(handle: AttributeHandle, uuid: BluetoothUUID) { (self.handle, self.uuid) = (handle, uuid) }
  }

  /// A found attribute and the end of its group, of Find By Type Value Response.
  public struct HandleRange: Sendable, Hashable {
    public var found: AttributeHandle
    public var groupEnd: AttributeHandle
    /// Pairs both.
    public init(found: AttributeHandle, groupEnd: AttributeHandle) { (self.found, self.groupEnd) = (found, groupEnd) }
  }

  /// An attribute and its value, of Read By Type Response.
  public struct AttributeData: Sendable, Hashable {
    public var handle: AttributeHandle
    public var value: [UInt8]
    /// Pairs both.
    public init(handle: AttributeHandle, value: [UInt8]) { (self.handle, self.value) = (handle, value) }
  }

  /// An attribute, the end of its group and its value, of Read By Group Type Response.
  public struct AttributeGroup: Sendable, Hashable {
    public var start: AttributeHandle
    public var end: AttributeHandle
    public var value: [UInt8]
    /// Joins the three.
    public init(start: AttributeHandle, end: AttributeHandle, value: [UInt8]) {
      (self.start, self.end, self.value) = (start, end, value)
    }
  }

  /// A value with its announced length, of Read Multiple Variable Response; `value` is shorter where the MTU cut it.
  public struct LengthValue: Sendable, Hashable {
    public var length: UInt16
    public var value: [UInt8]
    /// Pairs both.
    public init(length: UInt16, value: [UInt8]) { (self.length, self.value) = (length, value) }
  }

  /// An attribute and its value, of Multiple Handle Value Notification.
  public struct HandleValue: Sendable, Hashable {
    public var handle: AttributeHandle
    public var value: [UInt8]
    /// Pairs both.
    public init(handle: AttributeHandle, value: [UInt8]) { (self.handle, self.value) = (handle, value) }
  }
}

extension ATTPDU {
  /// Copies a view.
  public init(_ view: borrowing ATTPDUView) {
    switch view {
    case .errorResponse(let request, let handle, let error): self = .errorResponse(request: request, handle: handle, error: error)
    case .exchangeMTURequest(let mtu): self = .exchangeMTURequest(clientMTU: mtu)
    case .exchangeMTUResponse(let mtu): self = .exchangeMTUResponse(serverMTU: mtu)
    case .findInformationRequest(let start, let end): self = .findInformationRequest(start: start, end: end)
    case .findInformationResponse(let list): self = .findInformationResponse(Self.copy(list))
    case .findByTypeValueRequest(let start, let end, let type, let value):
      self = .findByTypeValueRequest(start: start, end: end, type: type, value: value.array)
    case .findByTypeValueResponse(let list): self = .findByTypeValueResponse(Self.copy(list))
    case .readByTypeRequest(let start, let end, let type): self = .readByTypeRequest(start: start, end: end, type: type)
    case .readByTypeResponse(let list): self = .readByTypeResponse(Self.copy(list))
    case .readRequest(let handle): self = .readRequest(handle: handle)
    case .readResponse(let value): self = .readResponse(value: value.array)
    case .readBlobRequest(let handle, let offset): self = .readBlobRequest(handle: handle, offset: offset)
    case .readBlobResponse(let part): self = .readBlobResponse(part: part.array)
    case .readMultipleRequest(let list): self = .readMultipleRequest(Self.copy(list))
    case .readMultipleResponse(let values): self = .readMultipleResponse(values: values.array)
    case .readByGroupTypeRequest(let start, let end, let type): self = .readByGroupTypeRequest(start: start, end: end, type: type)
    case .readByGroupTypeResponse(let list): self = .readByGroupTypeResponse(Self.copy(list))
    case .writeRequest(let handle, let value): self = .writeRequest(handle: handle, value: value.array)
    case .writeResponse: self = .writeResponse
    case .prepareWriteRequest(let handle, let offset, let part):
      self = .prepareWriteRequest(handle: handle, offset: offset, part: part.array)
    case .prepareWriteResponse(let handle, let offset, let part):
      self = .prepareWriteResponse(handle: handle, offset: offset, part: part.array)
    case .executeWriteRequest(let flags): self = .executeWriteRequest(flags: flags)
    case .executeWriteResponse: self = .executeWriteResponse
    case .handleValueNotification(let handle, let value): self = .handleValueNotification(handle: handle, value: value.array)
    case .handleValueIndication(let handle, let value): self = .handleValueIndication(handle: handle, value: value.array)
    case .handleValueConfirmation: self = .handleValueConfirmation
    case .readMultipleVariableRequest(let list): self = .readMultipleVariableRequest(Self.copy(list))
    case .readMultipleVariableResponse(let list): self = .readMultipleVariableResponse(Self.copy(list))
    case .multipleHandleValueNotification(let list): self = .multipleHandleValueNotification(Self.copy(list))
    case .writeCommand(let handle, let value): self = .writeCommand(handle: handle, value: value.array)
    case .signedWriteCommand(let handle, let value, let signature):
      self = .signedWriteCommand(handle: handle, value: value.array, signature: signature.array)
    case .unknown(let opcode, let parameters): self = .unknown(opcode: opcode, parameters: parameters.array)
    }
  }

  /// Parses a whole PDU.
  public init(parsing bytes: [UInt8]) throws(ParseError) { self.init(try ATTPDUView(parsing: bytes.byteSpan)) }

  private static func copy(_ list: HandleUUIDList) -> [HandleUUID] {
    var (list, copy) = (list, [HandleUUID]())
    while let (handle, uuid) = list.next() { copy.append(HandleUUID(handle: handle, uuid: uuid)) }
    return copy
  }

  private static func copy(_ list: HandleRangeList) -> [HandleRange] {
    var (list, copy) = (list, [HandleRange]())
    while let (found, end) = list.next() { copy.append(HandleRange(found: found, groupEnd: end)) }
    return copy
  }

  private static func copy(_ list: AttributeDataList) -> [AttributeData] {
    var (list, copy) = (list, [AttributeData]())
    while list.next({ copy.append(AttributeData(handle: $0, value: $1.array)) }) {}
    return copy
  }

  private static func copy(_ list: AttributeGroupList) -> [AttributeGroup] {
    var (list, copy) = (list, [AttributeGroup]())
    while list.next({ copy.append(AttributeGroup(start: $0, end: $1, value: $2.array)) }) {}
    return copy
  }

  private static func copy(_ list: HandleList) -> [AttributeHandle] {
    var (list, copy) = (list, [AttributeHandle]())
    while let handle = list.next() { copy.append(handle) }
    return copy
  }

  private static func copy(_ list: LengthValueList) -> [LengthValue] {
    var (list, copy) = (list, [LengthValue]())
    while list.next({ copy.append(LengthValue(length: $0, value: $1.array)) }) {}
    return copy
  }

  private static func copy(_ list: HandleLengthValueList) -> [HandleValue] {
    var (list, copy) = (list, [HandleValue]())
    while list.next({ copy.append(HandleValue(handle: $0, value: $1.array)) }) {}
    return copy
  }
}
