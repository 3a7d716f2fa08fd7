import ReplayScenarios
import SessionReconstruction

/// Finds, record by record, the bytes of secret values, and what is secret in PDUs that came in several packets.
final class ValueEdits: ATTObserver {
  struct Edit {
    /// From the beginning of the record's part of an L2CAP PDU.
    var offset: Int
    var bytes: [UInt8]
    /// What has to stand there; `nil` where it is known to.
    var original: [UInt8]?
  }
  private(set) var edits: [Int: [Edit]] = [:]
  private(set) var pseudonyms: Pseudonyms
  private let values: SecretValues
  /// The PDU that was joined last: its bytes, header included, and which records brought them.
  private var joined: (pieces: [L2CAPPiece], original: [UInt8], bytes: [UInt8])?
  /// What requests that wait tell of the values that they will get: by link, the number of the request.
  private var requests: [Int: (number: Int, offset: Int, kind: SecretValues.Kind?)] = [:]

  init(_ values: SecretValues, _ pseudonyms: Pseudonyms) { (self.values, self.pseudonyms) = (values, pseudonyms) }

  func observe(_ pieces: [L2CAPPiece], channel: L2CAPChannel, pdu: RawSpan) {
    let original = pdu.array
    var bytes = original
    var fields = SecretFields(count: bytes.count)
    fields.payload(pdu, channel: channel, at: 0)
    for field in fields.fields {
      let part = Array(bytes[field.bytes])
      switch field.kind {
      case .key: bytes.replaceSubrange(field.bytes, with: pseudonyms.key(part))
      case .address, .data, .name, .advertising: bytes.replaceSubrange(field.bytes, with: pseudonyms.replaced(part))
      case .opaque: break
      }
    }
    joined = (pieces, original, bytes)
    if channel != .attribute { settle() }
  }

  /// Hands what was found in a joined PDU to its records.
  private func settle() {
    guard let (pieces, original, bytes) = joined else { return }
    joined = nil
    guard original != bytes else { return }
    var start = 0
    for piece in pieces {
      let end = min(start + piece.byteCount, bytes.count)
      if start < end { edits[piece.frame, default: []].append(Edit(offset: 0, bytes: Array(bytes[start..<end]))) }
      start = end
    }
  }

  func observe(_ event: ATTEvent, pdu: RawSpan) {
    defer { settle() }
    guard pdu.byteCount > 1 else { return }
    let opcode = ATTOpcode(rawValue: pdu.uint8(at: 0))
    switch opcode {
    case .readBlobRequest where pdu.byteCount >= 5: requests[event.link] = (event.number, Int(pdu.uint16(at: 3)), nil)
    case .readByTypeRequest:
      if case .readByTypeRequest(_, _, let type)? = try? ATTPDUView(parsing: pdu) {
        requests[event.link] = (event.number, 0, values.kind(ofType: type))
      }
    case .readResponse, .readMultipleResponse, .readMultipleVariableResponse: replace(event, pdu, from: 1, server: event.sender)
    case .readBlobResponse:
      let request = requests[event.link]
      replace(event, pdu, from: 1, server: event.sender, offset: request?.number == event.answers ? request?.offset ?? 0 : 0)
    case .readByTypeResponse: replaceList(event, pdu)
    case .handleValueNotification, .handleValueIndication, .multipleHandleValueNotification:
      replace(event, pdu, from: 3, server: event.sender)
    case .writeRequest, .writeCommand, .signedWriteCommand: replace(event, pdu, from: 3, server: event.sender.other)
    case .prepareWriteRequest where pdu.byteCount >= 5:
      replace(event, pdu, from: 5, server: event.sender.other, offset: Int(pdu.uint16(at: 3)))
    case .prepareWriteResponse where pdu.byteCount >= 5:
      replace(event, pdu, from: 5, server: event.sender, offset: Int(pdu.uint16(at: 3)))
    default: break
    }
  }

  private func replaceList(_ event: ATTEvent, _ pdu: RawSpan) {
    let request = requests[event.link]
    let asked = request?.number == event.answers ? request?.kind : nil
    let size = Int(pdu.uint8(at: 1))
    guard size > 2 else { return }
    for start in stride(from: 2, to: pdu.byteCount, by: size) where start + 2 < pdu.byteCount {
      let handle = AttributeHandle(pdu.uint16(at: start))
      guard let kind = asked ?? values.kind(handle, event.link, event.sender) else { continue }
      replace(event, pdu, (start + 2)..<min(start + size, pdu.byteCount), kind)
    }
  }

  private func replace(_ event: ATTEvent, _ pdu: RawSpan, from start: Int, server: LinkRole, offset: Int = 0) {
    guard let handle = event.attribute, let kind = values.kind(handle, event.link, server),
      pdu.byteCount > start
    else { return }
    replace(event, pdu, start..<pdu.byteCount, kind, offset: offset)
  }

  private func replace(_ event: ATTEvent, _ pdu: RawSpan, _ range: Range<Int>, _ kind: SecretValues.Kind, offset: Int = 0) {
    let part = pdu.extracting(range).array
    let new = kind == .name ? pseudonyms.part(ofName: part, at: offset) : pseudonyms.value(part)
    // On an enhanced bearer the length of the SDU stands before it.
    let start = L2CAPHeader.byteCount + range.lowerBound + (event.bearer == 0 ? 0 : 2)
    if let original = joined?.original {
      guard start + new.count <= original.count, original[start..<(start + part.count)].elementsEqual(part) else { return }
      joined?.bytes.replaceSubrange(start..<(start + new.count), with: new)
    } else {
      edits[event.frame, default: []].append(Edit(offset: start, bytes: new, original: part))
    }
  }
}
