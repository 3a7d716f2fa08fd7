import BLEWire
import Foundation
import GATTStack
import ReplayEngine

/// Values: reads, and writes of both kinds; and the signal's strength.
extension CentralStack {
  func readRSSI(_ peripheral: CBPeripheral) {
    onLink(peripheral) { _, air in
      let rssi = NSNumber(value: air.rssi(peripheral.index))
      self.tell("didReadRSSI", in: air) { _ in
        peripheral.guardedRSSI.value = rssi
        peripheral.delegate?.peripheral(peripheral, didReadRSSI: rssi, error: nil)
      }
    }
  }

  // MARK: - Reads

  func read(_ peripheral: CBPeripheral, _ characteristic: CBCharacteristic) {
    onLink(peripheral, about: characteristic) { link, air in
      link.run(.read(characteristic.handle), in: air) { result, air in
        self.finish("didUpdateValueFor", result, in: air) { success, error in
          if case .value(let value)? = success { characteristic.guardedValue.value = Data(value) }
          peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
        }
      }
    }
  }

  func read(_ peripheral: CBPeripheral, _ descriptor: CBDescriptor) {
    onLink(peripheral, about: descriptor) { link, air in
      link.run(.read(descriptor.handle), in: air) { result, air in
        self.finish("didUpdateValueFor", result, in: air) { success, error in
          if case .value(let value)? = success { descriptor.guardedValue.value = descriptor.typed(value) }
          peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: error)
        }
      }
    }
  }

  // MARK: - Writes

  func write(_ peripheral: CBPeripheral, _ value: [UInt8], _ characteristic: CBCharacteristic) {
    onLink(peripheral, about: characteristic) { link, air in
      self.write(value, to: characteristic.handle, on: link, in: air) { error in
        peripheral.delegate?.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
      }
    }
  }

  func write(_ peripheral: CBPeripheral, _ value: [UInt8], _ descriptor: CBDescriptor) {
    onLink(peripheral, about: descriptor) { link, air in
      self.write(value, to: descriptor.handle, on: link, in: air) { error in
        peripheral.delegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
      }
    }
  }

  private func write(
    _ value: [UInt8], to handle: AttributeHandle, on link: PeripheralLink, in air: AirCore,
    _ ending: @escaping @Sendable ((any Error)?) -> Void
  ) {
    guard value.count <= AttributeDatabase.longestValue else {
      return finish("didWriteValueFor", .failure(.att(.invalidAttributeValueLength)), in: air) { _, error in ending(error) }
    }
    link.run(.write(handle, value), in: air) { result, air in
      self.finish("didWriteValueFor", result, in: air) { _, error in ending(error) }
    }
  }

  // MARK: - Writes without response

  /// Sends a command.
  func send(_ peripheral: CBPeripheral, _ value: [UInt8], _ characteristic: CBCharacteristic, _ turn: CommandQueue.Turn) {
    air.enqueue { air in
      guard let link = self.links[peripheral.device], link.number != nil else { return }
      if !self.send(value, characteristic, turn, on: link, in: air) { link.commandLeft(in: air) }
    }
  }

  /// Whether the command is with the link, which tells when it leaves.
  private func send(
    _ value: [UInt8], _ characteristic: CBCharacteristic, _ turn: CommandQueue.Turn, on link: PeripheralLink, in air: AirCore
  ) -> Bool {
    let (name, longest) = (characteristic.uuid.uuidString, link.mtu - 3)
    var value = value
    if !link.attributes.has(characteristic) {
      air.misuse.append("WARNING: \(characteristic) is not a valid characteristic for its peripheral")
    } else if !characteristic.properties.contains(.writeWithoutResponse) {
      air.misuse.append(
        "WARNING: Characteristic \(characteristic) does not specify the \"Write Without Response\" property - ignoring response-less write")
    } else if value.count > longest, conventions.longWritesWithoutResponse == .dropped {
      air.misuse.append(
        "WARNING: a response-less write of \(value.count) bytes to \(name) is longer than the \(longest) bytes that "
          + "maximumWriteValueLength tells, and was dropped")
    } else {
      value = Array(value.prefix(longest))
      if turn.hasRoom || conventions.writesWithoutRoom == .sent,
        link.send(.writeCommand(handle: characteristic.handle, value: value), in: air)
      {
        return true
      }
      air.misuse.append(
        "WARNING: response-less write \(turn.number) of the connection, to \(name), found no room and was dropped; "
          + "canSendWriteWithoutResponse was false")
    }
    return false
  }
}
