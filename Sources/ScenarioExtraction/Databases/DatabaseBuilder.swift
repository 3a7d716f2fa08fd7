import ReplayScenarios
import SessionReconstruction

/// Makes a scenario's attributes from what discovery told and from what the traffic used.
struct DatabaseBuilder {
  private var declared = DiscoveredDatabase()
  private var contents: [AttributeHandle: [UInt8]] = [:]
  private var readErrors: [AttributeHandle: ATTErrorCode] = [:]
  private var writeErrors: [AttributeHandle: ATTErrorCode] = [:]
  private var readable = HandleSet()
  private var writable = HandleSet()
  private var usedHandles = HandleSet()
  private var told = HandleSet()
  /// Handles to which two-byte values of a CCCD were written.
  private var configured = HandleSet()
  /// The Database Hash as it was read by its type.
  private var hashRead: [UInt8]?
  /// What another file tells, and its name.
  private var sidecar: (file: String, attributes: [Attribute])?

  /// Adds what discovery told on one link.
  mutating func add(_ database: DiscoveredDatabase) { declared.merge(database) }

  /// Adds what these entries of one link used.
  mutating func add(_ builder: EntryBuilder, _ entries: Range<Int>) {
    for index in entries {
      let outline = builder.outlines[index]
      guard let handle = builder.recording.pdus[Int(outline.first)].attribute ?? (outline.action == .pdu ? AttributeHandle(0) : nil) else {
        continue
      }
      switch (outline.action, outline.isFromCentral) {
      case (.read, true):
        usedHandles.insert(handle)
        // Only the first value and what is not permitted count.
        if !readable.contains(handle) { learn(read: builder.entry(index), handle) }
      case (.readBlob, true), (.writeCommand, true): usedHandles.insert(handle)
      case (.write, true):
        usedHandles.insert(handle)
        if builder.recording.length(Int(outline.first)) == 5 || !writable.contains(handle) { learn(write: builder.entry(index), handle) }
      case (.notify, false), (.indicate, false):
        usedHandles.insert(handle)
        told.insert(handle)
      case (.pdu, true):
        let entry = builder.entry(index)
        if case .pdu(let request) = entry.action, case .pdu(let answer)? = entry.answer { learn(request, answer) }
      default: break
      }
    }
  }

  /// Adds all that another one knows of the same attributes, which is later.
  mutating func merge(_ later: DatabaseBuilder) {
    declared.merge(later.declared)
    contents.merge(later.contents) { first, _ in first }
    readErrors.merge(later.readErrors) { $1 }
    writeErrors.merge(later.writeErrors) { $1 }
    readable.formUnion(later.readable)
    writable.formUnion(later.writable)
    usedHandles.formUnion(later.usedHandles)
    told.formUnion(later.told)
    configured.formUnion(later.configured)
    hashRead = hashRead ?? later.hashRead
  }

  /// Whether what another one knows can be of the same attributes: no declaration contradicts, and the Database Hash is the same.
  func agrees(with later: DatabaseBuilder) -> Bool {
    if let hash, let other = later.hash, hash != other { return false }
    return declared.agrees(with: later.declared)
  }

  /// The value of the Database Hash characteristic, where it was read (Core 5.4, Vol 3, Part G, 7.3).
  private var hash: [UInt8]? {
    for (_, declaration) in declared.declarations {
      if case .characteristic(let uuid, _, let value) = declaration, uuid.short == 0x2B2A { return contents[value] ?? hashRead }
    }
    return hashRead
  }

  private mutating func learn(read entry: TimelineEntry, _ handle: AttributeHandle) {
    switch entry.answer {
    case .value(let value):
      readable.insert(handle)
      if contents[handle] == nil { contents[handle] = value }
    case .error(.readNotPermitted): readErrors[handle] = .readNotPermitted
    default: break
    }
  }

  private mutating func learn(write entry: TimelineEntry, _ handle: AttributeHandle) {
    if case .write(_, let value) = entry.action, value.count == 2, value[0] < 4, value[1] == 0 { configured.insert(handle) }
    switch entry.answer {
    case .ok: writable.insert(handle)
    case .error(.writeNotPermitted): writeErrors[handle] = .writeNotPermitted
    default: break
    }
  }

  /// Adds what another file tells of the same device; throws where it contradicts the capture.
  mutating func add(_ sidecar: DatabaseSidecar, capture: String) throws(SidecarError) {
    var sidecar = sidecar
    if let configuration = sidecar.configuration { sidecar.attributes = try placed(configuration, sidecar.file, capture) }
    let values = Set(
      declared.sorted.compactMap { if case .characteristic(_, _, let value) = $0.declaration { value } else { nil } })
    for attribute in sidecar.attributes {
      let handle = attribute.handle
      let here: String
      if let known = declared.declarations[handle], !Self.agree(known, attribute.kind) {
        here = Self.kind(of: known).words
      } else if Self.isDeclaration(attribute.kind), values.contains(handle) {
        here = "the value of a characteristic"
      } else if Self.isDeclaration(attribute.kind), told.contains(handle) || writable.contains(handle) {
        here = "an attribute that the traffic uses as a value"
      } else {
        continue
      }
      throw SidecarError(
        description: "handle \(handle) is \(here) in \(capture) and \(attribute.kind.words) in \(sidecar.file); "
          + "give a file of the same device with the same firmware")
    }
    self.sidecar = (sidecar.file, sidecar.attributes)
  }

  /// The attributes of a file without handles, where only one place is possible for them.
  private func placed(_ configuration: ServerConfiguration, _ file: String, _ capture: String) throws(SidecarError) -> [Attribute] {
    let evidence = ServerConfiguration.Evidence(
      told: told.handles, configured: configured.handles.filter(configuresWhatIsTold), written: writable.handles, read: readable.handles)
    let places = configuration.places(evidence).map(configuration.placed).filter { attributes in
      attributes.allSatisfy { attribute in declared.declarations[attribute.handle].map { Self.agree($0, attribute.kind) } ?? true }
    }
    guard places.count == 1, let only = places.first else {
      let firsts = places.compactMap { $0.first?.handle.description }.joined(separator: ", ")
      throw SidecarError(
        description: evidence.isEmpty
          ? "\(file): tells no handles, and \(capture) uses no value that would show where its attributes stand; give a scenario or a capture"
          : places.isEmpty
            ? "\(file): tells no handles, and nowhere does the order of its attributes fit what \(capture) uses; give a file of the same device"
            : "\(file): tells no handles, and its attributes may begin at \(firsts) for what \(capture) uses; give a scenario or a capture")
    }
    return only
  }

  private static func isDeclaration(_ kind: Attribute.Kind) -> Bool {
    switch kind {
    case .service, .include, .characteristic: true
    case .descriptor, .unknown: false
    }
  }

  private static func agree(_ known: DiscoveredDatabase.Declaration, _ kind: Attribute.Kind) -> Bool {
    switch (known, kind) {
    case (_, .unknown): true
    case (.service(let uuid, let primary, let end), .service(let other, let otherPrimary, let otherEnd)):
      uuid == other && primary == otherPrimary && end == otherEnd
    case (.include(let uuid, let start, let end), .include(let other, let otherStart, let otherEnd)):
      (uuid == other || uuid == nil || other == nil) && start == otherStart && end == otherEnd
    case (.characteristic(let uuid, let properties, let value), .characteristic(let other, let otherProperties, let otherValue)):
      uuid == other && properties == otherProperties && value == otherValue
    case (.typed(let uuid), .descriptor(let other)): uuid == other
    case (.typed(let uuid), _): DiscoveredDatabase.declarationTypes.contains(uuid) && isDeclaration(kind)
    default: false
    }
  }

  private static func kind(of declaration: DiscoveredDatabase.Declaration) -> Attribute.Kind {
    switch declaration {
    case .service(let uuid, let primary, let end): .service(uuid: uuid, primary: primary, end: end)
    case .include(let uuid, let start, let end): .include(uuid: uuid, start: start, end: end)
    case .characteristic(let uuid, let properties, let value): .characteristic(uuid: uuid, properties: properties, value: value)
    case .typed(let uuid): .descriptor(uuid: uuid)
    }
  }

  /// Values that Read By Type told.
  private mutating func learn(_ request: [UInt8], _ answer: [UInt8]) {
    guard case .readByTypeRequest(_, _, let type)? = try? ATTPDU(parsing: request),
      type.short.map({ !(0x2800...0x2803).contains($0) }) ?? true,
      case .readByTypeResponse(let list)? = try? ATTPDU(parsing: answer)
    else { return }
    for data in list where contents[data.handle] == nil { contents[data.handle] = data.value }
    if type.short == 0x2B2A { hashRead = list.first?.value }
  }

  /// Attributes in handle order.
  func attributes() -> [Attribute] {
    var attributes: [Attribute] = []
    var covered: Set<AttributeHandle> = []
    // What a damaged or hostile answer declares cannot stand in a database: handle 0, ranges that end before they begin.
    for (handle, declaration) in declared.sorted where Self.isPossible(handle, declaration) {
      covered.insert(handle)
      switch declaration {
      case .service(let uuid, let primary, let end):
        attributes.append(Attribute(handle: handle, kind: .service(uuid: uuid, primary: primary, end: end), provenance: .discovered))
      case .include(let uuid, let start, let end):
        attributes.append(Attribute(handle: handle, kind: .include(uuid: uuid, start: start, end: end), provenance: .discovered))
      case .characteristic(let uuid, let properties, let value):
        covered.insert(value)
        attributes.append(
          valued(
            Attribute(handle: handle, kind: .characteristic(uuid: uuid, properties: properties, value: value), provenance: .discovered),
            value))
      case .typed(let uuid):
        if uuid.short.map({ (0x2800...0x2803).contains($0) }) ?? false {
          attributes.append(Attribute(handle: handle, kind: .unknown, provenance: .discovered))
        } else {
          attributes.append(valued(Attribute(handle: handle, kind: .descriptor(uuid: uuid), provenance: .discovered), handle))
        }
      }
    }
    for attribute in sidecar?.attributes ?? [] where attribute.kind != .unknown && !covered.contains(attribute.handle) {
      covered.insert(attribute.handle)
      var handle = attribute.handle
      if case .characteristic(_, _, let value) = attribute.kind { handle = value }
      covered.insert(handle)
      // What the other file read then is not what this recording begins with.
      attributes.append(valued(Attribute(handle: attribute.handle, kind: attribute.kind, provenance: .sidecar), handle))
    }
    for handle in usedHandles.handles where handle.rawValue > 0 && !covered.contains(handle) {
      // A two-byte write right behind a value that is told on its own configures it.
      let isConfiguration = configured.contains(handle) && configuresWhatIsTold(handle)
      attributes.append(
        valued(
          Attribute(
            handle: handle, kind: isConfiguration ? .descriptor(uuid: BluetoothUUID(0x2902 as UInt16)) : .unknown,
            provenance: isConfiguration ? .inferred : .unknown), handle))
    }
    return attributes.sorted { $0.handle < $1.handle }
  }

  private func configuresWhatIsTold(_ handle: AttributeHandle) -> Bool {
    handle.rawValue > 1 && told.contains(AttributeHandle(handle.rawValue - 1))
  }

  private static func isPossible(_ handle: AttributeHandle, _ declaration: DiscoveredDatabase.Declaration) -> Bool {
    switch declaration {
    case .service(_, _, let end): handle.rawValue > 0 && end >= handle
    case .include(_, let start, let end): handle.rawValue > 0 && start.rawValue > 0 && end >= start
    case .characteristic(_, _, let value): handle.rawValue > 0 && value.rawValue > 0 && value != handle
    case .typed: handle.rawValue > 0
    }
  }

  private func valued(_ attribute: Attribute, _ handle: AttributeHandle) -> Attribute {
    var attribute = attribute
    attribute.content = contents[handle]
    if !readable.contains(handle) { attribute.readError = readErrors[handle] }
    if !writable.contains(handle) { attribute.writeError = writeErrors[handle] }
    return attribute
  }
}
