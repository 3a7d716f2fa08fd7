import CoreBluetooth
import Foundation

/// A connection to one peripheral whose steps are async functions: connect, discover, read, write, follow, hang up.
///
/// Each step waits for the framework's call that ends it. Where the link ends first, or Bluetooth goes away, every step that waits throws;
/// where its task is cancelled, the step throws `CancellationError` and what it had asked for is passed over when it comes.
@MainActor
public final class SensorConnection: NSObject {
  /// Why a step came to nothing.
  public enum Failure: Error, Equatable {
    case bluetoothUnavailable
    case notConnected
    case notFound(CBUUID)
    /// The same step waits already.
    case busy
  }

  /// What a step waits for; one of each kind at a time.
  private enum Step: Hashable {
    case power, find, connect, services
    case characteristics(CBUUID)
    case value(CBUUID)
    case written(CBUUID)
    case notifying(CBUUID)
    case disconnect
  }

  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var waiting: [Step: (id: Int, continuation: CheckedContinuation<Void, any Error>)] = [:]
  private var streams: [CBUUID: AsyncThrowingStream<Data, any Error>.Continuation] = [:]
  private var stepCount = 0
  /// Whether an attempt was given up whose end has not been told yet.
  private var isGivingUp = false

  /// Whether the link is up.
  public var isConnected: Bool { peripheral?.state == .connected }

  public override init() {
    super.init()
    manager = CBCentralManager(delegate: self, queue: .main)
  }

  // MARK: - Steps

  /// Finds a peripheral with this service and connects to it.
  public func connect(to service: CBUUID) async throws {
    guard let manager else { throw Failure.bluetoothUnavailable }
    if manager.state == .unknown || manager.state == .resetting { try await wait(for: .power) {} }
    guard manager.state == .poweredOn else { throw Failure.bluetoothUnavailable }
    if isGivingUp { try await wait(for: .disconnect) {} }
    defer { if manager.isScanning { manager.stopScan() } }
    try await wait(for: .find) { manager.scanForPeripherals(withServices: [service]) }
    guard let peripheral else { throw Failure.notConnected }
    do {
      try await wait(for: .connect) { manager.connect(peripheral) }
    } catch {
      // Nobody waits for it any more.
      if peripheral.state != .disconnected {
        isGivingUp = true
        manager.cancelPeripheralConnection(peripheral)
      }
      throw error
    }
  }

  /// Finds all services and characteristics.
  public func discover() async throws {
    let peripheral = try connected()
    try await wait(for: .services) { peripheral.discoverServices(nil) }
    for service in peripheral.services ?? [] {
      try await wait(for: .characteristics(service.uuid)) { peripheral.discoverCharacteristics(nil, for: service) }
    }
  }

  /// Reads a value.
  public func read(_ uuid: CBUUID) async throws -> Data {
    let (peripheral, characteristic) = (try connected(), try self.characteristic(uuid))
    try await wait(for: .value(uuid)) { peripheral.readValue(for: characteristic) }
    return characteristic.value ?? Data()
  }

  /// Writes a value and waits for the answer.
  public func write(_ value: Data, to uuid: CBUUID) async throws {
    let (peripheral, characteristic) = (try connected(), try self.characteristic(uuid))
    try await wait(for: .written(uuid)) { peripheral.writeValue(value, for: characteristic, type: .withResponse) }
  }

  /// Writes a value for which no answer comes.
  public func send(_ value: Data, to uuid: CBUUID) throws {
    try connected().writeValue(value, for: characteristic(uuid), type: .withoutResponse)
  }

  /// The values that are told from now on; the stream ends with the link, and with it what it throws.
  public func notifications(of uuid: CBUUID) async throws -> AsyncThrowingStream<Data, any Error> {
    let (peripheral, characteristic) = (try connected(), try self.characteristic(uuid))
    guard streams[uuid] == nil else { throw Failure.busy }
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
    streams[uuid] = continuation
    continuation.onTermination = { [weak self] end in
      guard case .cancelled = end else { return }
      Task { @MainActor in self?.unfollow(uuid) }
    }
    do {
      try await wait(for: .notifying(uuid)) { peripheral.setNotifyValue(true, for: characteristic) }
    } catch {
      streams[uuid] = nil
      throw error
    }
    return stream
  }

  /// Ends the connection.
  public func disconnect() async throws {
    guard let manager, let peripheral, peripheral.state != .disconnected else { return }
    try await wait(for: .disconnect) { manager.cancelPeripheralConnection(peripheral) }
  }

  // MARK: - Waiting

  /// Begins something and waits for its end, which ``finish(_:_:)`` tells.
  private func wait(for step: Step, _ begin: () -> Void) async throws {
    guard waiting[step] == nil else { throw Failure.busy }
    try Task.checkCancellation()
    stepCount += 1
    let id = stepCount
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting[step] = (id, continuation)
        begin()
      }
    } onCancel: {
      Task { @MainActor in if self.waiting[step]?.id == id { self.finish(step, CancellationError()) } }
    }
  }

  /// Resumes whoever waits for a step, once.
  private func finish(_ step: Step, _ error: (any Error)? = nil) {
    guard let continuation = waiting.removeValue(forKey: step)?.continuation else { return }
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
  }

  /// The link is gone, or Bluetooth is: nothing that was asked for will come.
  private func end(_ error: any Error) {
    for step in Array(waiting.keys) where step != .disconnect { finish(step, error) }
    for stream in streams.values { stream.finish(throwing: error) }
    streams = [:]
  }

  private func unfollow(_ uuid: CBUUID) {
    guard streams.removeValue(forKey: uuid) != nil, isConnected, let characteristic = try? characteristic(uuid) else { return }
    peripheral?.setNotifyValue(false, for: characteristic)
  }

  private func connected() throws -> CBPeripheral {
    guard let peripheral, peripheral.state == .connected else { throw Failure.notConnected }
    return peripheral
  }

  private func characteristic(_ uuid: CBUUID) throws -> CBCharacteristic {
    let all = peripheral?.services?.flatMap { $0.characteristics ?? [] } ?? []
    guard let found = all.first(where: { $0.uuid == uuid }) else { throw Failure.notFound(uuid) }
    return found
  }
}

extension SensorConnection: @preconcurrency CBCentralManagerDelegate {
  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { return finish(.power) }
    // With Bluetooth the links are gone, and no call tells of each.
    isGivingUp = false
    end(Failure.bluetoothUnavailable)
    finish(.disconnect)
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard waiting[.find] != nil else { return }
    central.stopScan()
    self.peripheral = peripheral
    peripheral.delegate = self
    finish(.find)
  }

  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { finish(.connect) }

  public func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    finish(.connect, error ?? Failure.notConnected)
  }

  public func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    isGivingUp = false
    end(error ?? Failure.notConnected)
    finish(.disconnect)
  }
}

extension SensorConnection: @preconcurrency CBPeripheralDelegate {
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { finish(.services, error) }

  public func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    finish(.characteristics(service.uuid), error)
  }

  public func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if let value = characteristic.value, error == nil { streams[characteristic.uuid]?.yield(value) }
    finish(.value(characteristic.uuid), error)
  }

  public func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    finish(.written(characteristic.uuid), error)
  }

  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { finish(.notifying(characteristic.uuid), error) }
}
