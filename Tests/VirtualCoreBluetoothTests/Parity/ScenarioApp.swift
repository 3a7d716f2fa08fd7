import CoreBluetooth
import Foundation
import ReplayEngine
import ReplayScenarios

/// An app that plays the recorded one's half of a scenario through the framework: it scans, connects, discovers all there is, and then
/// does what was recorded, when it was, though not before what it asked for was answered where that was so. It expects nothing.
///
/// It is only touched on its queue, and read while the air stands still.
final class ScenarioApp: NSObject, @unchecked Sendable {
  private let scenario: Scenario
  private let air: VirtualAir
  private let queue: DispatchQueue
  private let databases: [NamedDatabase]
  private let mtu: Int
  private var manager: CBCentralManager?
  private var peripheral: CBPeripheral?
  private var session = 0
  private var failures = 0
  /// Which link it is: what was set for an earlier one is passed over.
  private var link = 0
  private var linkStart = AirInstant.start
  private var plan: AppPlan?
  private var next = 0
  private var open = 0
  private var attributes: [AttributeName: CBAttribute] = [:]
  /// What was asked for and has not come.
  private var awaited: [CBAttribute] = []
  private(set) var isFinished = false
  /// What came about, in words, for whoever looks into a difference.
  private(set) var notes: [String] = []
  /// An app tries again, but not without end.
  private static let attempts = 10

  init(_ scenario: Scenario, air: VirtualAir, queue: DispatchQueue, mtu: Int) {
    (self.scenario, self.air, self.queue, self.mtu) = (scenario, air, queue, mtu)
    databases = scenario.databases.map(NamedDatabase.init)
    super.init()
    manager = CBCentralManager(delegate: self, queue: queue)
  }

  /// What can be done of a session.
  static func plan(of session: Session, in scenario: Scenario, mtu: Int) -> AppPlan {
    AppPlan(session, NamedDatabase(scenario.database(session.database)), mtu: mtu)
  }

  private func note(_ words: String) { notes.append("\(air.now) \(words)") }

  private func look() {
    guard session < scenario.sessions.count else {
      isFinished = true
      return
    }
    manager?.scanForPeripherals(withServices: nil)
  }

  private func nextSession() {
    link += 1
    session += 1
    failures = 0
    look()
  }

  // MARK: - Playing

  private func discovered() {
    guard open == 0, plan == nil, let peripheral else { return }
    var services = PlaceCounter()
    for service in peripheral.services ?? [] {
      let place = services.place(service.uuid.uuidString)
      var characteristics = PlaceCounter()
      for characteristic in service.characteristics ?? [] {
        let name = AttributeName(service: place, characteristic: characteristics.place(characteristic.uuid.uuidString))
        attributes[name] = characteristic
        var descriptors = PlaceCounter()
        for descriptor in characteristic.descriptors ?? [] {
          var name = name
          name.descriptor = descriptors.place(descriptor.uuid.uuidString)
          attributes[name] = descriptor
        }
      }
    }
    note("discovered \(attributes.count) attributes")
    plan = Self.plan(of: scenario.sessions[session], in: scenario, mtu: mtu)
    next = 0
    schedule()
  }

  /// Does the next step at its time, or now where that is over.
  private func schedule() {
    guard let plan, next < plan.steps.count else { return }
    let due = linkStart.advanced(by: plan.steps[next].at)
    if due <= air.now { return step() }
    let (link, step) = (link, next)
    air.after(due.duration(since: air.now), on: queue) { [weak self] in
      guard let self, self.link == link, self.next == step else { return }
      self.step()
    }
  }

  private func step() {
    guard let plan, next < plan.steps.count, let peripheral else { return }
    let step = plan.steps[next]
    guard linkStart.advanced(by: step.at) <= air.now, !step.waits || awaited.isEmpty else { return }
    next += 1
    perform(step, peripheral)
    schedule()
  }

  private func perform(_ step: AppPlan.Step, _ peripheral: CBPeripheral) {
    switch step.action {
    case .read(let name):
      if let characteristic = attributes[name] as? CBCharacteristic {
        expect(characteristic, step)
        peripheral.readValue(for: characteristic)
      } else if let descriptor = attributes[name] as? CBDescriptor {
        expect(descriptor, step)
        peripheral.readValue(for: descriptor)
      }
    case .write(let name, let value):
      if let characteristic = attributes[name] as? CBCharacteristic {
        expect(characteristic, step)
        peripheral.writeValue(Data(value), for: characteristic, type: .withResponse)
      } else if let descriptor = attributes[name] as? CBDescriptor {
        expect(descriptor, step)
        peripheral.writeValue(Data(value), for: descriptor)
      }
    case .command(let name, let value):
      guard let characteristic = attributes[name] as? CBCharacteristic else { return }
      peripheral.writeValue(Data(value), for: characteristic, type: .withoutResponse)
    case .subscribe(let name, let isOn):
      guard let characteristic = attributes[name] as? CBCharacteristic else { return }
      expect(characteristic, step)
      peripheral.setNotifyValue(isOn, for: characteristic)
    case .hangUp: manager?.cancelPeripheralConnection(peripheral)
    }
  }

  private func expect(_ attribute: CBAttribute, _ step: AppPlan.Step) { if step.isAnswered { awaited.append(attribute) } }

  private func came(_ attribute: CBAttribute) {
    if let place = awaited.firstIndex(where: { $0 === attribute }) { awaited.remove(at: place) }
    // What waits for the answer goes on with it, when its own time has come.
    schedule()
  }
}

extension ScenarioApp: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) { if central.state == .poweredOn { look() } }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any], rssi RSSI: NSNumber
  ) {
    guard central.isScanning, peripheral.state == .disconnected else { return }
    central.stopScan()
    self.peripheral = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    note("failed")
    failures += 1
    if scenario.sessions[session].failed != nil || failures >= Self.attempts { return nextSession() }
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    note("connected, session \(session + 1)")
    link += 1
    linkStart = air.now
    (plan, awaited, attributes) = (nil, [], [:])
    let number = link
    let end = Self.plan(of: scenario.sessions[session], in: scenario, mtu: mtu).end
    air.after(end, on: queue) { [weak self] in
      // The recording ends in the middle of the link, or the peripheral did not end it.
      guard let self, self.link == number else { return }
      self.manager?.cancelPeripheralConnection(peripheral)
    }
    open = 1
    peripheral.discoverServices(nil)
  }

  func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?) {
    note("disconnected \(error.map { "\($0)" } ?? "")")
    nextSession()
  }
}

extension ScenarioApp: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] {
      open += 1
      peripheral.discoverCharacteristics(nil, for: service)
    }
    open -= 1
    discovered()
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    for characteristic in service.characteristics ?? [] {
      open += 1
      peripheral.discoverDescriptors(for: characteristic)
    }
    open -= 1
    discovered()
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?) {
    open -= 1
    discovered()
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    came(characteristic)
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) { came(descriptor) }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    came(characteristic)
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) { came(descriptor) }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) { came(characteristic) }
}
