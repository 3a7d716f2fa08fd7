import Dispatch
import Foundation
import ReplayEngine
import ReplayScenarios
import VirtualCoreBluetooth

/// Prints how many reads, writes and notifications a second go through the CoreBluetooth-shaped classes on the virtual clock, with a
/// manager on a queue of its own and on the main queue, and how many advertising events of 1,000 peripherals.
/// Arguments: how many of each, and `main` or `private` for one of the queues alone.
@main
struct FaceBenchmark {
  static func main() throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 50_000
    let only = CommandLine.arguments.dropFirst(2).first
    for (name, queue) in [("a private queue", DispatchQueue(label: "app")), ("the main queue", DispatchQueue.main)] {
      if let only, !name.contains(only) { continue }
      for work in Work.allCases { try operations(work, count, queue, name) }
    }
    if only == nil { try advertising(peripherals: 1000, seconds: 10) }
  }

  private static func operations(_ work: Work, _ count: Int, _ queue: DispatchQueue, _ name: String) throws {
    let air = VirtualAir(scenarios: [scenario(work == .notify ? count : 0)])
    let app = VirtualAir.$current.withValue(air) { BusyApp(queue: queue, work, count) }
    try air.run(until: app.isReady)
    let time = try ContinuousClock().measure {
      app.start()
      try air.run(until: app.done == count)
    }
    report("\(count) \(work.rawValue) on \(name)", Double(count) / (time / .seconds(1)), "a second")
  }

  private static func advertising(peripherals: Int, seconds: Int) throws {
    let scenarios = (0..<peripherals).map { number in
      Scenario(
        device: Device(
          name: "Beacon \(number)",
          advertising: Advertising(data: [2, 1, 6], scanResponse: nil, interval: .milliseconds(100), rssi: -60)))
    }
    let air = VirtualAir(scenarios: scenarios)
    let queue = DispatchQueue(label: "app")
    let app = VirtualAir.$current.withValue(air) { Scanner(queue: queue) }
    let time = ContinuousClock().measure { air.advance(by: .seconds(seconds)) }
    report("\(app.count) advertising events of \(peripherals) peripherals", Double(app.count) / (time / .seconds(1)), "a second")
  }

  private static func report(_ what: String, _ number: Double, _ unit: String) {
    print("face: \(what): \(Int(number)) \(unit)")
  }

  /// One characteristic that can be read, written either way, and followed; `notifications` of it follow the subscription.
  private static func scenario(_ notifications: Int) -> Scenario {
    let (value, configuration) = (AttributeHandle(3), AttributeHandle(4))
    let entries =
      [TimelineEntry(id: "on", at: .milliseconds(100), action: .write(configuration, [1, 0]), answer: .ok)]
      + (0..<notifications).map { number in
        TimelineEntry(
          at: .milliseconds(200 + number), origin: .peripheral, action: .notify(value, [UInt8(truncatingIfNeeded: number)]),
          anchor: Anchor(number == 0 ? .entry("on") : .previous, delay: .milliseconds(1)))
      }
    return Scenario(
      match: .stateful,
      device: Device(name: "Bench", mtu: 185),
      database: [
        Attribute(handle: AttributeHandle(1), kind: .service(uuid: BluetoothUUID(0xFFE0 as UInt16), primary: true, end: configuration)),
        Attribute(
          handle: AttributeHandle(2), kind: .characteristic(uuid: BluetoothUUID(0xFFE1 as UInt16), properties: 0x1E, value: value),
          content: [1, 2, 3, 4]),
        Attribute(handle: configuration, kind: .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
      ], sessions: [Session(entries: entries)])
  }
}

enum Work: String, CaseIterable {
  case read = "reads"
  case write = "writes"
  case command = "writes without response"
  case notify = "notifications"
}

/// Does one thing after the other: the next when the one before is told. Writes without response go out in bursts of ten.
final class BusyApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private let work: Work
  private let count: Int
  private let queue: DispatchQueue
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var characteristic: CBCharacteristic?
  private(set) var isReady = false
  private(set) var done = 0

  init(queue: DispatchQueue, _ work: Work, _ count: Int) {
    (self.queue, self.work, self.count) = (queue, work, count)
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue)
  }

  func start() {
    guard let peripheral, let characteristic else { return }
    if work == .notify { peripheral.setNotifyValue(true, for: characteristic) } else { next() }
  }

  private func next() {
    guard done < count, let peripheral, let characteristic else { return }
    switch work {
    case .read: peripheral.readValue(for: characteristic)
    case .write: peripheral.writeValue(Data([1, 2, 3, 4]), for: characteristic, type: .withResponse)
    case .command:
      for _ in 0..<10 { peripheral.writeValue(Data([1, 2, 3, 4]), for: characteristic, type: .withoutResponse) }
      done += 10
      peripheral.readRSSI()
    case .notify: break
    }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    central.stopScan()
    peripheral.delegate = self
    central.connect(peripheral)
  }
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { peripheral.discoverServices(nil) }
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }
  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    characteristic = service.characteristics?.first
    isReady = true
  }
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    done += 1
    if work == .read { next() }
  }
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    done += 1
    next()
  }
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) { next() }
}

/// Counts what a scan with duplicates is told.
final class Scanner: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  private var manager: CBCentralManager?
  private(set) var count = 0

  init(queue: DispatchQueue) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
  }
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) { count += 1 }
}
