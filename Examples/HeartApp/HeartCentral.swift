import CoreBluetooth
import Foundation

/// The Bluetooth half of a small fitness app: it finds a heart-rate strap, reads what it is, follows the heart rate, resets the
/// energy count, asks the strap's own service two things, and comes back when the strap goes away.
///
/// Nothing in it knows of Understudy: it is compiled against Apple's framework on a phone and against the virtual one in tests.
public final class HeartCentral: NSObject {
  public static let heartRateService = CBUUID(string: "180D")
  public static let batteryService = CBUUID(string: "180F")
  static let heartRateMeasurement = CBUUID(string: "2A37")
  static let bodySensorLocation = CBUUID(string: "2A38")
  static let heartRateControlPoint = CBUUID(string: "2A39")
  static let batteryLevel = CBUUID(string: "2A19")
  static let manufacturerName = CBUUID(string: "2A29")
  static let strapCommand = CBUUID(string: "5A0E0002-7C43-4D1B-9E0F-3B1D6E8A2C70")
  static let strapReply = CBUUID(string: "5A0E0003-7C43-4D1B-9E0F-3B1D6E8A2C70")

  /// Heart rates that one session needs before the app asks for more.
  static let ratesBeforeReset = 8

  public private(set) var heartRates: [Int] = []
  public private(set) var location: UInt8?
  public private(set) var battery: UInt8?
  public private(set) var manufacturer: String?
  public private(set) var replies: [Data] = []
  public private(set) var errors: [any Error] = []
  public private(set) var disconnections: [(any Error)?] = []
  public private(set) var failedConnections: [(any Error)?] = []
  /// How often the heart rate was subscribed to.
  public private(set) var subscriptions = 0
  /// Whether the app has hung up by itself and wants nothing more.
  public private(set) var isIdle = false
  /// Whether the strap came back after it had gone.
  public var isReconnected: Bool { subscriptions > 1 && !disconnections.isEmpty }

  private var central: CBCentralManager?
  private var strap: CBPeripheral?
  private var ratesInSession = 0
  private var isStopping = false

  public override init() {
    super.init()
    central = CBCentralManager(delegate: self, queue: nil)
  }

  /// Ends the connection for good.
  public func stop() {
    isStopping = true
    if let strap { central?.cancelPeripheralConnection(strap) }
  }

  private func scan() { central?.scanForPeripherals(withServices: [Self.heartRateService], options: nil) }

  private func characteristic(_ uuid: CBUUID) -> CBCharacteristic? {
    strap?.services?.lazy.flatMap { $0.characteristics ?? [] }.first { $0.uuid == uuid }
  }
}

extension HeartCentral: CBCentralManagerDelegate {
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { scan() }
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard strap == nil || strap?.state == .disconnected else { return }
    strap = peripheral
    central.stopScan()
    central.connect(peripheral, options: nil)
  }

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    ratesInSession = 0
    peripheral.delegate = self
    peripheral.discoverServices(nil)
  }

  public func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    failedConnections.append(error)
    if !isStopping { central.connect(peripheral, options: nil) }
  }

  public func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    disconnections.append(error)
    if isStopping { isIdle = true } else { central.connect(peripheral, options: nil) }
  }
}

extension HeartCentral: CBPeripheralDelegate {
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    if let error { return errors.append(error) }
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  public func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    if let error { return errors.append(error) }
    for characteristic in service.characteristics ?? [] {
      switch characteristic.uuid {
      case Self.heartRateMeasurement: peripheral.setNotifyValue(true, for: characteristic)
      case Self.strapReply: if disconnections.isEmpty { peripheral.setNotifyValue(true, for: characteristic) }
      case Self.bodySensorLocation: if location == nil { peripheral.readValue(for: characteristic) }
      case Self.manufacturerName: if manufacturer == nil { peripheral.readValue(for: characteristic) }
      case Self.batteryLevel: peripheral.readValue(for: characteristic)
      default: break
      }
    }
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if let error { return errors.append(error) }
    if characteristic.uuid == Self.heartRateMeasurement { subscriptions += 1 }
  }

  public func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error { return errors.append(error) }
    guard let value = characteristic.value else { return }
    switch characteristic.uuid {
    case Self.heartRateMeasurement: heartRate(value, peripheral)
    case Self.bodySensorLocation: location = value.first
    case Self.batteryLevel: battery = value.first
    case Self.manufacturerName: manufacturer = String(decoding: value, as: UTF8.self)
    case Self.strapReply: replies.append(value)
    default: break
    }
  }

  /// Flags (bit 0: 16-bit rate), then the rate.
  private func heartRate(_ value: Data, _ peripheral: CBPeripheral) {
    let bytes = [UInt8](value)
    guard bytes.count >= 2 else { return }
    heartRates.append(bytes[0] & 1 == 0 ? Int(bytes[1]) : bytes.count > 2 ? Int(bytes[1]) | Int(bytes[2]) << 8 : 0)
    ratesInSession += 1
    guard ratesInSession == Self.ratesBeforeReset else { return }
    if disconnections.isEmpty {
      if let point = characteristic(Self.heartRateControlPoint) {
        peripheral.writeValue(Data([0x01]), for: point, type: .withResponse)
      }
    } else {
      stop()
    }
  }

  public func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error { return errors.append(error) }
    guard characteristic.uuid == Self.heartRateControlPoint, let command = self.characteristic(Self.strapCommand) else { return }
    for bytes in [[0x01, 0x10, 0x05], [0x02, 0x22, 0x05]] as [[UInt8]] {
      peripheral.writeValue(Data(bytes), for: command, type: .withoutResponse)
    }
  }
}
