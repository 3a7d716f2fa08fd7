import CoreBluetooth
import Foundation

/// A delegate that keeps each call that it gets, in words, and does what the test gives it to do.
final class RecordingApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  /// Made with the app; it may be let go of.
  var made: CBCentralManager?
  var manager: CBCentralManager { made ?? CBCentralManager() }
  var calls: [String] = []
  var found: [CBPeripheral] = []
  var advertisements: [[String: Any]] = []
  var restored: [String: Any] = [:]
  var whenOn: (CBCentralManager) -> Void = { _ in }
  var whenFound: (CBCentralManager, CBPeripheral) -> Void = { _, _ in }
  var whenConnected: (CBPeripheral) -> Void = { _ in }
  var whenDiscovered: (CBPeripheral) -> Void = { _ in }
  var whenEnded: (CBCentralManager, CBPeripheral) -> Void = { _, _ in }

  init(queue: DispatchQueue? = nil, options: [String: Any]? = nil) {
    super.init()
    made = CBCentralManager(delegate: self, queue: queue, options: options)
  }

  /// Connects to what is found first and looks for all services and their characteristics.
  static func connecting(options: [String: Any]? = nil, managerOptions: [String: Any]? = nil) -> RecordingApp {
    let app = RecordingApp(options: managerOptions)
    app.whenOn = { $0.scanForPeripherals(withServices: nil) }
    app.whenFound = { manager, peripheral in
      guard peripheral.state == .disconnected else { return }
      manager.stopScan()
      manager.connect(peripheral, options: options)
    }
    app.whenConnected = { $0.discoverServices(nil) }
    return app
  }

  var peripheral: CBPeripheral? { found.first }

  func characteristic(_ uuid: String) -> CBCharacteristic? {
    found.lazy.flatMap { $0.services ?? [] }.flatMap { $0.characteristics ?? [] }.first { $0.uuid.uuidString == uuid }
  }

  func has(_ prefix: String, _ count: Int = 1) -> Bool { calls.filter { $0.hasPrefix(prefix) }.count >= count }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    calls.append("state \(central.state)")
    if central.state == .poweredOn { whenOn(central) }
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    calls.append("restore")
    restored = dict
    found += dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    calls.append("found \(peripheral.name ?? "-") \(rssi)")
    advertisements.append(advertisementData)
    if !found.contains(where: { $0 === peripheral }) { found.append(peripheral) }
    whenFound(central, peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    calls.append("connected")
    peripheral.delegate = self
    whenConnected(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    calls.append("failed \(words(error))")
    whenEnded(central, peripheral)
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    calls.append("ended \(words(error))")
    whenEnded(central, peripheral)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime, isReconnecting: Bool,
    error: (any Error)?
  ) {
    calls.append("ended \(words(error))\(isReconnecting ? ", reconnecting" : "") at \(timestamp)")
    whenEnded(central, peripheral)
  }

  func centralManager(_ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral) {
    calls.append("event \(event)")
    if !found.contains(where: { $0 === peripheral }) { found.append(peripheral) }
  }

  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
    calls.append("ancs \(peripheral.ancsAuthorized)")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    calls.append("services \(words(error))")
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    guard service === peripheral.services?.last else { return }
    calls.append("discovered \(words(error))")
    whenDiscovered(peripheral)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    let value = characteristic.value.map { $0.map { String(format: "%02x", $0) }.joined() } ?? "-"
    calls.append("value \(characteristic.uuid.uuidString) \(error == nil ? value : words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    calls.append("written \(characteristic.uuid.uuidString) \(words(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    calls.append("subscribed \(characteristic.isNotifying) \(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI rssi: NSNumber, error: (any Error)?) { calls.append("signal \(rssi)") }
}
