/// What makes an attribute's values secret.
package enum SecretKind: Sendable {
  /// A device's name, also in parts.
  case name
  /// A serial number or a System ID, which is looked for wherever it may stand.
  case serial
  /// What somebody chose.
  case chosen

  /// Device Name; Serial Number String and System ID; what is chosen.
  package static func of(_ type: BluetoothUUID, chosen: Set<BluetoothUUID> = []) -> SecretKind? {
    switch type.short {
    case 0x2A00: .name
    case 0x2A25, 0x2A23: .serial
    default: chosen.contains(type) ? .chosen : nil
    }
  }

  /// The secret values of a database, by their handles; `handles` and `types` choose more of them.
  package static func values(
    in database: [Attribute], handles: Set<AttributeHandle> = [], types: Set<BluetoothUUID> = []
  ) -> [AttributeHandle: SecretKind] {
    let chosen = handles.union(ScenarioTrim.values(of: types, withDescriptors: false, in: database))
    var found = Dictionary(chosen.map { ($0, SecretKind.chosen) }) { first, _ in first }
    for attribute in database {
      if case .characteristic(let uuid, _, let value) = attribute.kind, let kind = of(uuid) { found[value] = kind }
    }
    return found
  }
}

extension Pseudonyms {
  /// What stands for a value, or for the part of it that begins at `offset`; without a kind only what is secret elsewhere is replaced in it.
  package mutating func value(_ value: [UInt8], _ kind: SecretKind?, at offset: Int = 0) -> [UInt8] {
    switch kind {
    case .name: part(ofName: value, at: offset)
    case .serial, .chosen: self.value(value)
    case nil: replaced(value)
    }
  }
}
