import ReplayScenarios
import SessionReconstruction

/// Whose values are secret, by link and server.
struct SecretValues {
  private var values: [Int: [LinkRole: [AttributeHandle: SecretKind]]] = [:]
  private let types: Set<BluetoothUUID>

  /// `databases` has the attributes of the peripherals, with the numbers of the links on which they were seen.
  init(_ links: [Link], _ databases: [(links: [Int], [[Attribute]])], handles: Set<AttributeHandle>, types: Set<BluetoothUUID>) {
    self.types = types
    for (numbers, databases) in databases {
      var found = SecretKind.values(in: [], handles: handles)
      for database in databases { found.merge(SecretKind.values(in: database, types: types)) { first, _ in first } }
      for number in numbers { values[number, default: [:]][.peripheral] = found }
    }
    // The captured host is a server, too: a phone tells its owner's name.
    for link in links {
      for role in LinkRole.allCases {
        let earlier = link.earlierDatabases.filter { $0.server == role }.map(\.attributes)
        for database in [link.databases[role]].compactMap({ $0 }) + earlier {
          for (_, declaration) in database.declarations {
            guard case .characteristic(let uuid, _, let value) = declaration, let kind = SecretKind.of(uuid, chosen: types) else {
              continue
            }
            values[link.index, default: [:]][role, default: [:]][value] = kind
          }
        }
      }
    }
  }

  func kind(_ handle: AttributeHandle, _ link: Int, _ server: LinkRole) -> SecretKind? { values[link]?[server]?[handle] }

  /// What a request by type got is as secret as its type, also where no database tells.
  func kind(of place: ValuePlace, _ link: Int, _ server: LinkRole) -> SecretKind? {
    place.kind(chosen: types) { kind($0, link, server) }
  }
}
