import BLEWire
import Foundation
import GATTStack
import ReplayEngine

/// What a phone does for itself on a link: it reads the device's name, finds out whether what it remembers of the device's attributes still
/// holds, and wants to be told of changed services.
extension HostLink {
  private static let deviceName = BluetoothUUID(0x2A00 as UInt16)
  private static let databaseHash = BluetoothUUID(0x2B2A as UInt16)
  private static let genericAttribute = BluetoothUUID(0x1801 as UInt16)

  /// Runs a procedure of the phone's own to its end; `nil` where it has none.
  private func ask(_ procedure: GATTClient.Procedure, in air: AirCore) -> GATTClient.Success? {
    guard let number else { return nil }
    var own = GATTClient()
    own.mtu = mtu
    var outputs = own.start(procedure, id: 0)
    while let output = outputs.first {
      switch output {
      case .send(let bytes):
        guard let answer = air.answer(toStack: bytes, on: number) else { return nil }
        outputs = own.receive(answer)
      case .finished(_, .success(let success)): return success
      case .finished, .received: return nil
      }
    }
    return nil
  }

  func introduce(in air: AirCore) {
    if case .attribute(let handle, let value)? = ask(.readByType(Self.deviceName), in: air) {
      // A name that fills the PDU may be longer.
      if value.count >= mtu - 4, case .value(let whole)? = ask(.read(handle), in: air) {
        named(whole, in: air)
      } else {
        named(value, in: air)
      }
    }
    if let service = genericAttribute(in: air) {
      if service.characteristics.contains(where: { $0.uuid == Self.databaseHash }) { readDatabaseHash(in: air) }
      subscribeToServiceChanged(of: service, in: air)
    }
  }

  private func named(_ value: [UInt8], in air: AirCore) {
    let name = String(decoding: value, as: UTF8.self)
    guard !name.isEmpty else { return }
    host.learn(name, of: device)
    for use in uses { use.named(name, in: air) }
  }

  // MARK: - Changed services

  private typealias GenericAttribute = (end: AttributeHandle, characteristics: [GATTClient.FoundCharacteristic])

  private func genericAttribute(in air: AirCore) -> GenericAttribute? {
    guard case .services(let services)? = ask(.discoverServices(Self.genericAttribute), in: air), let service = services.first,
      case .characteristics(let list)? = ask(.discoverCharacteristics(start: service.start, end: service.end), in: air)
    else { return nil }
    return (service.end, list)
  }

  /// Before apps ask for anything: whether what is remembered of the device's attributes still holds.
  func checkMemory(in air: AirCore) { if host.cache.hasHash(of: device) { readDatabaseHash(in: air) } }

  /// Another Database Hash than the last time tells that the attributes have changed meanwhile (Core 5.4, Vol 3, Part G, 7.3).
  private func readDatabaseHash(in air: AirCore) {
    guard case .attribute(_, let hash)? = ask(.readByType(Self.databaseHash), in: air) else { return }
    host.cache.note(databaseHash: hash, of: device)
  }

  private func subscribeToServiceChanged(of service: GenericAttribute, in air: AirCore) {
    let list = service.characteristics
    guard let value = list.first(where: { $0.uuid.short == 0x2A05 })?.value else { return }
    serviceChanged = value
    host.cache.noteServiceChanged(of: device)
    let end = list.map(\.declaration).filter { $0 > value }.min().map { AttributeHandle($0.rawValue - 1) } ?? service.end
    guard end > value,
      case .descriptors(let descriptors)? = ask(
        .discoverDescriptors(start: AttributeHandle(value.rawValue + 1), end: end), in: air),
      let descriptor = descriptors.first(where: { $0.uuid.short == 0x2902 })?.handle
    else { return }
    _ = ask(.write(descriptor, [2, 0]), in: air)
  }

  /// The device tells that attributes in a range have changed (Core 5.4, Vol 3, Part G, 7.1); tells whether this was it.
  func takeServiceChanged(_ handle: AttributeHandle, _ value: [UInt8], in air: AirCore) -> Bool {
    guard handle == serviceChanged, value.count == 4 else { return false }
    let start = AttributeHandle(UInt16(value[0]) | UInt16(value[1]) << 8)
    let end = AttributeHandle(UInt16(value[2]) | UInt16(value[3]) << 8)
    guard start <= end else { return true }
    host.cache.forget(device)
    for use in uses { use.servicesChanged(start...end, in: air) }
    // It may itself stand elsewhere now.
    if start <= handle, handle <= end, let service = genericAttribute(in: air) { subscribeToServiceChanged(of: service, in: air) }
    return true
  }
}

extension PeripheralLink {
  /// The device's own name is known.
  func named(_ name: String, in air: AirCore) {
    guard let peripheral else { return }
    stack.tell("peripheralDidUpdateName", in: air) { _ in
      guard peripheral.name != name else { return }
      peripheral.guardedName.value = name
      peripheral.delegate?.peripheralDidUpdateName(peripheral)
    }
  }

  /// Services are not what they were; an app that has looked at none has nothing to forget.
  func servicesChanged(_ range: ClosedRange<AttributeHandle>, in air: AirCore) {
    let (services, characteristics) = attributes.invalidate(range)
    guard let peripheral else { return }
    stack.tell("didModifyServices", in: air) { _ in
      guard let known = peripheral.services else { return }
      for characteristic in characteristics { characteristic.guardedIsNotifying.value = false }
      peripheral.guardedServices.value = known.filter { service in !services.contains { $0 === service } }
      peripheral.delegate?.peripheral(peripheral, didModifyServices: services)
    }
  }
}
