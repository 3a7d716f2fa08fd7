import CoreBluetooth
import Foundation

/// Stands between the framework and a sample: notes each call that the sample gets, in words, and passes it on.
///
/// It takes the place of the manager's delegate, and of each peripheral's as soon as the sample has set itself there.
final class CallRecorder: NSObject {
  private(set) var calls: [String] = []
  private(set) var peripherals: [CBPeripheral] = []
  private let central: any CBCentralManagerDelegate
  /// What the sample has set as a peripheral's delegate.
  private var ofPeripheral: (any CBPeripheralDelegate)?

  init(_ manager: CBCentralManager, _ central: any CBCentralManagerDelegate) {
    self.central = central
    super.init()
    manager.delegate = self
  }

  /// A sample that is a peripheral's delegate only.
  init(_ peripheral: CBPeripheral, _ delegate: any CBPeripheralDelegate) {
    central = Nobody()
    super.init()
    ofPeripheral = delegate
    peripheral.delegate = self
  }

  /// The calls without those of one name, which come as often as the radio brings them.
  func calls(without name: String) -> [String] { calls.filter { !$0.hasPrefix(name) } }

  /// The calls, each run of the same one only once.
  var distinct: [String] { calls.reduce(into: []) { list, call in if list.last != call { list.append(call) } } }

  /// A stored property of a sample, be it private.
  static func stored<Value>(_ name: String, of sample: Any) -> Value? {
    Mirror(reflecting: sample).children.first { $0.label == name }?.value as? Value
  }

  private final class Nobody: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  }

  private func note(_ call: String, _ error: (any Error)? = nil) {
    calls.append(error == nil ? call : "\(call) \(words(error))")
  }

  /// Passes a manager's call on; the sample may set a peripheral's delegate meanwhile.
  private func pass(_ peripheral: CBPeripheral, _ call: (any CBCentralManagerDelegate) -> Void) {
    if !peripherals.contains(where: { $0 === peripheral }) { peripherals.append(peripheral) }
    call(central)
    if let delegate = peripheral.delegate, delegate !== self {
      ofPeripheral = delegate
      peripheral.delegate = self
    }
  }
}

extension CallRecorder: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ manager: CBCentralManager) {
    note("centralManagerDidUpdateState \(manager.state)")
    central.centralManagerDidUpdateState(manager)
  }

  func centralManager(_ manager: CBCentralManager, willRestoreState dict: [String: Any]) {
    let restored = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
    note("willRestoreState \(restored.map { "\($0.state)" }.joined(separator: " "))")
    central.centralManager(manager, willRestoreState: dict)
    for peripheral in restored { pass(peripheral) { _ in } }
  }

  func centralManager(
    _ manager: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    note("didDiscover \(peripheral.name ?? "-")")
    pass(peripheral) { $0.centralManager(manager, didDiscover: peripheral, advertisementData: advertisementData, rssi: rssi) }
  }

  func centralManager(_ manager: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note("didConnect \(peripheral.state)")
    pass(peripheral) { $0.centralManager(manager, didConnect: peripheral) }
  }

  func centralManager(_ manager: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    note("didFailToConnect \(peripheral.state)", error)
    pass(peripheral) { $0.centralManager(manager, didFailToConnect: peripheral, error: error) }
  }

  func centralManager(_ manager: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    note("didDisconnectPeripheral \(peripheral.state)", error)
    pass(peripheral) { $0.centralManager(manager, didDisconnectPeripheral: peripheral, error: error) }
  }
}

extension CallRecorder: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    note("didDiscoverServices \((peripheral.services ?? []).map(\.uuid.uuidString.short).joined(separator: " "))", error)
    ofPeripheral?.peripheral(peripheral, didDiscoverServices: error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    note("didDiscoverCharacteristicsFor \(service.uuid.uuidString.short)", error)
    ofPeripheral?.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("didUpdateValueFor \(characteristic.uuid.uuidString.short)", error)
    ofPeripheral?.peripheral(peripheral, didUpdateValueFor: characteristic, error: error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("didWriteValueFor \(characteristic.uuid.uuidString.short)", error)
    ofPeripheral?.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("didUpdateNotificationStateFor \(characteristic.uuid.uuidString.short) \(characteristic.isNotifying)", error)
    ofPeripheral?.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
  }
}

extension String {
  /// The first part of a UUID.
  fileprivate var short: String { String(prefix { $0 != "-" }) }
}
