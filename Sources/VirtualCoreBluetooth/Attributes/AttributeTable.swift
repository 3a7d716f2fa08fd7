import BLEWire
import GATTStack

/// The app's objects of one connection's attributes, and what the stack knows of them; only touched inside the air's lock.
///
/// An object that is not in the table is of an earlier connection, or was invalidated: its handles mean nothing any more.
final class AttributeTable: @unchecked Sendable {
  private var services: [AttributeHandle: CBService] = [:]
  private(set) var characteristics: [AttributeHandle: CBCharacteristic] = [:]
  private var descriptors: [AttributeHandle: CBDescriptor] = [:]
  /// Declarations of all of a service's characteristics, those that were not asked for too: they bound the descriptors of the one before.
  private var declarations: [AttributeHandle: [AttributeHandle]] = [:]
  /// Client Characteristic Configuration descriptors that were found, by the value that they are for.
  private var configurations: [AttributeHandle: AttributeHandle] = [:]
  /// Whether a value is subscribed to, and what was asked for and waits, in order.
  var subscriptions: [AttributeHandle: Bool] = [:]
  var waitingSubscriptions: [AttributeHandle: [Bool]] = [:]

  // MARK: - Objects

  /// The service at a place: the app's object of it, where it has one.
  func service(_ uuid: BluetoothUUID, _ start: AttributeHandle, _ end: AttributeHandle, isPrimary: Bool, of peripheral: CBPeripheral)
    -> CBService
  {
    if let known = services[start], known.uuid.value == uuid, known.end == end { return known }
    let new = CBService(uuid: CBUUID(uuid.shortened), start: start, end: end, isPrimary: isPrimary, peripheral: peripheral)
    services[start] = new
    return new
  }

  /// Keeps what was found in a service, and gives the app's objects of those that it asked for.
  func found(
    _ list: [GATTClient.FoundCharacteristic], in service: CBService, wanted: [BluetoothUUID]
  ) -> [CBCharacteristic] {
    declarations[service.handle] = list.map(\.declaration)
    return list.filter { wanted.isEmpty || wanted.contains($0.uuid) }.map { found in
      if let known = characteristics[found.value], known.uuid.value == found.uuid, known.service === service { return known }
      let new = CBCharacteristic(
        uuid: CBUUID(found.uuid.shortened), value: found.value, properties: found.properties, service: service)
      characteristics[found.value] = new
      return new
    }
  }

  /// The app's objects of the descriptors that were found.
  func found(_ list: [GATTClient.FoundDescriptor], of characteristic: CBCharacteristic) -> [CBDescriptor] {
    note(list, of: characteristic)
    return list.map { found in
      if let known = descriptors[found.handle], known.uuid.value == found.uuid, known.characteristic === characteristic { return known }
      let new = CBDescriptor(uuid: CBUUID(found.uuid.shortened), handle: found.handle, characteristic: characteristic)
      descriptors[found.handle] = new
      return new
    }
  }

  /// Keeps what is known of a value's descriptors.
  func note(_ list: [GATTClient.FoundDescriptor], of characteristic: CBCharacteristic) {
    configurations[characteristic.handle] = list.first { $0.uuid.short == 0x2902 }?.handle
  }

  func has(_ attribute: CBAttribute) -> Bool {
    switch attribute {
    case let service as CBService: services[service.handle] === service
    case let characteristic as CBCharacteristic: characteristics[characteristic.handle] === characteristic
    case let descriptor as CBDescriptor: descriptors[descriptor.handle] === descriptor
    default: false
    }
  }

  // MARK: - Places

  /// The handles at which a characteristic's descriptors can stand; `nil` where there is no room for one.
  func descriptorRange(of characteristic: CBCharacteristic) -> (start: AttributeHandle, end: AttributeHandle)? {
    guard let service = characteristic.service, characteristic.handle < service.end else { return nil }
    let next = (declarations[service.handle] ?? []).filter { $0 > characteristic.handle }.min()
    let end = next.map { AttributeHandle($0.rawValue - 1) } ?? service.end
    return end > characteristic.handle ? (AttributeHandle(characteristic.handle.rawValue + 1), end) : nil
  }

  /// What is subscribed to, in the order of the handles.
  var subscribed: [CBCharacteristic] {
    subscriptions.filter(\.value).keys.sorted().compactMap { characteristics[$0] }
  }

  func configuration(of characteristic: CBCharacteristic) -> AttributeHandle? { configurations[characteristic.handle] }

  // MARK: - Ends

  /// A connection has ended: what was subscribed to is not any more.
  func unsubscribeAll() { (subscriptions, waitingSubscriptions) = ([:], [:]) }

  /// Forgets every service that reaches into a range; tells which those were, and what they held.
  func invalidate(_ range: ClosedRange<AttributeHandle>) -> (services: [CBService], characteristics: [CBCharacteristic]) {
    let gone = services.values.filter { $0.handle <= range.upperBound && $0.end >= range.lowerBound }.sorted { $0.handle < $1.handle }
    var values: [CBCharacteristic] = []
    for service in gone {
      services[service.handle] = nil
      declarations[service.handle] = nil
      let reach = service.handle...service.end
      for (handle, characteristic) in characteristics where reach.contains(handle) {
        characteristics[handle] = nil
        (configurations[handle], subscriptions[handle], waitingSubscriptions[handle]) = (nil, nil, nil)
        values.append(characteristic)
      }
      descriptors = descriptors.filter { !reach.contains($0.key) }
    }
    return (gone, values)
  }
}
