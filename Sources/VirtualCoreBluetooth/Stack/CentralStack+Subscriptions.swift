import BLEWire
import Foundation
import GATTStack
import ReplayEngine

/// Notifications and indications.
extension CentralStack {
  func setNotify(_ peripheral: CBPeripheral, _ enabled: Bool, _ characteristic: CBCharacteristic) {
    onLink(peripheral, about: characteristic) { link, air in
      guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
        self.tellSubscribed(.failure(.att(.requestNotSupported)), enabled, characteristic, of: link, in: air)
        return
      }
      // One after the other, so that each finds the state that the one before it left.
      if link.attributes.waitingSubscriptions[characteristic.handle] != nil {
        link.attributes.waitingSubscriptions[characteristic.handle]?.append(enabled)
      } else {
        self.beginSubscribing(enabled, characteristic, on: link, in: air)
      }
    }
  }

  private func beginSubscribing(_ enabled: Bool, _ characteristic: CBCharacteristic, on link: PeripheralLink, in air: AirCore) {
    let attributes = link.attributes
    // What is so already needs no request.
    guard attributes.subscriptions[characteristic.handle, default: false] != enabled else {
      return repeated(enabled, characteristic, on: link, in: air)
    }
    if attributes.waitingSubscriptions[characteristic.handle] == nil { attributes.waitingSubscriptions[characteristic.handle] = [] }
    if let configuration = attributes.configuration(of: characteristic) {
      return configure(configuration, enabled, characteristic, on: link, in: air)
    }
    guard let range = attributes.descriptorRange(of: characteristic) else {
      return subscribed(.failure(.att(.attributeNotFound)), enabled, characteristic, on: link, in: air)
    }
    // The descriptor is looked for first where the app has not done so.
    link.run(.discoverDescriptors(start: range.start, end: range.end), in: air) { result, air in
      guard case .success(.descriptors(let list)) = result else {
        return self.subscribed(result, enabled, characteristic, on: link, in: air)
      }
      attributes.note(list, of: characteristic)
      guard let configuration = attributes.configuration(of: characteristic) else {
        return self.subscribed(.failure(.att(.attributeNotFound)), enabled, characteristic, on: link, in: air)
      }
      self.configure(configuration, enabled, characteristic, on: link, in: air)
    }
  }

  private func configure(
    _ descriptor: AttributeHandle, _ enabled: Bool, _ characteristic: CBCharacteristic, on link: PeripheralLink, in air: AirCore
  ) {
    let done: (GATTClient.Result, AirCore) -> Void = { result, air in
      if case .success = result { link.attributes.subscriptions[characteristic.handle] = enabled }
      self.subscribed(result, enabled, characteristic, on: link, in: air)
    }
    // The link is subscribed for as long as one manager is.
    if link.othersSubscribe(characteristic.handle) { return done(.success(.written), air) }
    link.run(.write(descriptor, Self.configuration(enabled, characteristic)), in: air, done)
  }

  /// Notifications are chosen where a characteristic has both.
  private static func configuration(_ enabled: Bool, _ characteristic: CBCharacteristic) -> [UInt8] {
    enabled ? [characteristic.properties.contains(.notify) ? 1 : 2, 0] : [0, 0]
  }

  /// What is asked for is so already.
  private func repeated(_ enabled: Bool, _ characteristic: CBCharacteristic, on link: PeripheralLink, in air: AirCore) {
    if let number = link.number, let descriptor = link.attributes.configuration(of: characteristic) {
      air.passRepeatedSubscription(descriptor, Self.configuration(enabled, characteristic), on: number)
    }
    tellSubscribed(.success(.written), enabled, characteristic, of: link, in: air)
  }

  /// One request is over; the next that waits begins.
  private func subscribed(
    _ result: GATTClient.Result, _ enabled: Bool, _ characteristic: CBCharacteristic, on link: PeripheralLink, in air: AirCore
  ) {
    tellSubscribed(result, enabled, characteristic, of: link, in: air)
    let attributes = link.attributes
    while let next = attributes.waitingSubscriptions[characteristic.handle]?.first {
      attributes.waitingSubscriptions[characteristic.handle]?.removeFirst()
      if attributes.subscriptions[characteristic.handle, default: false] != next {
        return beginSubscribing(next, characteristic, on: link, in: air)
      }
      repeated(next, characteristic, on: link, in: air)
    }
    attributes.waitingSubscriptions[characteristic.handle] = nil
  }

  private func tellSubscribed(
    _ result: GATTClient.Result, _ enabled: Bool, _ characteristic: CBCharacteristic, of link: PeripheralLink, in air: AirCore
  ) {
    guard let peripheral = link.peripheral else { return }
    finish("didUpdateNotificationStateFor", result, in: air) { _, error in
      if error == nil { characteristic.guardedIsNotifying.value = enabled }
      peripheral.delegate?.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
    }
  }
}
