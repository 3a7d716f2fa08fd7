import ByteParsing

/// The AD structures of an advertising packet: `{ length(1) type(1) data(length−1) }*`.
///
/// A structure of length zero ends the data early; one that reaches past the end is kept as ``trailing``.
/// Source: Core 5.4, Vol 3, Part C, 11; Core Specification Supplement, Part A.
public struct AdvertisingData: Sendable, Hashable {
  /// One AD structure.
  public struct Structure: Sendable, Hashable {
    public var type: UInt8
    public var data: [UInt8]
    /// Pairs both.
    public init(type: UInt8, data: [UInt8]) { (self.type, self.data) = (type, data) }
  }

  public var structures: [Structure]
  /// Bytes that do not form a structure; zeros that fill a packet are not among them.
  public var trailing: [UInt8]

  /// Joins both.
  public init(structures: [Structure], trailing: [UInt8] = []) { (self.structures, self.trailing) = (structures, trailing) }

  /// Reads AD structures from any bytes.
  public init(parsing bytes: [UInt8]) {
    (structures, trailing) = ([], [])
    var index = 0
    while index < bytes.count, bytes[index] != 0 {
      let end = index + 1 + Int(bytes[index])
      guard end <= bytes.count else {
        trailing = Array(bytes[index...])
        return
      }
      structures.append(Structure(type: bytes[index + 1], data: Array(bytes[(index + 2)..<end])))
      index = end
    }
  }

  /// The AD structures as they go on the air.
  public var bytes: [UInt8] {
    structures.reduce(into: []) { bytes, structure in
      bytes.append(UInt8(truncatingIfNeeded: structure.data.count + 1))
      bytes.append(structure.type)
      bytes += structure.data
    } + trailing
  }

  /// The complete local name, else the shortened one; invalid UTF-8 is repaired.
  public var localName: String? {
    guard let structure = structures.first(where: { $0.type == 0x09 }) ?? structures.first(where: { $0.type == 0x08 }) else { return nil }
    return String(decoding: structure.data, as: UTF8.self)
  }

  /// Service UUIDs of all widths, complete and incomplete lists together, in order.
  public var serviceUUIDs: [BluetoothUUID] { uuids(short: [0x02, 0x03], middle: [0x04, 0x05], long: [0x06, 0x07]) }

  /// UUIDs of services that the advertiser looks for.
  public var solicitedServiceUUIDs: [BluetoothUUID] { uuids(short: [0x14], middle: [0x1F], long: [0x15]) }

  /// Service data by UUID, in order; structures too short for their UUID are passed over.
  public var serviceData: [(uuid: BluetoothUUID, data: [UInt8])] {
    structures.compactMap { structure in
      let width: Int
      switch structure.type {
      case 0x16: width = 2
      case 0x20: width = 4
      case 0x21: width = 16
      default: return nil
      }
      guard structure.data.count >= width, let uuid = BluetoothUUID(wire: Array(structure.data.prefix(width)).byteSpan) else { return nil }
      return (uuid, Array(structure.data.dropFirst(width)))
    }
  }

  /// Company identifier (two bytes, little-endian) and what follows; several structures are joined in order.
  public var manufacturerData: [UInt8]? {
    let parts = structures.filter { $0.type == 0xFF }
    return parts.isEmpty ? nil : parts.flatMap(\.data)
  }

  /// The transmit power in dBm.
  public var txPowerLevel: Int8? { structures.first { $0.type == 0x0A && $0.data.count == 1 }.map { Int8(bitPattern: $0.data[0]) } }

  /// The flags octet.
  public var flags: UInt8? { structures.first { $0.type == 0x01 }?.data.first }

  private func uuids(short: Set<UInt8>, middle: Set<UInt8>, long: Set<UInt8>) -> [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      let width = short.contains(structure.type) ? 2 : middle.contains(structure.type) ? 4 : long.contains(structure.type) ? 16 : 0
      guard width > 0 else { return [] }
      return stride(from: 0, through: structure.data.count - width, by: width).compactMap {
        BluetoothUUID(wire: Array(structure.data[$0..<($0 + width)]).byteSpan)
      }
    }
  }
}
