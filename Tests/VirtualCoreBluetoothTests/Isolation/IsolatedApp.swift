import CoreBluetooth
import Foundation
import ReplayEngine

/// An app on a queue of its own that counts its calls, and those that come when its test is over.
final class IsolatedApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  // Only touched on `queue`, but for the guarded values.
  let queue: DispatchQueue
  private var manager: CBCentralManager?
  private var peripherals: [CBPeripheral] = []
  private let options: Options
  let calls = Guarded(0)
  let lateCalls = Guarded(0)
  let isOver = Guarded(false)
  let progress = Guarded<Set<Progress>>([])

  struct Options: Sendable {
    var duplicates = false
    var connects = true
    var reconnects = false
    var subscribes = false
    var writes = false
    var restoreIdentifier: String?
  }

  enum Progress: Sendable { case on, off, found, connected, again, ended, discovered, value, subscribed, told, written, restored }

  init(_ options: Options = Options()) {
    self.options = options
    queue = DispatchQueue(label: "isolated")
    super.init()
    let all = options.restoreIdentifier.map { [CBCentralManagerOptionRestoreIdentifierKey: $0 as Any] }
    queue.sync { manager = CBCentralManager(delegate: self, queue: queue, options: all) }
  }

  func has(_ step: Progress) -> Bool { progress.value.contains(step) }
  var weakManager: Weak<CBCentralManager> { queue.sync { Weak(manager) } }
  var weakPeripheral: Weak<CBPeripheral> { queue.sync { Weak(peripherals.first) } }

  struct Weak<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?
    init(_ object: Object?) { self.object = object }
  }

  /// What the app asks once more, when its test may be over.
  func ask() {
    queue.async { [self] in
      manager?.scanForPeripherals(withServices: nil)
      peripherals.first?.discoverServices(nil)
    }
  }

  private func called(_ step: Progress) {
    if isOver.value { lateCalls.withValue { $0 += 1 } }
    calls.withValue { $0 += 1 }
    progress.withValue { _ = $0.insert(step) }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    called(central.state == .poweredOn ? .on : .off)
    guard central.state == .poweredOn, peripherals.isEmpty || has(.off) else { return }
    central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: options.duplicates])
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    called(.restored)
    peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    called(.found)
    guard options.connects else { return }
    peripherals.append(peripheral)
    central.stopScan()
    central.connect(peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: options.reconnects])
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    called(has(.connected) ? .again : .connected)
    peripheral.delegate = self
    peripheral.discoverServices([CBUUID(string: "180D")])
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) { called(.ended) }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime, isReconnecting: Bool,
    error: (any Error)?
  ) {
    called(.ended)
    if !isReconnecting { central.connect(peripheral) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    called(.discovered)
    for characteristic in service.characteristics ?? [] {
      if characteristic.properties.contains(.read) { peripheral.readValue(for: characteristic) }
      if options.writes, characteristic.properties.contains(.write) {
        peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
      }
      if options.subscribes, characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    called(characteristic.isNotifying ? .told : .value)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) { called(.written) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { called(.subscribed) }
}
