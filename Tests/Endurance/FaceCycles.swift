import Dispatch
import Foundation
import ReplayEngine
import ReplayScenarios
import VirtualCoreBluetooth

/// An app that connects, discovers, subscribes, hears a value and hangs up, again and again, through the CoreBluetooth-shaped classes.
final class FaceCycles: NSObject {
  private let air: VirtualAir
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private(set) var cycles = 0
  private(set) var values = 0
  private(set) var violations: [String] = []
  private var wanted = 0

  override init() {
    let attribute = { (handle: UInt16, kind: Attribute.Kind) in Attribute(handle: AttributeHandle(handle), kind: kind) }
    let configuration = AttributeHandle(4)
    air = VirtualAir(scenarios: [
      Scenario(
        device: Device(name: "Strap", mtu: 185),
        database: [
          attribute(1, .service(uuid: BluetoothUUID(0x180D as UInt16), primary: true, end: AttributeHandle(6))),
          attribute(2, .characteristic(uuid: BluetoothUUID(0x2A37 as UInt16), properties: 0x10, value: AttributeHandle(3))),
          attribute(4, .descriptor(uuid: BluetoothUUID(0x2902 as UInt16))),
          attribute(5, .characteristic(uuid: BluetoothUUID(0x2A38 as UInt16), properties: 0x02, value: AttributeHandle(6))),
        ],
        sessions: [
          Session(entries: [
            TimelineEntry(
              id: "on", at: .milliseconds(300), action: .write(configuration, [1, 0]), answer: .ok, latency: .milliseconds(30)),
            TimelineEntry(
              at: .milliseconds(500), origin: .peripheral, action: .notify(AttributeHandle(3), [0, 60]),
              anchor: Anchor(.entry("on"), delay: .milliseconds(170))),
            // The app never reads, so that each link has something to report.
            TimelineEntry(at: .milliseconds(600), action: .read(AttributeHandle(6)), answer: .value([1])),
          ])
        ])
    ])
    // A run without end keeps no more of its log than somebody can look at.
    air.logLimit = 10_000
    super.init()
    manager = VirtualAir.$current.withValue(air) { CBCentralManager(delegate: self, queue: nil) }
  }

  /// Runs so many cycles more.
  func drive(_ count: Int) {
    wanted += count
    if cycles > 0 { connect() }
    do { try air.run(until: cycles == wanted) } catch { violations.append("\(error)") }
  }

  private func connect() { if let peripheral { manager?.connect(peripheral) } }

  /// The verdict accounts for every link.
  func check() {
    let verdict = air.verdict
    let further = verdict.furtherSessions.reduce(0) { $0 + $1.links }
    if verdict.sessions.count + further != cycles { violations.append("\(verdict.sessions.count) and \(further) links of \(cycles)") }
    if !verdict.passed { violations += verdict.failures.prefix(5) }
    if values != cycles { violations.append("\(values) values of \(cycles)") }
    let consumed = verdict.sessions.reduce(0) { $0 + $1.counted } + verdict.furtherSessions.reduce(0) { $0 + $1.unused }
    if consumed != cycles { violations.append("\(consumed) entries that count of \(cycles)") }
  }
}

extension FaceCycles: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) { central.scanForPeripherals(withServices: nil) }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    central.stopScan()
    peripheral.delegate = self
    connect()
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { peripheral.discoverServices(nil) }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    if let error { violations.append("\(error)") }
    cycles += 1
    if cycles < wanted { connect() }
  }
}

extension FaceCycles: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    for characteristic in service.characteristics ?? [] where characteristic.properties.contains(.notify) {
      peripheral.setNotifyValue(true, for: characteristic)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    values += 1
    manager?.cancelPeripheralConnection(peripheral)
  }
}
