import CoreBluetooth

/// An app that goes about it otherwise than the recorded one: it asks for its services one by one from the last, looks at
/// descriptors, subscribes first and reads last, and reads a value twice.
final class BackwardsCentral: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private static let order = ["5A0E0001-7C43-4D1B-9E0F-3B1D6E8A2C70", "180A", "180F", "180D"].map { CBUUID(string: $0) }
  private var central: CBCentralManager?
  private var strap: CBPeripheral?
  private var open = 0
  private(set) var values: [String: [Data]] = [:]
  private(set) var descriptors: [String: [String]] = [:]
  private(set) var written = 0
  private(set) var errors: [any Error] = []
  private(set) var isDisconnected = false

  override init() {
    super.init()
    central = CBCentralManager(delegate: self, queue: DispatchQueue(label: "backwards"))
  }

  func hangUp() { if let strap { central?.cancelPeripheralConnection(strap) } }

  private func characteristic(_ uuid: String) -> CBCharacteristic? {
    strap?.services?.flatMap { $0.characteristics ?? [] }.first { $0.uuid == CBUUID(string: uuid) }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard strap == nil, advertisementData[CBAdvertisementDataLocalNameKey] as? String == "Heart Strap" else { return }
    strap = peripheral
    central.stopScan()
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { peripheral.discoverServices(Self.order) }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    if let error { errors.append(error) }
    isDisconnected = true
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for uuid in Self.order {
      for service in peripheral.services ?? [] where service.uuid == uuid {
        open += 1
        peripheral.discoverCharacteristics(nil, for: service)
      }
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    for characteristic in service.characteristics ?? [] { peripheral.discoverDescriptors(for: characteristic) }
    open -= 1
    guard open == 0 else { return }
    for uuid in ["5A0E0003-7C43-4D1B-9E0F-3B1D6E8A2C70", "2A37"] {
      if let value = characteristic(uuid) { peripheral.setNotifyValue(true, for: value) }
    }
    for uuid in ["2A29", "2A19", "2A38", "2A29"] { if let value = characteristic(uuid) { peripheral.readValue(for: value) } }
    if let point = characteristic("2A39") { peripheral.writeValue(Data([1]), for: point, type: .withResponse) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard error == nil, characteristic.uuid != CBUUID(string: "2A37"),
      let command = self.characteristic("5A0E0002-7C43-4D1B-9E0F-3B1D6E8A2C70")
    else { return }
    peripheral.writeValue(Data([0x01, 0x10, 0x05]), for: command, type: .withoutResponse)
    peripheral.writeValue(Data([0x02, 0x22, 0x05]), for: command, type: .withoutResponse)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?) {
    descriptors[characteristic.uuid.uuidString] = (characteristic.descriptors ?? []).map(\.uuid.uuidString)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error { return errors.append(error) }
    values[characteristic.uuid.uuidString, default: []].append(characteristic.value ?? Data())
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error { return errors.append(error) }
    written += 1
  }
}
