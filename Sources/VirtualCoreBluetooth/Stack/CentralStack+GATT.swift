import BLEWire
import Foundation
import GATTStack
import ReplayEngine
import ReplayScenarios

/// What an app asks of a connected peripheral.
extension CentralStack {
  private func onLink(_ peripheral: CBPeripheral, _ body: @escaping @Sendable (PeripheralLink, AirCore) -> Void) {
    air.enqueue { air in
      guard let link = self.links[peripheral.device], link.number != nil else { return }
      body(link, air)
    }
  }

  /// Tells an outcome, unless the link is gone.
  private func finish(
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

  func readRSSI(_ peripheral: CBPeripheral) {
    onLink(peripheral) { _, air in
      let rssi = air.rssi(peripheral.index)
      self.tell("didReadRSSI", in: air) { _ in peripheral.delegate?.peripheral(peripheral, didReadRSSI: NSNumber(value: rssi), error: nil) }
    }
  }

  // MARK: - Discovery

  func discoverServices(_ peripheral: CBPeripheral, _ uuids: [CBUUID]) {
    let wanted = uuids.map(\.value)
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
      self.tell("didDiscoverServices", in: air) { _ in
        var services = peripheral.services ?? []
        for service in all where !services.contains(where: { $0.handle == service.start }) {
          services.append(
            CBService(uuid: CBUUID(service.uuid.shortened), start: service.start, end: service.end, isPrimary: true, peripheral: peripheral)
          )
        }
        peripheral.services = services.sorted { $0.handle < $1.handle }
        peripheral.delegate?.peripheral(peripheral, didDiscoverServices: nil)
      }
    }
  }

  func discoverIncludedServices(_ peripheral: CBPeripheral, _ uuids: [CBUUID], _ service: CBService) {
    onLink(peripheral) { link, air in
      link.run(.discoverIncludedServices(start: service.handle, end: service.end), in: air) { result, air in
        self.finish("didDiscoverIncludedServicesFor", result, in: air) { success, error in
          if case .includes(let list)? = success {
            let wanted = list.filter { include in uuids.isEmpty || uuids.contains { $0.value == include.uuid } }
            service.includedServices = wanted.compactMap { include in
              guard let uuid = include.uuid else { return nil }
              return peripheral.services?.first { $0.handle == include.start }
                ?? CBService(uuid: CBUUID(uuid.shortened), start: include.start, end: include.end, isPrimary: false, peripheral: peripheral)
            }
          }
          peripheral.delegate?.peripheral(peripheral, didDiscoverIncludedServicesFor: service, error: error)
        }
      }
    }
  }

  func discoverCharacteristics(_ peripheral: CBPeripheral, _ uuids: [CBUUID], _ service: CBService) {
    onLink(peripheral) { link, air in
      link.run(.discoverCharacteristics(start: service.handle, end: service.end), in: air) { result, air in
        var made: [CBCharacteristic] = []
        var declarations: [AttributeHandle] = []
        if case .success(.characteristics(let list)) = result {
          declarations = list.map(\.declaration)
          for found in list where uuids.isEmpty || uuids.contains(where: { $0.value == found.uuid }) {
            made.append(
              link.characteristics[found.value]
                ?? CBCharacteristic(
                  uuid: CBUUID(found.uuid.shortened), declaration: found.declaration, value: found.value, properties: found.properties,
                  service: service))
          }
          link.register(made)
        }
        let (characteristics, all) = (made, declarations)
        self.finish("didDiscoverCharacteristicsFor", result, in: air) { success, error in
          if success != nil {
            let old = (service.characteristics ?? []).filter { known in !characteristics.contains { $0 === known } }
            service.declarations = all
            service.characteristics = (old + characteristics).sorted { $0.handle < $1.handle }
          }
          peripheral.delegate?.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
        }
      }
    }
  }

  func discoverDescriptors(_ peripheral: CBPeripheral, _ characteristic: CBCharacteristic) {
    let range = characteristic.descriptorRange
    onLink(peripheral) { link, air in
      guard let range else {
        self.tell("didDiscoverDescriptorsFor", in: air) { _ in
          characteristic.descriptors = []
          peripheral.delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: nil)
        }
        return
      }
      link.run(.discoverDescriptors(start: range.start, end: range.end), in: air) { result, air in
        self.finish("didDiscoverDescriptorsFor", result, in: air) { success, error in
          if case .descriptors(let list)? = success {
            characteristic.descriptors = list.map {
              CBDescriptor(uuid: CBUUID($0.uuid.shortened), handle: $0.handle, characteristic: characteristic)
            }
            characteristic.configuration = list.first { $0.uuid.short == 0x2902 }?.handle
          }
          peripheral.delegate?.peripheral(peripheral, didDiscoverDescriptorsFor: characteristic, error: error)
        }
      }
    }
  }

  // MARK: - Values

  func read(_ peripheral: CBPeripheral, _ characteristic: CBCharacteristic) {
    onLink(peripheral) { link, air in
      link.run(.read(characteristic.handle), in: air) { result, air in
        self.finish("didUpdateValueFor", result, in: air) { success, error in
          if case .value(let value)? = success { characteristic.value = Data(value) }
          peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
        }
      }
    }
  }

  func read(_ peripheral: CBPeripheral, _ descriptor: CBDescriptor) {
    onLink(peripheral) { link, air in
      link.run(.read(descriptor.handle), in: air) { result, air in
        self.finish("didUpdateValueFor", result, in: air) { success, error in
          if case .value(let value)? = success { descriptor.value = descriptor.typed(value) }
          peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: error)
        }
      }
    }
  }

  func write(_ peripheral: CBPeripheral, _ value: [UInt8], _ characteristic: CBCharacteristic, _ type: CBCharacteristicWriteType) {
    onLink(peripheral) { link, air in
      if type == .withResponse {
        link.run(.write(characteristic.handle, value), in: air) { result, air in
          self.finish("didWriteValueFor", result, in: air) { _, error in
            peripheral.delegate?.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
          }
        }
        return
      }
      guard characteristic.properties.contains(.writeWithoutResponse) else {
        air.misuse.append(
          "WARNING: Characteristic \(characteristic.uuid) does not specify the \"Write Without Response\" property - ignoring response-less write"
        )
        return
      }
      guard value.count <= link.mtu - 3 else {
        air.misuse.append(
          "WARNING: a response-less write of \(value.count) bytes to \(characteristic.uuid) is longer than the \(link.mtu - 3) bytes that "
            + "maximumWriteValueLength tells, and was dropped")
        return
      }
      if !link.send(.writeCommand(handle: characteristic.handle, value: value), in: air) {
        air.misuse.append(
          "WARNING: a response-less write to \(characteristic.uuid) found no room and was dropped; canSendWriteWithoutResponse was false")
      }
    }
  }

  func write(_ peripheral: CBPeripheral, _ value: [UInt8], _ descriptor: CBDescriptor) {
    onLink(peripheral) { link, air in
      link.run(.write(descriptor.handle, value), in: air) { result, air in
        self.finish("didWriteValueFor", result, in: air) { _, error in
          peripheral.delegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
        }
      }
    }
  }

  // MARK: - Subscriptions

  func setNotify(_ peripheral: CBPeripheral, _ enabled: Bool, _ characteristic: CBCharacteristic) {
    let (range, configuration) = (characteristic.descriptorRange, characteristic.configuration)
    onLink(peripheral) { link, air in
      guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
        self.subscribed(.failure(.att(.requestNotSupported)), peripheral, enabled, characteristic, in: air)
        return
      }
      if let configuration { return self.configure(link, peripheral, configuration, enabled, characteristic, in: air) }
      guard let range else { return self.subscribed(.failure(.att(.attributeNotFound)), peripheral, enabled, characteristic, in: air) }
      // The descriptor is looked for first where the app has not done so.
      link.run(.discoverDescriptors(start: range.start, end: range.end), in: air) { result, air in
        guard case .success(.descriptors(let list)) = result else {
          return self.subscribed(result, peripheral, enabled, characteristic, in: air)
        }
        guard let descriptor = list.first(where: { $0.uuid.short == 0x2902 })?.handle else {
          return self.subscribed(.failure(.att(.attributeNotFound)), peripheral, enabled, characteristic, in: air)
        }
        self.configure(link, peripheral, descriptor, enabled, characteristic, in: air)
      }
    }
  }

  private func configure(
    _ link: PeripheralLink, _ peripheral: CBPeripheral, _ descriptor: AttributeHandle, _ enabled: Bool,
    _ characteristic: CBCharacteristic, in air: AirCore
  ) {
    let done: (GATTClient.Result, AirCore) -> Void = { result, air in
      if case .success = result { link.note(enabled, of: characteristic.handle) }
      self.subscribed(result, peripheral, enabled, characteristic, descriptor, in: air)
    }
    // The link is subscribed for as long as one manager is.
    if link.othersSubscribe(characteristic.handle) { return done(.success(.written), air) }
    // Notifications are chosen where a characteristic has both.
    let value: [UInt8] = enabled ? [characteristic.properties.contains(.notify) ? 1 : 2, 0] : [0, 0]
    link.run(.write(descriptor, value), in: air, done)
  }

  private func subscribed(
    _ result: GATTClient.Result, _ peripheral: CBPeripheral, _ enabled: Bool, _ characteristic: CBCharacteristic,
    _ descriptor: AttributeHandle? = nil, in air: AirCore
  ) {
    finish("didUpdateNotificationStateFor", result, in: air) { _, error in
      if let descriptor { characteristic.configuration = descriptor }
      if error == nil { characteristic.isNotifying = enabled }
      peripheral.delegate?.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
    }
  }
}
