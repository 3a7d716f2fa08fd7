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
  /// What was joined last: its bytes, which records brought them, and how many of them stand before the payload.
  private struct Joined {
    var pieces: [L2CAPPiece]
    var original: [UInt8]
    var bytes: [UInt8]
    var header: Int
    /// Whether its parts are cleared where nothing takes their place.
    var hasKeys = false
  }
  private var joined: Joined?
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
    settle()
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
    joined = Joined(
      pieces: pieces, original: original, bytes: bytes, header: L2CAPHeader.byteCount, hasKeys: fields.fields.contains { $0.kind == .key })
  }

  func observe(_ pieces: [L2CAPPiece], sdu: RawSpan) {
    settle()
    joined = Joined(pieces: pieces, original: sdu.array, bytes: pseudonyms.replaced(sdu.array), header: 0)
  }

  /// Hands what was found in joined bytes to their records; to be called once more at the end.
  func settle() {
    guard let joined else { return }
    self.joined = nil
    guard joined.original != joined.bytes || joined.hasKeys else { return }
    var start = 0
    for piece in joined.pieces {
      let end = min(start + piece.byteCount, joined.bytes.count)
      if start < end { edits[piece.frame, default: []].append(Edit(offset: piece.offset, bytes: Array(joined.bytes[start..<end]))) }
      start = end
    }
  }

  func observe(_ event: ATTEvent, pdu: RawSpan) {
    defer { settle() }
    guard pdu.byteCount > 0 else { return }
    let bytes = pdu.array
    // What was joined for something else than this PDU is complete.
    if let joined, !joined.original.dropFirst(Self.start(of: event, in: joined)).prefix(bytes.count).elementsEqual(bytes) { settle() }
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
    guard let joined else {
      let start = L2CAPHeader.byteCount + (event.bearer == 0 ? 0 : 2) + place.bytes.lowerBound
      return edits[event.frame, default: []].append(Edit(offset: start, bytes: new, original: part))
    }
    let start = Self.start(of: event, in: joined) + place.bytes.lowerBound
    guard start + new.count <= joined.bytes.count else { return }
    self.joined?.bytes.replaceSubrange(start..<(start + new.count), with: new)
  }

  /// Where a PDU begins: on an enhanced bearer the length of the SDU stands before it, unless that was joined, too.
  private static func start(of event: ATTEvent, in joined: Joined) -> Int {
    joined.header + (event.bearer == 0 || joined.header == 0 ? 0 : 2)
  }
}
