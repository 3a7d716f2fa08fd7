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
  /// The bearers of a link, and on each the requests of both ends, wait for one answer each.
  private struct Asking: Hashable {
    var link: Int
    var bearer: Int
    var sender: LinkRole
  }
  /// The request that was sent last, and its number.
  private var requests: [Asking: (number: Int, pdu: [UInt8])] = [:]

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
    guard pdu.byteCount > 0 else { return }
    let bytes = pdu.array
    switch ATTOpcode(rawValue: bytes[0]) {
    case .readRequest, .readBlobRequest, .readByTypeRequest, .readMultipleRequest, .readMultipleVariableRequest:
      requests[Asking(link: event.link, bearer: event.bearer, sender: event.sender)] = (event.number, bytes)
    default:
      let asked = requests[Asking(link: event.link, bearer: event.bearer, sender: event.sender.other)]
      let request = event.answers != nil && asked?.number == event.answers ? asked?.pdu : nil
      // What servers send has an odd opcode.
      let server = bytes[0] & 1 == 1 ? event.sender : event.sender.other
      for place in ValuePlace.all(in: bytes, request: request) {
        if let kind = values.kind(of: place, event.link, server) { replace(event, place, Array(bytes[place.bytes]), kind) }
      }
    }
  }

  private func replace(_ event: ATTEvent, _ place: ValuePlace, _ part: [UInt8], _ kind: SecretKind) {
    let new = pseudonyms.value(part, kind, at: place.offset)
    // On an enhanced bearer the length of the SDU stands before it.
    let start = L2CAPHeader.byteCount + place.bytes.lowerBound + (event.bearer == 0 ? 0 : 2)
    if let original = joined?.original {
      guard start + new.count <= original.count, original[start..<(start + part.count)].elementsEqual(part) else { return }
      joined?.bytes.replaceSubrange(start..<(start + new.count), with: new)
    } else {
      edits[event.frame, default: []].append(Edit(offset: start, bytes: new, original: part))
    }
  }
}
