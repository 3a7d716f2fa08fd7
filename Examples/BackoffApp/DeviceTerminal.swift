import CoreBluetooth
import Foundation

/// The Bluetooth half of a terminal app: it finds a device by its service, follows all that the device tells, sends what the user types,
/// and comes back when the device is gone, after 1, 2, 4 … and at the most 60 seconds, so that a device out of reach costs little power.
///
/// All of it happens on the main queue.
public final class DeviceTerminal: NSObject, @unchecked Sendable {
  static let firstDelay: TimeInterval = 1
  static let longestDelay: TimeInterval = 60
  /// A connection that lasts so long holds: the next wait is short again.
  static let holdingTime: TimeInterval = 10

  /// What the device told, and what was read, by characteristic.
  public private(set) var values: [CBUUID: [Data]] = [:]
  /// What was written and answered.
  public private(set) var written: [CBUUID] = []
  public private(set) var errors: [any Error] = []
  public private(set) var disconnections: [(any Error)?] = []
  public private(set) var failedConnections: [(any Error)?] = []
  /// Whether all is found that the device has, and whatever it tells is subscribed to.
  public private(set) var isReady = false
  public var isConnected: Bool { device?.state == .connected }

  private let service: CBUUID
  private var central: CBCentralManager?
  private var device: CBPeripheral?
  private var undiscovered = 0
  private var unsubscribed = 0
  private var outbox: [(value: Data, uuid: CBUUID)] = []
  private var delay = DeviceTerminal.firstDelay
  /// Counts connections and their ends; what was planned in an earlier turn is void.
  private var turn = 0
  private var isStopped = false

  public init(service: CBUUID) {
    self.service = service
    super.init()
    central = CBCentralManager(delegate: self, queue: nil)
  }

  // MARK: - What the user does

  /// Reads a value, which comes with ``values``.
  public func read(_ uuid: CBUUID) {
    if let characteristic = characteristic(uuid) { device?.readValue(for: characteristic) }
  }

  /// Writes a value and has it answered.
  public func write(_ value: Data, to uuid: CBUUID) {
    if let characteristic = characteristic(uuid) { device?.writeValue(value, for: characteristic, type: .withResponse) }
  }

  /// Writes a value for which no answer comes, as soon as there is room.
  public func send(_ value: Data, to uuid: CBUUID) {
    outbox.append((value, uuid))
    flush()
  }

  /// Ends the connection, or the waiting for one, for good.
  public func stop() {
    isStopped = true
    central?.stopScan()
    if let device { central?.cancelPeripheralConnection(device) }
  }

  // MARK: - Coming back

  private func connect() {
    guard let central, let device, !isStopped else { return }
    central.connect(device, options: nil)
  }

  private func connectLater() {
    begin(after: delay) { $0.connect() }
    delay = min(delay * 2, Self.longestDelay)
  }

  /// Begins a turn, and does something in it later unless it is over by then.
  private func begin(after delay: TimeInterval, _ work: @escaping @Sendable (DeviceTerminal) -> Void) {
    turn += 1
    let planned = turn
    DispatchQueue.main.asyncAfter(deadline: .now() + delay) { [weak self] in
      if let self, self.turn == planned { work(self) }
    }
  }

  private func linkEnded() {
    isReady = false
    outbox = []
  }

  // MARK: - Attributes

  private func characteristic(_ uuid: CBUUID) -> CBCharacteristic? {
    device?.services?.lazy.flatMap { $0.characteristics ?? [] }.first { $0.uuid == uuid }
  }

  private func flush() {
    while let device, device.canSendWriteWithoutResponse, !outbox.isEmpty {
      let (value, uuid) = outbox.removeFirst()
      if let characteristic = characteristic(uuid) { device.writeValue(value, for: characteristic, type: .withoutResponse) }
    }
  }

  private func becomeReady() { if undiscovered == 0, unsubscribed == 0 { isReady = true } }
}

extension DeviceTerminal: CBCentralManagerDelegate {
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else {
      // With Bluetooth the link is gone, and no call tells of it.
      turn += 1
      return linkEnded()
    }
    delay = Self.firstDelay
    if device == nil { central.scanForPeripherals(withServices: [service], options: nil) } else { connect() }
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard device == nil else { return }
    device = peripheral
    peripheral.delegate = self
    central.stopScan()
    connect()
  }

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    begin(after: Self.holdingTime) { $0.delay = Self.firstDelay }
    peripheral.discoverServices(nil)
  }

  public func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    failedConnections.append(error)
    connectLater()
  }

  public func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    disconnections.append(error)
    linkEnded()
    connectLater()
  }
}

extension DeviceTerminal: CBPeripheralDelegate {
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    if let error { return errors.append(error) }
    undiscovered = peripheral.services?.count ?? 0
    unsubscribed = 0
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  public func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    undiscovered -= 1
    if let error { return errors.append(error) }
    for characteristic in service.characteristics ?? []
    where !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
      unsubscribed += 1
      peripheral.setNotifyValue(true, for: characteristic)
    }
    becomeReady()
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    unsubscribed -= 1
    if let error { return errors.append(error) }
    becomeReady()
  }

  public func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error { return errors.append(error) }
    values[characteristic.uuid, default: []].append(characteristic.value ?? Data())
  }

  public func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let error { return errors.append(error) }
    written.append(characteristic.uuid)
  }

  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { flush() }
}
