import BLEWire

/// Makes the events of one side of a timeline.
package struct EventList {
  package private(set) var events: [Timeline.Event] = []
  /// Requests and indications that wait for an answer, by bearer and by the end that sent them.
  private var waiting: [Waiting: Int] = [:]

  private struct Waiting: Hashable {
    var bearer: Int
    var fromCentral: Bool
    var isIndication: Bool
  }

  /// Without any.
  package init() {}

  /// Adds an ATT PDU; `note` stands behind its name.
  package mutating func add(
    _ bytes: [UInt8], fromCentral: Bool, at time: Int64, bearer: Int = 0, entry: Int? = nil, note: String? = nil,
    isAfterthought: Bool = false
  ) {
    let opcode = ATTOpcode(rawValue: bytes.first ?? 0)
    let pdu = try? ATTPDU(parsing: bytes)
    var event = Timeline.Event(
      time: time, sender: fromCentral ? .central : .peripheral, kind: Timeline.Kind(opcode), attribute: pdu?.attributeHandle, bytes: bytes,
      words: Self.words(opcode, pdu), entry: entry)
    // The handles that a discovery asks for are no attribute that it is about.
    if event.kind == .discovery { event.attribute = nil }
    if let note { event.words += ", \(note)" }
    switch opcode.role {
    case _ where isAfterthought: event.isAfterthought = true
    case .request, .indication:
      waiting[Waiting(bearer: bearer, fromCentral: fromCentral, isIndication: opcode.role == .indication)] = events.count
    case .response, .confirmation:
      let key = Waiting(bearer: bearer, fromCentral: !fromCentral, isIndication: opcode.role == .confirmation)
      guard let request = waiting.removeValue(forKey: key) else { break }
      event.answers = request
      event.attribute = events[request].attribute
      if opcode != .errorResponse { event.kind = events[request].kind }
    case .command, .notification: break
    }
    events.append(event)
  }

  /// Adds something else.
  package mutating func add(
    _ words: String, _ kind: Timeline.Kind, by sender: Timeline.Sender, at time: Int64, bytes: [UInt8] = [], entry: Int? = nil
  ) {
    events.append(Timeline.Event(time: time, sender: sender, kind: kind, bytes: bytes, words: words, entry: entry))
  }

  /// What is told of a PDU besides its attribute.
  private static func words(_ opcode: ATTOpcode, _ pdu: ATTPDU?) -> String {
    switch pdu {
    case .errorResponse(_, _, let error): "\(opcode): \(error)"
    case .exchangeMTURequest(let mtu), .exchangeMTUResponse(let mtu): "\(opcode) \(mtu)"
    case .findInformationRequest(let start, let end): "\(opcode) \(start)…\(end)"
    case .findByTypeValueRequest(let start, let end, let type, _), .readByTypeRequest(let start, let end, let type),
      .readByGroupTypeRequest(let start, let end, let type):
      "\(opcode) \(start)…\(end), \(type.assignedName ?? type.description)"
    case .readBlobRequest(_, let offset), .prepareWriteRequest(_, let offset, _): "\(opcode) from \(offset)"
    case nil: "\(opcode), malformed"
    default: opcode.description
    }
  }
}

extension Timeline.Kind {
  init(_ opcode: ATTOpcode) {
    self =
      switch opcode {
      case .errorResponse: .error
      case .exchangeMTURequest, .exchangeMTUResponse: .mtu
      case .findInformationRequest, .findInformationResponse, .findByTypeValueRequest, .findByTypeValueResponse, .readByTypeRequest,
        .readByTypeResponse, .readByGroupTypeRequest, .readByGroupTypeResponse:
        .discovery
      case .readRequest, .readResponse, .readBlobRequest, .readBlobResponse, .readMultipleRequest, .readMultipleResponse,
        .readMultipleVariableRequest, .readMultipleVariableResponse:
        .read
      case .writeRequest, .writeResponse, .prepareWriteRequest, .prepareWriteResponse, .executeWriteRequest, .executeWriteResponse: .write
      case .writeCommand, .signedWriteCommand: .command
      case .handleValueNotification, .multipleHandleValueNotification: .notification
      case .handleValueIndication, .handleValueConfirmation: .indication
      default: .other
      }
  }
}

extension ATTPDU {
  /// The value that the PDU carries of one attribute; `nil` where it carries none, or a part.
  var carriedValue: [UInt8]? {
    switch self {
    case .writeRequest(_, let value), .writeCommand(_, let value), .signedWriteCommand(_, let value, _),
      .handleValueNotification(_, let value), .handleValueIndication(_, let value), .readResponse(let value):
      value
    default: nil
    }
  }
}
