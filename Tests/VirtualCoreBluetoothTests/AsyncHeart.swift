import CoreBluetooth
import Foundation

/// An app that is written with async functions: each stores its continuation after the call, as the documents' sample does, and it reads
/// and writes what the recorded app did as it comes.
final class AsyncHeart: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  // Touched by one task and by the delegate's calls, which take turns.
  private var central: CBCentralManager?
  private var strap: CBPeripheral?
  private var waiting: CheckedContinuation<Void, any Error>?
  private var rates: AsyncStream<Data>.Continuation?
  private(set) var log: [String] = []

  init(queue: DispatchQueue?) {
    super.init()
    central = CBCentralManager(delegate: self, queue: queue)
  }

  private func wait(_ call: () -> Void) async throws {
    call()
    try await withCheckedThrowingContinuation { waiting = $0 }
  }

  private func resume(_ error: (any Error)? = nil) {
    let continuation = waiting
    waiting = nil
    if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
  }

  func run(beats: Int) async throws {
    try await wait {}
    try await wait { central?.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
    central?.stopScan()
    try await Task.sleep(for: .milliseconds(250))
    guard let strap else { return }
    strap.delegate = self
    try await wait { central?.connect(strap) }
    try await wait { strap.discoverServices(nil) }
    var characteristics: [String: CBCharacteristic] = [:]
    for service in strap.services ?? [] {
      try await wait { strap.discoverCharacteristics(nil, for: service) }
      for characteristic in service.characteristics ?? [] { characteristics[characteristic.uuid.uuidString] = characteristic }
    }
    for name in ["2A29", "2A38", "2A19"] {
      guard let characteristic = characteristics[name] else { continue }
      try await wait { strap.readValue(for: characteristic) }
      log.append("\(name) \([UInt8](characteristic.value ?? Data()))")
    }
    guard let rate = characteristics["2A37"] else { return }
    let (values, continuation) = AsyncStream<Data>.makeStream()
    rates = continuation
    try await wait { strap.setNotifyValue(true, for: rate) }
    var count = 0
    for await value in values {
      count += 1
      log.append("beat \([UInt8](value))")
      await Task.detached { await MainActor.run {} }.value
      if count == beats { break }
    }
    try await wait { central?.cancelPeripheralConnection(strap) }
    log.append("over")
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { resume() }
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    strap = peripheral
    resume()
  }
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { resume() }
  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) { resume(error) }
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { resume(error) }
  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) { resume(error) }
  func peripheral(_ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?) {
    resume(error)
  }
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    if characteristic.uuid.uuidString == "2A37" { rates?.yield(characteristic.value ?? Data()) } else { resume(error) }
  }
}
