import ReplayReports
import SessionReconstruction

/// A discovered attribute database as nested JSON: services, their characteristics, and the descriptors of those.
enum GATTJSON {
  /// The services in handle order; what lies in no known service stands in one whose members are null.
  static func services(_ database: DiscoveredDatabase?) -> JSONValue {
    guard let database else { return .array([]) }
    var services: [Service] = []
    for (handle, declaration) in database.sorted {
      switch declaration {
      case .service(let uuid, let primary, let end):
        services.append(Service(uuid: uuid, handle: handle, end: end, isPrimary: primary))
      default:
        if services.last.map({ $0.handle == nil || handle <= ($0.end ?? handle) }) != true { services.append(Service()) }
        services[services.count - 1].add(declaration, at: handle)
      }
    }
    return .array(services.map(\.json))
  }

  private struct Service {
    var uuid: BluetoothUUID?
    var handle: AttributeHandle?
    var end: AttributeHandle?
    var isPrimary: Bool?
    var includes: [JSONValue] = []
    var characteristics: [Characteristic] = []
    /// Attributes before the first characteristic whose type alone is known.
    var others: [JSONValue] = []

    mutating func add(_ declaration: DiscoveredDatabase.Declaration, at handle: AttributeHandle) {
      switch declaration {
      case .service: break
      case .include(let uuid, let start, let end):
        includes.append(
          .object([
            ("handle", .integer(Int(handle.rawValue))), ("uuid", .optional(uuid?.description)), ("start", .integer(Int(start.rawValue))),
            ("end", .integer(Int(end.rawValue))),
          ]))
      case .characteristic(let uuid, let properties, let value):
        characteristics.append(Characteristic(uuid: uuid, handle: handle, value: value, properties: properties))
      case .typed(let uuid):
        let attribute = JSONValue.object([("handle", .integer(Int(handle.rawValue))), ("uuid", .string(uuid.description))])
        if characteristics.isEmpty {
          others.append(attribute)
        } else {
          characteristics[characteristics.count - 1].descriptors.append(attribute)
        }
      }
    }

    var json: JSONValue {
      .object([
        ("uuid", .optional(uuid?.description)), ("handle", .optional(handle.map { Int($0.rawValue) })),
        ("end", .optional(end.map { Int($0.rawValue) })), ("primary", isPrimary.map { .bool($0) } ?? .null), ("includes", .array(includes)),
        ("characteristics", .array(characteristics.map(\.json))), ("attributes", .array(others)),
      ])
    }
  }

  private struct Characteristic {
    let uuid: BluetoothUUID
    let handle: AttributeHandle
    let value: AttributeHandle
    let properties: UInt8
    var descriptors: [JSONValue] = []

    var json: JSONValue {
      .object([
        ("uuid", .string(uuid.description)), ("handle", .integer(Int(handle.rawValue))), ("valueHandle", .integer(Int(value.rawValue))),
        ("properties", .array(propertyNames.map { .string($0) })), ("descriptors", .array(descriptors)),
      ])
    }

    /// Names of the property bits (Core 5.4, Vol 3, Part G, 3.3.1.1).
    private var propertyNames: [String] {
      let names = [
        "broadcast", "read", "writeWithoutResponse", "write", "notify", "indicate", "authenticatedSignedWrites", "extendedProperties",
      ]
      return names.enumerated().compactMap { properties & 1 << UInt8($0.offset) != 0 ? $0.element : nil }
    }
  }
}
