import CoreBluetooth
import Foundation

/// An app that gets its calls on a queue of its own and does each thing after hops over main and back.
final class HoppingHeart: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  // Touched on the queue only.
  private let queue: DispatchQueue
  private var central: CBCentralManager?
  private var strap: CBPeripheral?
  private(set) var beats = 0

  init(queue: DispatchQueue) {
    self.queue = queue
    super.init()
    central = CBCentralManager(delegate: self, queue: queue)
  }

  private func hop(_ work: @escaping @Sendable () -> Void) {
    let queue = queue
    DispatchQueue.main.async { queue.async { DispatchQueue.main.async { queue.async { work() } } } }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { hop { self.central?.scanForPeripherals(withServices: nil) } }
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard strap == nil else { return }
    strap = peripheral
    peripheral.delegate = self
    hop { self.central?.connect(peripheral) }
  }
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { hop { self.strap?.discoverServices(nil) } }
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { hop { self.strap?.discoverCharacteristics(nil, for: service) } }
  }
  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    for characteristic in service.characteristics ?? [] {
      if characteristic.properties.contains(.notify) { hop { self.strap?.setNotifyValue(true, for: characteristic) } }
      if characteristic.properties.contains(.read) { hop { self.strap?.readValue(for: characteristic) } }
    }
  }
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if characteristic.uuid.uuidString == "2A37" { beats += 1 }
  }
}
