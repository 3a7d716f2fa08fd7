import ReplayScenarios
import SessionReconstruction

/// Whose values are secret, by link and server.
struct SecretValues {
  enum Kind { case name, other }
  private var values: [Int: [LinkRole: [AttributeHandle: Kind]]] = [:]
  private let types: Set<BluetoothUUID>

  /// Device Name; Serial Number String and System ID.
  static func kind(of type: BluetoothUUID, _ chosen: Set<BluetoothUUID>) -> Kind? {
    if type.short == 0x2A00 { return .name }
    return type.short.map { [0x2A25, 0x2A23].contains($0) } == true || chosen.contains(type) ? .other : nil
  }

  /// `databases` has the attributes of the peripherals, with the numbers of the links on which they were seen.
  init(_ links: [Link], _ databases: [(links: [Int], [[Attribute]])], handles: Set<AttributeHandle>, types: Set<BluetoothUUID>) {
    self.types = types
    for (numbers, databases) in databases {
      var found: [AttributeHandle: Kind] = [:]
      for handle in handles { found[handle] = .other }
      for database in databases {
        for handle in ScenarioTrim.values(of: types, withDescriptors: false, in: database) { found[handle] = .other }
        for attribute in database {
          guard case .characteristic(let uuid, _, let value) = attribute.kind else { continue }
          if let kind = Self.kind(of: uuid, []) { found[value] = kind }
        }
      }
      for number in numbers { values[number, default: [:]][.peripheral] = found }
    }
    // The captured host is a server, too: a phone tells its owner's name.
    for link in links {
      for role in LinkRole.allCases {
        let earlier = link.earlierDatabases.filter { $0.server == role }.map(\.attributes)
        for database in [link.databases[role]].compactMap({ $0 }) + earlier {
          for (_, declaration) in database.declarations {
            guard case .characteristic(let uuid, _, let value) = declaration, let kind = Self.kind(of: uuid, types) else { continue }
            values[link.index, default: [:]][role, default: [:]][value] = kind
          }
        }
      }
    }
  }

  func kind(_ handle: AttributeHandle, _ link: Int, _ server: LinkRole) -> Kind? { values[link]?[server]?[handle] }
  func kind(ofType type: BluetoothUUID) -> Kind? { Self.kind(of: type, types) }
}
