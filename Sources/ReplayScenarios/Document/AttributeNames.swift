/// The words of the generated comments: what an attribute is, and what its value says where it is text.
struct AttributeNames {
  private var names: [AttributeHandle: String] = [:]
  private var types: [AttributeHandle: BluetoothUUID] = [:]

  init(_ database: [Attribute]) {
    for attribute in database {
      switch attribute.kind {
      case .characteristic(let uuid, _, let value):
        types[value] = uuid
        names[value] = uuid.assignedName
      case .descriptor(let uuid):
        types[attribute.handle] = uuid
        names[attribute.handle] = uuid.assignedName
      case .service, .include, .unknown: break
      }
    }
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
  func comment(_ entry: TimelineEntry) -> String? {
    var words: String?
    switch entry.action {
    case .exchangeMTU: break
    case .vanish: words = "lost without a word"
    case .disconnect(let reason): words = reason.name
    case .pdu(let bytes): words = describe(bytes)
    case .read(let handle), .readBlob(let handle, _):
      var value: [UInt8]?
      if case .value(let bytes)? = entry.answer { value = bytes }
      words = describe(handle, value)
    case .write(let handle, let value), .writeCommand(let handle, let value), .notify(let handle, let value),
      .indicate(let handle, let value):
      words = describe(handle, value)
    }
    if case .error(let error)? = entry.answer { return join(words, error.name) }
    return words
  }

  private func describe(_ handle: AttributeHandle, _ value: [UInt8]?) -> String? {
    join(names[handle], value.flatMap { text($0, type: types[handle]) })
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
    if !isText, value.contains(where: { !(0x20...0x7E).contains($0) && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }) { return nil }
    return JSON5Writer.quoted(String(decoding: value, as: UTF8.self), limit: 60)
  }

  /// Characteristics and descriptors whose values are text.
  private static let textTypes: Set<UInt16> = [
    0x2A00, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29, 0x2A3D, 0x2A87, 0x2A8A, 0x2A90, 0x2901,
  ]
}
