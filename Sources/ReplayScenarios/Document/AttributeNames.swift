/// The words of the generated comments: what an attribute is, and what its value says where it is text.
struct AttributeNames {
  private struct Named {
    let type: BluetoothUUID
    let name: String?
  }
  /// By handle, of values and descriptors whose types have a name or values that words exist for.
  private var table: [Named?] = []

  init(_ database: [Attribute]) {
    for attribute in database {
      switch attribute.kind {
      case .characteristic(let uuid, _, let value): add(uuid, value)
      case .descriptor(let uuid): add(uuid, attribute.handle)
      case .service, .include, .unknown: break
      }
    }
  }

  private mutating func add(_ uuid: BluetoothUUID, _ handle: AttributeHandle) {
    // What has neither a name nor a type with a meaning is told by its bytes alone.
    let isText = uuid.short.map(Self.textTypes.contains) ?? false
    guard isText || uuid.assignedName != nil || StandardValue.knows(uuid) else { return }
    let place = Int(handle.rawValue)
    if place >= table.count { table.append(contentsOf: repeatElement(nil, count: place + 1 - table.count)) }
    table[place] = Named(type: uuid, name: uuid.assignedName)
  }

  /// The comment of an attribute's line; `nil` where there is nothing to say.
  func comment(_ attribute: Attribute) -> String? {
    switch attribute.kind {
    case .service(let uuid, _, _), .include(let uuid?, _, _): return uuid.assignedName
    case .characteristic(let uuid, _, _), .descriptor(let uuid):
      return join(uuid.assignedName, attribute.content.flatMap { text($0, type: uuid) })
    case .include, .unknown: return nil
    }
  }

  /// The comment of an entry's line; `nil` where there is nothing to say.
  func comment(_ line: borrowing EntryLine) -> String? {
    var words: String?
    switch line.key {
    case .vanish: words = "lost without a word"
    case .pair: if case .refused(let reason) = line.answer { return PairingFailure(rawValue: UInt8(truncatingIfNeeded: reason)).name }
    case .encrypt: if case .refused(let status) = line.answer { return HCIErrorCode(rawValue: UInt8(truncatingIfNeeded: status)).name }
    case .disconnect: words = HCIErrorCode(rawValue: UInt8(truncatingIfNeeded: line.number)).name
    case .pdu: words = describe(line.value.array)
    case .read, .readBlob: words = describe(line.number, line.answerBytes, isThere: line.answer == .value)
    case .write, .command, .notify, .indicate: words = describe(line.number, line.value, isThere: true)
    default: break
    }
    if case .error(let error) = line.answer { return join(words, ATTErrorCode(rawValue: error).name) }
    return words
  }

  private func describe(_ handle: UInt16, _ value: RawSpan, isThere: Bool) -> String? {
    let attribute = Int(handle) < table.count ? table[Int(handle)] : nil
    guard isThere, attribute != nil || Self.mayBeText(value) else { return attribute?.name }
    return join(attribute?.name, text(value.array, type: attribute?.type))
  }

  /// Whether bytes of no known type can hardly be anything but text.
  private static func mayBeText(_ value: RawSpan) -> Bool {
    guard value.byteCount >= 4 else { return false }
    for index in 0..<value.byteCount {
      let byte = value.uint8(at: index)
      guard (0x20...0x7E).contains(byte) || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return false }
    }
    return true
  }

  private func join(_ name: String?, _ value: String?) -> String? {
    guard let name, let value else { return name ?? value }
    return "\(name): \(value)"
  }

  /// The opcode's name and the handles that it asks for.
  private func describe(_ pdu: [UInt8]) -> String? {
    guard let first = pdu.first else { return nil }
    let name = ATTOpcode(rawValue: first).description
    switch try? ATTPDU(parsing: pdu) {
    case .findInformationRequest(let start, let end): return "\(name) \(start)…\(end)"
    case .findByTypeValueRequest(let start, let end, let type, let value):
      let wanted = value.count == 2 || value.count == 16 ? BluetoothUUID(wire: value.byteSpan) : nil
      return "\(name) \(start)…\(end), \(title(type))" + (wanted.map { " \(title($0))" } ?? "")
    case .readByTypeRequest(let start, let end, let type), .readByGroupTypeRequest(let start, let end, let type):
      return "\(name) \(start)…\(end), \(title(type))"
    case .prepareWriteRequest(let handle, let offset, _): return "\(name) \(handle) at \(offset)"
    case .signedWriteCommand(let handle, _, _): return "\(name) \(handle)"
    default: return name
    }
  }

  private func title(_ uuid: BluetoothUUID) -> String { uuid.assignedName ?? uuid.description }

  /// What a standard value says; else the value as quoted text, where its type is text, or where it can hardly be anything else.
  private func text(_ value: [UInt8], type: BluetoothUUID?) -> String? {
    if let type, let words = StandardValue.describe(value, type: type) { return words }
    let isText = type?.short.map(Self.textTypes.contains) ?? false
    let isNumeric = type?.assignedName != nil && !isText
    guard !value.isEmpty, !isNumeric, isText || value.count >= 4 else { return nil }
    // Lines of text end with CR or LF, which are shown escaped.
    if !isText, !Self.mayBeText(value.byteSpan) { return nil }
    return JSON5Writer.quoted(String(decoding: value, as: UTF8.self), limit: 60)
  }

  /// Characteristics and descriptors whose values are text.
  private static let textTypes: Set<UInt16> = [
    0x2A00, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A3D, 0x2A87, 0x2A8A, 0x2A90, 0x2901,
  ]
}
