import CoreBluetooth
import Foundation

/// The plain part of an app: finds a device by its service, connects, looks for all of its characteristics, and keeps what it is told.
///
/// What makes an app of it is in the hooks of its subclasses. Everything happens on the main queue.
class FieldApp: NSObject, @unchecked Sendable {
  static let service = CBUUID(string: "FFE0")
  /// Tells values.
  static let stream = CBUUID(string: "FFE1")
  /// Takes commands, and is read.
  static let control = CBUUID(string: "FFE2")

  private(set) var central: CBCentralManager?
  private(set) var device: CBPeripheral?
  private(set) var connections = 0
  /// Why attempts and links ended.
  private(set) var ends: [NSError?] = []
  /// What was told, and what was read, in the order of the calls.
  var values: [UInt8] { delivered.compactMap(\.last) }
  var delivered: [[UInt8]] = []
  private(set) var errors: [NSError] = []
  private(set) var isReady = false
  private var undiscovered = 0
  /// What the user is told.
  var tell: (String) -> Void = { _ in }

  override init() {
    super.init()
    central = CBCentralManager(delegate: self, queue: nil)
  }

  // MARK: - What subclasses do otherwise

  /// Whether a device that was found is the wanted one.
  func accepts(_ peripheral: CBPeripheral, _ advertisement: [String: Any]) -> Bool { device == nil }
  /// The link is up.
  func connected(_ peripheral: CBPeripheral) { discover() }
  /// All characteristics are found.
  func ready() {}
  /// An attempt or a link has ended.
  func ended(_ error: NSError?) {}
  func told(_ characteristic: CBCharacteristic, _ value: [UInt8]) { delivered.append(value) }
  func written(_ characteristic: CBCharacteristic, _ error: NSError?) {}
  func notifies(_ characteristic: CBCharacteristic, _ error: NSError?) {}
  func refused(_ error: NSError) {}
  /// There is room again for writes without response.
  func roomAgain() {}
  func servicesChanged() {}
  func servicesFound() {
    undiscovered = device?.services?.count ?? 0
    for service in device?.services ?? [] { device?.discoverCharacteristics(nil, for: service) }
  }
  func includedServicesFound() {}
  func descriptorsFound() {}

  // MARK: - What they use

  func scan() { central?.scanForPeripherals(withServices: [Self.service]) }

  /// Takes a device for the one that the app is for.
  func take(_ peripheral: CBPeripheral) {
    device = peripheral
    peripheral.delegate = self
    central?.stopScan()
    connect()
  }

  func connect() { if let device { central?.connect(device) } }
  func disconnect() { if let device { central?.cancelPeripheralConnection(device) } }
  func discover() { device?.discoverServices(nil) }

  func characteristic(_ uuid: CBUUID) -> CBCharacteristic? {
    device?.services?.lazy.flatMap { $0.characteristics ?? [] }.first { $0.uuid == uuid }
  }

  func subscribe(_ uuid: CBUUID = FieldApp.stream) {
    if let characteristic = characteristic(uuid) { device?.setNotifyValue(true, for: characteristic) }
  }

  func read(_ uuid: CBUUID = FieldApp.control) {
    if let characteristic = characteristic(uuid) { device?.readValue(for: characteristic) }
  }

  func write(_ value: [UInt8], to uuid: CBUUID = FieldApp.control, type: CBCharacteristicWriteType = .withResponse) {
    if let characteristic = characteristic(uuid) { device?.writeValue(Data(value), for: characteristic, type: type) }
  }

  func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds, execute: body)
  }
}

extension FieldApp: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) { if central.state == .poweredOn { scan() } }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    if accepts(peripheral, advertisementData) { take(peripheral) }
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    connections += 1
    connected(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    end(peripheral, error)
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    end(peripheral, error)
  }

  private func end(_ peripheral: CBPeripheral, _ error: (any Error)?) {
    guard peripheral === device else { return }
    isReady = false
    ends.append(error as NSError?)
    ended(error as NSError?)
  }
}

extension FieldApp: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    if let error { return refuse(error) }
    servicesFound()
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    if let error { return refuse(error) }
    undiscovered -= 1
    guard undiscovered <= 0 else { return }
    isReady = true
    ready()
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?) {
    notifies(characteristic, error as NSError?)
    if let error { refuse(error) }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error { return refuse(error) }
    told(characteristic, [UInt8](characteristic.value ?? Data()))
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    written(characteristic, error as NSError?)
    if let error { refuse(error) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?) {
    if let error { refuse(error) } else { includedServicesFound() }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error { refuse(error) } else { descriptorsFound() }
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) { servicesChanged() }
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { roomAgain() }

  private func refuse(_ error: any Error) {
    errors.append(error as NSError)
    refused(error as NSError)
  }
}
