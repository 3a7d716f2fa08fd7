import GATTStack
import ReplayScenarios

/// A scenario's attributes in the forms that a replay looks them up by; handed on with every entry, so that it is one reference.
final class AttributeMap: Sendable {
  let database: AttributeDatabase
  /// The characteristic that a CCCD belongs to, by the handle of its value.
  let valueOfConfiguration: HandleTable<AttributeHandle>
  /// The CCCD of a characteristic, by the handle of its value.
  let configurationOfValue: HandleTable<AttributeHandle>
  /// The UUID of a characteristic's value or of a descriptor.
  let types: HandleTable<BluetoothUUID>
  /// Characteristic properties, by the handle of the value.
  let properties: HandleTable<UInt8>
  /// Match levels and policies that single attributes have, by the handle of the value.
  let matches: [AttributeHandle: MatchLevel]
  let policies: [AttributeHandle: UnmatchedPolicy]
  private let known: Set<AttributeHandle>
  /// Handles in the services Generic Access and Generic Attribute, which stacks use by themselves.
  private let stackRanges: [ClosedRange<UInt16>]

  init(_ attributes: [Attribute]) {
    var entries: [AttributeDatabase.Entry] = []
    var configurationOfValue = HandleTable<AttributeHandle>()
    var (types, properties) = (HandleTable<BluetoothUUID>(), HandleTable<UInt8>())
    var (matches, policies) = ([AttributeHandle: MatchLevel](), [AttributeHandle: UnmatchedPolicy]())
    var (known, stackRanges) = (Set<AttributeHandle>(), [ClosedRange<UInt16>]())
    let configurations = attributes.configurations
    valueOfConfiguration = HandleTable(configurations)
    for (descriptor, value) in configurations { configurationOfValue[value] = max(configurationOfValue[value] ?? descriptor, descriptor) }
    for attribute in attributes.sorted(by: { $0.handle < $1.handle }) {
      let value = if case .characteristic(_, _, let value) = attribute.kind { value } else { attribute.handle }
      if let match = attribute.match { matches[value] = match }
      if let policy = attribute.unmatched { policies[value] = policy }
      switch attribute.kind {
      case .service(let uuid, let primary, let end):
        entries.append(
          .init(
            handle: attribute.handle, type: primary ? AttributeDatabase.primaryService : AttributeDatabase.secondaryService,
            value: uuid.shortened.wireBytes, groupEnd: end))
        if uuid.short == 0x1800 || uuid.short == 0x1801, attribute.handle <= end {
          stackRanges.append(attribute.handle.rawValue...end.rawValue)
        }
      case .include(let uuid, let start, let end):
        var value = ByteWriter(capacity: 6)
        value.uint16(start.rawValue)
        value.uint16(end.rawValue)
        if let uuid, uuid.shortened.width == .bits16 { value.append(uuid.shortened.wireBytes) }
        entries.append(.init(handle: attribute.handle, type: AttributeDatabase.include, value: value.bytes))
      case .characteristic(let uuid, let flags, let value):
        var declaration = ByteWriter(capacity: 19)
        declaration.uint8(flags)
        declaration.uint16(value.rawValue)
        declaration.append(uuid.shortened.wireBytes)
        entries.append(.init(handle: attribute.handle, type: AttributeDatabase.characteristic, value: declaration.bytes))
        entries.append(
          .init(
            handle: value, type: uuid.shortened, value: attribute.content ?? [], readError: attribute.readError,
            writeError: attribute.writeError))
        if attribute.content != nil { known.insert(value) }
        types[value] = uuid
        properties[value] = flags
      case .descriptor(let uuid):
        entries.append(
          .init(
            handle: attribute.handle, type: uuid.shortened, value: attribute.content ?? [], readError: attribute.readError,
            writeError: attribute.writeError))
        if attribute.content != nil { known.insert(attribute.handle) }
        types[attribute.handle] = uuid
      case .unknown:
        entries.append(.init(handle: attribute.handle, type: nil, value: attribute.content ?? []))
      }
    }
    database = AttributeDatabase(entries)
    self.configurationOfValue = configurationOfValue
    (self.types, self.properties, self.matches, self.policies) = (types, properties, matches, policies)
    (self.known, self.stackRanges) = (known, stackRanges)
  }

  func isConfiguration(_ handle: AttributeHandle) -> Bool { valueOfConfiguration[handle] != nil }

  /// Whether a stack reads or writes the attribute without its app.
  func isStack(_ handle: AttributeHandle) -> Bool { stackRanges.contains { $0.contains(handle.rawValue) } }

  /// Whether the scenario tells the attribute's value, be it empty.
  func hasKnownValue(_ handle: AttributeHandle) -> Bool { known.contains(handle) }

  /// Of what was written to CCCDs while `other` held, that which holds here, too: of characteristics that stand where they stood.
  func kept(_ configuration: HandleTable<UInt16>, from other: AttributeMap) -> HandleTable<UInt16> {
    if other === self { return configuration }
    var kept = HandleTable<UInt16>()
    for (descriptor, value) in configuration.all {
      guard let attribute = valueOfConfiguration[descriptor], attribute == other.valueOfConfiguration[descriptor],
        types[attribute] == other.types[attribute]
      else { continue }
      kept[descriptor] = value
    }
    return kept
  }

  /// One that has nothing, for a database that does not exist.
  static let empty = AttributeMap([])

  /// The short name of an attribute for messages: its UUID, with its handle.
  func name(_ handle: AttributeHandle) -> String { types[handle].map { "\($0) (\(handle))" } ?? handle.description }
}

extension [AttributeMap] {
  /// The attributes of the database with a number, from 1.
  func map(_ number: Int) -> AttributeMap { number > 0 && number <= count ? self[number - 1] : .empty }
}
