import CoreBluetooth
import Foundation

/// An app that connects to what it finds first, discovers all, reads, subscribes, and keeps each call that it gets, in words.
final class PlainCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var manager: CBCentralManager?
  private(set) var calls: [String] = []
  private(set) var peripheral: CBPeripheral?
  private(set) var characteristics: [String: CBCharacteristic] = [:]
  private(set) var signals: [Int] = []
  private(set) var identifiers: [UUID] = []
  /// What to do when all services were discovered.
  var whenDiscovered: ((PlainCentral, CBPeripheral) -> Void)?
  var whenOpened: ((CBL2CAPChannel) -> Void)?
  var whenReady: (() -> Void)?
  var retries = true
  var looksAtServices = true

  override init() {
    super.init()
    manager = CBCentralManager(delegate: self, queue: .main)
  }

  func hangUp() { if let peripheral { manager?.cancelPeripheralConnection(peripheral) } }

  func connectAgain() { if let peripheral { manager?.connect(peripheral) } }

  /// Looks for devices once more, and stays away from what it finds.
  func scanAgain() {
    isCurious = true
    manager?.scanForPeripherals(withServices: nil)
  }
  private var isCurious = false

  private func note(_ call: String, _ error: (any Error)? = nil) { calls.append(error == nil ? call : "\(call): \(words(error))") }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    note("state \(central.state.rawValue)")
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi: NSNumber
  ) {
    signals.append(rssi.intValue)
    if !identifiers.contains(peripheral.identifier) { identifiers.append(peripheral.identifier) }
    self.peripheral = peripheral
    if isCurious { return }
    central.stopScan()
    if peripheral.state == .disconnected { central.connect(peripheral) }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note("connected")
    peripheral.delegate = self
    if looksAtServices { peripheral.discoverServices(nil) }
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    note("failed", error)
    if retries { central.connect(peripheral) }
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    calls.append("disconnected: \(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    note("services", error)
    for service in looksAtServices ? peripheral.services ?? [] : [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    for characteristic in service.characteristics ?? [] { characteristics[characteristic.uuid.uuidString] = characteristic }
    if service === peripheral.services?.last {
      note("discovered", error)
      whenDiscovered?(self, peripheral)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("value \(characteristic.uuid)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("written \(characteristic.uuid)", error)
  }

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { note("name \(peripheral.name ?? "nil")") }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    note("modified \(invalidatedServices.map(\.uuid.uuidString))")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?) {
    note("included \(service.uuid.uuidString)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("descriptors \(characteristic.uuid.uuidString)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note("descriptor \(descriptor.uuid.uuidString)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    note("written descriptor \(descriptor.uuid.uuidString)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?) {
    note("notifying \(characteristic.uuid.uuidString) \(characteristic.isNotifying)", error)
  }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    note("opened \(channel.map { "\($0.psm)" } ?? "nothing")", error)
    if let channel { whenOpened?(channel) }
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI rssi: NSNumber, error: (any Error)?) { note("signal \(rssi)", error) }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    note("ready")
    whenReady?()
  }
}
