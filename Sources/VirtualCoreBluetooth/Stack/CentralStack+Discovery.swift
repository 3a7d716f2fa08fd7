import BLEWire
import Foundation
import GATTStack
import ReplayEngine

/// Discovery: what an app asks for is searched on the link, and found objects stay the same ones while the connection lasts.
extension CentralStack {
  /// Does something on a link that is up, with an attribute of this connection where it is about one.
  func onLink(
    _ peripheral: CBPeripheral, about attribute: CBAttribute? = nil, _ body: @escaping @Sendable (PeripheralLink, AirCore) -> Void
  ) {
    air.enqueue { air in
      guard let link = self.links[peripheral.device], link.number != nil else { return }
      if let attribute, !link.attributes.has(attribute) {
        air.misuse.append("WARNING: \(attribute) is not a valid \(attribute.kind) for peripheral \(peripheral)")
        return
      }
      body(link, air)
    }
  }

  /// Tells an outcome, unless the link is gone.
  func finish(
    _ name: String, _ result: GATTClient.Result, in air: AirCore,
    _ body: @escaping @Sendable (GATTClient.Success?, (any Error)?) -> Void
  ) {
    switch result {
    case .success(let success): tell(name, in: air) { _ in body(success, nil) }
    case .failure(let failure):
      guard let error = ErrorMapping.procedure(failure) else { return }
      tell(name, in: air) { _ in body(nil, error) }
    }
  }

  // MARK: - Services

  func discoverServices(_ peripheral: CBPeripheral, _ uuids: [CBUUID]) {
    // A UUID that is named twice is looked for once.
    var named: Set<BluetoothUUID> = []
    let wanted = uuids.map(\.value).filter { named.insert($0).inserted }
    onLink(peripheral) { link, air in self.discover(wanted, found: [], of: peripheral, on: link, in: air) }
  }

  /// Looks for all services at once, or for one wanted UUID after the other.
  private func discover(
    _ wanted: [BluetoothUUID], found: [GATTClient.FoundService], of peripheral: CBPeripheral, on link: PeripheralLink, in air: AirCore
  ) {
    link.run(.discoverServices(wanted.first), in: air) { result, air in
      guard case .success(.services(let more)) = result else {
        self.finish("didDiscoverServices", result, in: air) { _, error in
          peripheral.delegate?.peripheral(peripheral, didDiscoverServices: error)
        }
        return
      }
      let all = found + more
      guard wanted.count <= 1 else { return self.discover(Array(wanted.dropFirst()), found: all, of: peripheral, on: link, in: air) }
      let services = all.map { link.attributes.service($0.uuid, $0.start, $0.end, isPrimary: true, of: peripheral) }
      let remembered = services.map { (service: $0, characteristics: link.remembered(in: $0)) }
      self.tell("didDiscoverServices", in: air) { _ in
        for (service, characteristics) in remembered {
          service.guardedIsPrimary.value = true
          if let characteristics { service.guardedCharacteristics.value = Self.joined(service.characteristics, characteristics) }
        }
        peripheral.guardedServices.value = Self.joined(peripheral.services, services)
        peripheral.delegate?.peripheral(peripheral, didDiscoverServices: nil)
      }
    }
  }

  func discoverIncludedServices(_ peripheral: CBPeripheral, _ uuids: [CBUUID], _ service: CBService) {
    let wanted = uuids.map(\.value)
    onLink(peripheral, about: service) { link, air in
      link.run(.discoverIncludedServices(start: service.handle, end: service.end), in: air) { result, air in
        var found: [CBService] = []
        if case .success(.includes(let list)) = result {
          for include in list {
            guard let uuid = include.uuid, wanted.isEmpty || wanted.contains(uuid) else { continue }
            found.append(link.attributes.service(uuid, include.start, include.end, isPrimary: false, of: peripheral))
          }
        }
        let included = found
        self.finish("didDiscoverIncludedServicesFor", result, in: air) { _, error in
          if error == nil { service.guardedIncludedServices.value = Self.joined(service.includedServices, included) }
          peripheral.delegate?.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: error)
        }
      }
    }
  }

  // MARK: - Characteristics and descriptors

  func discoverCharacteristics(_ peripheral: CBPeripheral, _ uuids: [CBUUID], _ service: CBService) {
    let wanted = uuids.map(\.value)
    onLink(peripheral, about: service) { link, air in
      link.run(.discoverCharacteristics(start: service.handle, end: service.end), in: air) { result, air in
        var found: [CBCharacteristic] = []
        if case .success(.characteristics(let list)) = result { found = link.attributes.found(list, in: service, wanted: wanted) }
        let characteristics = found
        self.finish("didDiscoverCharacteristicsFor", result, in: air) { _, error in
          if error == nil { service.guardedCharacteristics.value = Self.joined(service.characteristics, characteristics) }
          peripheral.delegate?.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
        }
      }
    }
  }

  func discoverDescriptors(_ peripheral: CBPeripheral, _ characteristic: CBCharacteristic) {
    onLink(peripheral, about: characteristic) { link, air in
      guard let range = link.attributes.descriptorRange(of: characteristic) else {
        self.tell("didDiscoverDescriptorsFor", in: air) { _ in
          characteristic.guardedDescriptors.value = []
          peripheral.delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: nil)
        }
        return
      }
      link.run(.discoverDescriptors(start: range.start, end: range.end), in: air) { result, air in
        var found: [CBDescriptor] = []
        if case .success(.descriptors(let list)) = result { found = link.attributes.found(list, of: characteristic) }
        let descriptors = found
        self.finish("didDiscoverDescriptorsFor", result, in: air) { _, error in
          if error == nil { characteristic.guardedDescriptors.value = descriptors }
          peripheral.delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
        }
      }
    }
  }

  /// What was found before and what was found now, each object once, in the order of their handles.
  private static func joined<Attribute: CBAttribute>(_ before: [Attribute]?, _ now: [Attribute]) -> [Attribute] {
    var seen: Set<ObjectIdentifier> = []
    return ((before ?? []) + now).filter { seen.insert(ObjectIdentifier($0)).inserted }.sorted { $0.handle < $1.handle }
  }
}

extension PeripheralLink {
  /// The characteristics that the phone remembers of a service.
  fileprivate func remembered(in service: CBService) -> [CBCharacteristic]? {
    let procedure = GATTClient.Procedure.discoverCharacteristics(start: service.handle, end: service.end)
    guard case .characteristics(let list)? = stack.host.cache.result(of: procedure, device, stack.conventions.discoveryCache) else {
      return nil
    }
    return attributes.found(list, in: service, wanted: [])
  }
}

extension CBAttribute {
  /// What it is, in a word.
  fileprivate var kind: String {
    switch self {
    case is CBService: "service"
    case is CBCharacteristic: "characteristic"
    default: "descriptor"
    }
  }
}
