import CoreBluetooth
import ReplayTesting

/// A device that tells one value after the other, and an app that follows them.
enum Stream {
  /// After the subscription comes a value each millisecond: its number, in two bytes.
  static func scenario(values: Int) -> Scenario {
    let (value, configuration) = (AttributeHandle(3), AttributeHandle(4))
    let entries =
      [TimelineEntry(id: "on", at: .milliseconds(100), action: .write(configuration, [1, 0]), answer: .ok)]
      + (0..<values).map { number in
        TimelineEntry(
          at: .milliseconds(200 + number), origin: .peripheral,
          action: .notify(value, [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]),
          anchor: Anchor(number == 0 ? .entry("on") : .previous, delay: .milliseconds(1)))
      }
    return Scenario(
      device: Device(name: "Stream", mtu: 185),
      database: [
        Attribute(handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: configuration)),
        Attribute(
          handle: AttributeHandle(2), kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x10, value: value)),
        Attribute(handle: configuration, kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
      ], sessions: [Session(entries: entries)])
  }
}

/// Subscribes, counts, and ends when it has enough or the link is gone.
final class StreamApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private(set) var values: [Int] = []
  private(set) var isOver = false
  private let wanted: Int
  private let whenLost: (Int) -> Void
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?

  init(wanted: Int, whenLost: @escaping (Int) -> Void = { _ in }) {
    (self.wanted, self.whenLost) = (wanted, whenLost)
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    self.peripheral = peripheral
    central.stopScan()
    peripheral.delegate = self
    central.connect(peripheral)
  }
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { peripheral.discoverServices(nil) }
  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    whenLost(values.count)
    isOver = true
  }
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }
  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    for characteristic in service.characteristics ?? [] { peripheral.setNotifyValue(true, for: characteristic) }
  }
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    guard let value = characteristic.value, value.count == 2 else { return }
    values.append(Int(value[value.startIndex]) | Int(value[value.startIndex + 1]) << 8)
    if values.count == wanted { isOver = true }
  }
}
