import BLEWire
public import Foundation
import ReplayEngine

// Apps look at these objects from any thread; they are changed on the manager's queue, right before the call that tells of it.

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
  public private(set) weak var peripheral: CBPeripheral?
  let guardedIsPrimary: Guarded<Bool>
  let guardedIncludedServices = Guarded<[CBService]?>(nil)
  let guardedCharacteristics = Guarded<[CBCharacteristic]?>(nil)
  let end: AttributeHandle

  /// Whether it is a primary service; one that was found as part of another counts as secondary until it is discovered.
  public var isPrimary: Bool { guardedIsPrimary.value }
  /// Services that were found to be included.
  public var includedServices: [CBService]? { guardedIncludedServices.value }
  /// Characteristics that were found.
  public var characteristics: [CBCharacteristic]? { guardedCharacteristics.value }

  init(uuid: CBUUID, start: AttributeHandle, end: AttributeHandle, isPrimary: Bool, peripheral: CBPeripheral) {
    self.end = end
    guardedIsPrimary = Guarded(isPrimary)
    self.peripheral = peripheral
    super.init(uuid: uuid, handle: start)
  }

  public override var description: String { "<CBService: isPrimary = \(isPrimary ? "YES" : "NO"), UUID = \(uuid)>" }
}

/// A characteristic of a service.
public class CBCharacteristic: CBAttribute, @unchecked Sendable {
  public private(set) weak var service: CBService?
  public let properties: CBCharacteristicProperties
  let guardedValue = Guarded<Data?>(nil)
  let guardedDescriptors = Guarded<[CBDescriptor]?>(nil)
  let guardedIsNotifying = Guarded(false)

  /// The value that was read or told last.
  public var value: Data? { guardedValue.value }
  /// Descriptors that were found.
  public var descriptors: [CBDescriptor]? { guardedDescriptors.value }
  /// Of iOS 5 to 7: later systems never set it.
  public var isBroadcasted: Bool { false }
  /// Whether notifications or indications are switched on.
  public var isNotifying: Bool { guardedIsNotifying.value }

  init(uuid: CBUUID, value: AttributeHandle, properties: UInt8, service: CBService) {
    self.properties = CBCharacteristicProperties(rawValue: UInt(properties))
    self.service = service
    super.init(uuid: uuid, handle: value)
  }

  public override var description: String {
    let value = value.map { "0x" + Hexadecimal.encode([UInt8]($0)) } ?? "(null)"
    return "<CBCharacteristic: UUID = \(uuid), properties = 0x\(String(properties.rawValue, radix: 16, uppercase: true)), "
      + "value = \(value), notifying = \(isNotifying ? "YES" : "NO")>"
  }
}

/// A descriptor of a characteristic.
public class CBDescriptor: CBAttribute, @unchecked Sendable {
  public private(set) weak var characteristic: CBCharacteristic?
  let guardedValue = Guarded<Any?>(nil)

  /// The value that was read last: `NSNumber` for 2900, 2902 and 2903, `String` for 2901, else `Data`.
  public var value: Any? { guardedValue.value }

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

  public override var description: String { "<CBDescriptor: UUID = \(uuid), value = \(value.map { "\($0)" } ?? "(null)")>" }
}
