/// What the keys of a timeline entry say, until all of them are read and can be held against each other.
struct EntryDraft {
  /// An answer that says what it is, or bytes whose meaning the action settles.
  enum Answer {
    case exactly(TimelineEntry.Answer)
    case bytes([UInt8])
  }

  typealias Key = ScenarioKeys.Entry

  static let procedureKeys: [Key] = [
    .securityRequest, .pair, .encrypt, .requestParameters, .updateParameters, .phy, .dataLength, .openChannel, .channelData, .closeChannel,
  ]
  static let actionKeys: [Key] = Key.allCases.filter(isAction)

  /// Whether a key says what happens.
  static func isAction(_ key: Key) -> Bool {
    switch key {
    case .mtu, .pdu, .read, .readBlob, .write, .command, .notify, .indicate, .securityRequest, .pair, .encrypt, .requestParameters,
      .updateParameters, .phy, .dataLength, .openChannel, .channelData, .closeChannel, .disconnect, .vanish:
      true
    default: false
    }
  }

  var id: String?
  var at: Duration?
  var by: TimelineEntry.Side?
  var actionKey: Key?
  var bearer: Int?
  var procedure: LinkProcedure?
  var mtu: UInt16?
  var pdu: [UInt8]?
  var handle: AttributeHandle?
  var reason: HCIErrorCode?
  var offset: UInt16?
  var value: [UInt8]?
  var answer: Answer?
  var error: UInt16?
  var latency: Duration?
  var parts: [TimelineEntry.Part] = []
  var cause: Anchor.Cause?
  var reference: ScenarioReader.Reference?
  var delay: Duration?
  var cancel: Anchor.Cancellation?
  var matcher: WriteMatcher?
  var truncated: Int?
  var answerTruncated: Int?
  var database: Int?
  var isRequired = false
  var note: String?

  /// The entry, if its keys fit together.
  func entry(_ object: JSON5Object<Key>) throws(JSON5Error) -> (TimelineEntry, named: TextPosition?, ScenarioReader.Reference?) {
    let at = try object.require(at, .at, "at: 12.5, milliseconds since the connection")
    guard let actionKey else {
      throw JSON5Error(
        object.start, "the entry does not say what happens", "add one of \(Self.actionKeys.map(\.rawValue).joined(separator: ", "))")
    }
    let origin = by ?? Self.usualSide(actionKey)
    let entry = TimelineEntry(
      id: id, at: at, origin: origin, action: try action(actionKey, object), bearer: bearer, answer: try answer(actionKey, object),
      latency: latency, parts: parts, anchor: try anchor(origin, object), matcher: try matcher(actionKey, object), truncated: truncated,
      answerTruncated: answerTruncated, database: database, isRequired: isRequired, note: note)
    return (entry, object.place(of: .id), reference)
  }

  /// The side that begins an entry where `by` does not say.
  static func usualSide(_ key: Key) -> TimelineEntry.Side {
    switch key {
    case .notify, .indicate, .securityRequest, .requestParameters, .vanish: .peripheral
    default: .central
    }
  }

  private func action(_ key: Key, _ object: JSON5Object<Key>) throws(JSON5Error) -> TimelineEntry.Action {
    let takesValue = key == .write || key == .command || key == .notify || key == .indicate || key == .channelData
    if value != nil, !takesValue {
      throw object.error(
        at: .value, "a \"value\" does not belong to \"\(key.rawValue)\"",
        "remove it; it belongs to write, command, notify, indicate and channelData")
    }
    if offset != nil, key != .readBlob {
      throw object.error(at: .offset, "an \"offset\" does not belong to \"\(key.rawValue)\"", "remove it; it belongs to readBlob")
    }
    let value = takesValue ? try object.require(value, .value, "value: \"0100\", in hexadecimal") : []
    if case .channelData(let channel, _)? = procedure { return .link(.channelData(channel: channel, value)) }
    if let procedure { return .link(procedure) }
    let handle = handle ?? AttributeHandle(0)
    switch key {
    case .mtu: return .exchangeMTU(mtu ?? 0)
    case .read: return .read(handle)
    case .readBlob: return .readBlob(handle, offset: try object.require(offset, .offset, "offset: 22, where in the value it begins"))
    case .write: return .write(handle, value)
    case .command: return .writeCommand(handle, value)
    case .notify: return .notify(handle, value)
    case .indicate: return .indicate(handle, value)
    case .disconnect: return .disconnect(reason ?? .success)
    case .vanish: return .vanish
    default: return .pdu(pdu ?? [])
    }
  }

  private func answer(_ key: Key, _ object: JSON5Object<Key>) throws(JSON5Error) -> TimelineEntry.Answer? {
    if let error {
      if answer != nil { throw object.error(at: .error, "the entry has both an answer and an error", "remove one of them") }
      if Self.procedureKeys.contains(key) { return .refused(error) }
      guard let error = UInt8(exactly: error) else {
        throw object.error(at: .error, "an ATT error cannot be \(error)", "write a number from 0 to 255")
      }
      return .error(ATTErrorCode(rawValue: error))
    }
    switch answer {
    case .exactly(let answer): return answer
    case .bytes(let bytes): return key == .pdu ? .pdu(bytes) : .value(bytes)
    case nil: return nil
    }
  }

  private func anchor(_ origin: TimelineEntry.Side, _ object: JSON5Object<Key>) throws(JSON5Error) -> Anchor? {
    guard let cause else {
      for (key, isThere) in [(Key.delay, delay != nil), (.cancel, cancel != nil)] where isThere {
        throw object.error(
          at: key, "a \"\(key.rawValue)\" stands without \"after\"", "add after: \"connection\", \"previous\" or the id of an entry")
      }
      guard origin == .central else {
        throw JSON5Error(
          object.start, "the key \"after\" is missing in an entry by the peripheral",
          "add after: \"connection\", \"previous\" or the id of an entry")
      }
      return nil
    }
    guard origin == .peripheral else {
      throw object.error(at: .after, "an entry by the central cannot wait for a cause", "remove \"after\", or add by: \"peripheral\"")
    }
    return Anchor(cause, delay: delay ?? .zero, cancel: cancel ?? .unsubscribe)
  }

  private func matcher(_ key: Key, _ object: JSON5Object<Key>) throws(JSON5Error) -> WriteMatcher {
    guard let matcher else { return .exact }
    guard key == .write || key == .command else {
      throw object.error(at: .matches, "\"matches\" does not belong to \"\(key.rawValue)\"", "remove it; it belongs to write and command")
    }
    return matcher
  }
}
