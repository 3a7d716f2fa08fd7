extension ScenarioWriter {
  /// Writes one attribute in its line.
  mutating func writeAttribute(_ attribute: Attribute) {
    typealias Key = ScenarioKeys.Attribute
    json.raw("    ")
    json.open("{ ")
    handle(Key.handle, attribute.handle)
    switch attribute.kind {
    case .service(let uuid, let primary, let end):
      text(Key.service, uuid.description)
      if !primary { json.optional(Key.secondary, true) { $0.raw(String($1)) } }
      handle(Key.end, end)
    case .include(let uuid, let start, let end):
      text(Key.include, uuid?.description ?? ScenarioWords.unknownService)
      handle(Key.start, start)
      handle(Key.end, end)
    case .characteristic(let uuid, let properties, let value):
      text(Key.characteristic, uuid.description)
      handle(Key.value, value)
      json.key(Key.properties)
      json.bits(properties, ScenarioWords.properties)
    case .descriptor(let uuid): text(Key.descriptor, uuid.description)
    case .unknown: json.optional(Key.unknown, true) { $0.raw(String($1)) }
    }
    json.optional(Key.content, attribute.content) { $0.hex($1) }
    json.optional(Key.readError, attribute.readError) { $0.raw(hexadecimal($1.rawValue)) }
    json.optional(Key.writeError, attribute.writeError) { $0.raw(hexadecimal($1.rawValue)) }
    json.optional(Key.match, attribute.match) { $0.string($1.rawValue) }
    json.optional(Key.unmatched, attribute.unmatched) { $0.string($1.rawValue) }
    json.optional(Key.provenance, attribute.provenance == .hand ? nil : attribute.provenance) { $0.string($1.rawValue) }
    json.optional(Key.note, attribute.note) { $0.string($1) }
    json.close(" }")
    json.endLine(comment: names.comment(attribute))
  }

  mutating func handle(_ key: some RawRepresentable<String>, _ handle: AttributeHandle) {
    json.key(key)
    json.raw(handle.description)
  }

  private mutating func text(_ key: some RawRepresentable<String>, _ value: String) {
    json.key(key)
    json.string(value)
  }
}
