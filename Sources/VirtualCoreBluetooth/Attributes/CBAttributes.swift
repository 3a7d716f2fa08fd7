import BLEWire
public import Foundation

/// What services, characteristics and descriptors have in common.
public class CBAttribute: NSObject, @unchecked Sendable {
  /// The attribute's type.
  public let uuid: CBUUID
  let handle: AttributeHandle

  init(uuid: CBUUID, handle: AttributeHandle) {
    self.uuid = uuid
    self.handle = handle
  }
}

/// A service of a peripheral; a new object for each connection.
public class CBService: CBAttribute, @unchecked Sendable {
  public internal(set) weak var peripheral: CBPeripheral?
  public let isPrimary: Bool
  public internal(set) var includedServices: [CBService]?
  public internal(set) var characteristics: [CBCharacteristic]?
  let end: AttributeHandle
  /// Declarations of all its characteristics, those that were not asked for too: they bound the descriptors of the one before.
  var declarations: [AttributeHandle] = []

  init(uuid: CBUUID, start: AttributeHandle, end: AttributeHandle, isPrimary: Bool, peripheral: CBPeripheral) {
    self.end = end
    self.isPrimary = isPrimary
    self.peripheral = peripheral
    super.init(uuid: uuid, handle: start)
  }
}

/// A characteristic of a service.
public class CBCharacteristic: CBAttribute, @unchecked Sendable {
  public internal(set) weak var service: CBService?
  public let properties: CBCharacteristicProperties
  /// The value that was read or told last.
  public internal(set) var value: Data?
  public internal(set) var descriptors: [CBDescriptor]?
  public internal(set) var isNotifying = false
  let declaration: AttributeHandle
  /// Handle of the Client Characteristic Configuration descriptor, once it was looked for.
  var configuration: AttributeHandle?

  init(uuid: CBUUID, declaration: AttributeHandle, value: AttributeHandle, properties: UInt8, service: CBService) {
    self.declaration = declaration
    self.properties = CBCharacteristicProperties(rawValue: UInt(properties))
    self.service = service
    super.init(uuid: uuid, handle: value)
  }

  /// The handles at which its descriptors can stand; `nil` where there is no room for one.
  var descriptorRange: (start: AttributeHandle, end: AttributeHandle)? {
    guard let service, handle < service.end else { return nil }
    let next = service.declarations.filter { $0 > handle }.min()
    let end = next.map { AttributeHandle($0.rawValue - 1) } ?? service.end
    return end > handle ? (AttributeHandle(handle.rawValue + 1), end) : nil
  }
}

/// A descriptor of a characteristic.
public class CBDescriptor: CBAttribute, @unchecked Sendable {
  public internal(set) weak var characteristic: CBCharacteristic?
  /// The value that was read last: `NSNumber` for 2900, 2902 and 2903, `String` for 2901, else `Data`.
  public internal(set) var value: Any?

  init(uuid: CBUUID, handle: AttributeHandle, characteristic: CBCharacteristic) {
    self.characteristic = characteristic
    super.init(uuid: uuid, handle: handle)
  }

  /// The bytes of a value in the type that its UUID asks for.
  func typed(_ bytes: [UInt8]) -> Any {
    switch uuid.value.short {
    case 0x2900, 0x2902, 0x2903: NSNumber(value: bytes.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) })
    case 0x2901: String(decoding: bytes, as: UTF8.self)
    default: Data(bytes)
    }
  }
}
