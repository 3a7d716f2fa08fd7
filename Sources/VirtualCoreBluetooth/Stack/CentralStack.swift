import BLEWire
import Dispatch
import Foundation
import GATTStack
import ReplayEngine
import ReplayScenarios

/// The host stack under one central manager: a GATT client on each of its links, on the manager's air.
///
/// What an app calls is queued to the air; what comes back changes the app's objects on the app's queue, right before the call
/// that tells of it. Its own state is only touched inside the air's lock.
final class CentralStack: AirCentral, @unchecked Sendable {
  let air: VirtualAir
  let queue: DispatchQueue
  let isScanning = Guarded(false)
  private let manager = Guarded<Weak<CBCentralManager>?>(nil)
  private let known = Guarded<[DeviceKey: CBPeripheral]>([:])

  /// How long the first state takes, as on a phone.
  private static let powerOnDelay = Duration.milliseconds(50)

  var links: [DeviceKey: PeripheralLink] = [:]
  private var scan: ScanState?
  private var timers: [Int: (AirCore) -> Void] = [:]
  private var timerCount = 0

  private struct ScanState {
    var services: [BluetoothUUID]
    var duplicates: Bool
    /// By device: its packets so far, and what was told of them.
    var heard: [DeviceKey: (data: [UInt8], scanResponse: [UInt8]?, told: [[UInt8]])] = [:]
  }

  init(air: VirtualAir, queue: DispatchQueue) {
    self.air = air
    self.queue = queue
  }

  func open(_ manager: CBCentralManager) {
    self.manager.value = Weak(manager)
    air.watch(queue)
    air.enqueue { air in
      air.attach(self)
      self.after(Self.powerOnDelay, in: air) { air in self.tellState(in: air) }
    }
  }

  /// Tells whether the adapter is on.
  private func tellState(in air: AirCore) {
    let state: CBManagerState = air.isPoweredOn ? .poweredOn : .poweredOff
    tell("centralManagerDidUpdateState", in: air) { manager in
      manager.guardedState.value = state
      manager.delegate?.centralManagerDidUpdateState(manager)
    }
  }

  /// The adapter was switched on or off. With it go the scan and the links, and no call tells of each: the app finds its peripherals
  /// disconnected.
  private func adapterChanged(in air: AirCore) {
    if !air.isPoweredOn {
      scan = nil
      isScanning.value = false
      let gone = links.values.map(\.peripheral)
      for link in links.values { link.end() }
      links = [:]
      tell("centralManagerDidUpdateState", in: air) { _ in for peripheral in gone { peripheral.reset() } }
    }
    tellState(in: air)
  }

  /// The manager is gone: its scan and its links end.
  func close() {
    air.enqueue { air in
      self.scan = nil
      air.stopScanning(self)
      for link in self.links.values {
        if let number = link.number {
          air.disconnect(number)
        } else if link.isDialed {
          air.cancelConnection(to: link.peripheral.index)
        }
      }
    }
  }

  // MARK: - Calls to the app

  /// Has `body` run on the manager's queue, if the manager is still there.
  func tell(_ name: String, in air: AirCore, _ body: @escaping @Sendable (CBCentralManager) -> Void) {
    air.calls.append(DelegateCall(queue: queue, name: name) { if let manager = self.manager.value?.object { body(manager) } })
  }

  func after(_ delay: Duration, in air: AirCore, _ body: @escaping (AirCore) -> Void) {
    timerCount += 1
    timers[timerCount] = body
    air.setTimer(self, at: air.now.advanced(by: delay), id: timerCount)
  }

  // MARK: - Peripherals

  /// The device that is now at a place of the air, as a phone knows it.
  private func device(_ index: Int, in air: AirCore) -> DeviceKey { DeviceKey(index: index, own: air.appearance(index).own) }

  /// The app's object of a device: always the same one.
  func peripheral(_ index: Int, in air: AirCore) -> CBPeripheral {
    let key = device(index, in: air)
    if let peripheral = known.value[key] { return peripheral }
    // An identifier in the scenario is that of the device as it was first.
    let written = key.own == 0 ? air.device(index).identifier.flatMap { UUID(uuidString: $0) } : nil
    let identifier = written ?? Self.identifier(for: air.appearance(index).address)
    let peripheral = CBPeripheral(identifier: identifier, device: key, stack: self)
    known.value[key] = peripheral
    return peripheral
  }

  /// An identifier that is the same in each run for the same address, in the form of a random UUID.
  private static func identifier(for address: BluetoothAddress) -> UUID {
    func mix(_ value: UInt64) -> UInt64 {
      // SplitMix64 (Steele, Lea and Flood 2014) spreads the address over all bits.
      var mixed = value &+ 0x9E37_79B9_7F4A_7C15
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
    let high = mix(address.value) & ~0xF000 | 0x4000
    let low = mix(high ^ UInt64(address.kind.rawValue)) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return UUID(uuidString: BluetoothUUID(high: high, low: low).description) ?? UUID()
  }

  func peripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    let present = air.withCore { air in (0..<air.peripheralCount).map { self.peripheral($0, in: air) } }
    let all = present + known.value.values
    return identifiers.compactMap { identifier in all.first { $0.identifier == identifier } }
  }

  func connectedPeripherals(withServices services: [CBUUID]) -> [CBPeripheral] {
    known.value.sorted { ($0.key.index, $0.key.own) < ($1.key.index, $1.key.own) }.map(\.value).filter { peripheral in
      peripheral.state == .connected && (peripheral.services ?? []).contains { services.contains($0.uuid) }
    }
  }

  // MARK: - Scanning

  func scan(services: [BluetoothUUID], duplicates: Bool) {
    isScanning.value = true
    air.enqueue { air in
      guard air.isPoweredOn else { return self.isScanning.value = false }
      self.scan = ScanState(services: services, duplicates: duplicates)
      air.startScanning(self)
    }
  }

  func stopScan() {
    isScanning.value = false
    air.enqueue { air in
      self.scan = nil
      air.stopScanning(self)
    }
  }

  private func heard(_ index: Int, _ packet: [UInt8], isScanResponse: Bool, isConnectable: Bool, rssi: Int, in air: AirCore) {
    guard var state = scan else { return }
    let key = device(index, in: air)
    var heard = state.heard[key] ?? ([], nil, [])
    if isScanResponse { heard.scanResponse = packet } else { heard.data = packet }
    let wanted = state.services
    let everything = AdvertisingData(parsing: heard.data + (heard.scanResponse ?? []))
    let isWanted = wanted.isEmpty || everything.serviceUUIDs.contains { wanted.contains($0) }
    // Without duplicates a device is told again when there is more to tell: its packet, then its scan response.
    let isNew = !heard.told.contains(packet)
    if isWanted, isNew, heard.told.count < 16 { heard.told.append(packet) }
    state.heard[key] = heard
    scan = state
    guard isWanted, isNew || state.duplicates else { return }
    let peripheral = peripheral(index, in: air)
    let (data, scanResponse, name) = (heard.data, heard.scanResponse, everything.localName)
    tell("didDiscover", in: air) { manager in
      if let name { peripheral.guardedName.value = name }
      guard manager.isScanning else { return }
      manager.delegate?.centralManager(
        manager, didDiscover: peripheral,
        advertisementData: AdvertisementDictionary.make(data: data, scanResponse: scanResponse, isConnectable: isConnectable),
        rssi: NSNumber(value: rssi))
    }
  }

  // MARK: - Connections

  func connect(_ peripheral: CBPeripheral) {
    guard peripheral.state == .disconnected || peripheral.state == .disconnecting else { return }
    peripheral.guardedState.value = .connecting
    let mtu = air.centralMTU
    air.enqueue { air in
      guard air.isPoweredOn else { return peripheral.guardedState.value = .disconnected }
      guard self.links[peripheral.device] == nil else { return }
      let link = PeripheralLink(peripheral, stack: self, mtu: mtu)
      self.links[peripheral.device] = link
      self.dial(link, in: air)
    }
  }

  /// Connects, if the device is there: one whose address the phone cannot resolve is not.
  private func dial(_ link: PeripheralLink, in air: AirCore) {
    let key = link.peripheral.device
    guard device(key.index, in: air) == key else { return }
    link.isDialed = true
    air.connect(self, to: key.index)
  }

  /// The link that the air is making to the device at a place.
  private func dialed(_ index: Int) -> PeripheralLink? {
    links.values.first { $0.peripheral.index == index && $0.isDialed && $0.number == nil }
  }

  func cancel(_ peripheral: CBPeripheral) {
    guard peripheral.state != .disconnected else { return }
    peripheral.guardedState.value = .disconnecting
    air.enqueue { air in
      guard let link = self.links[peripheral.device] else { return }
      if let number = link.number {
        air.disconnect(number)
      } else {
        if link.isDialed { air.cancelConnection(to: peripheral.index) }
        self.links[peripheral.device] = nil
        self.tellDisconnected(peripheral, nil, in: air)
      }
    }
  }

  private func tellDisconnected(_ peripheral: CBPeripheral, _ error: (any Error)?, in air: AirCore) {
    let seconds = Double(air.now.nanoseconds) / 1e9
    tell("didDisconnectPeripheral", in: air) { manager in
      peripheral.reset()
      manager.delegate?.centralManager(
        manager, didDisconnectPeripheral: peripheral, timestamp: seconds, isReconnecting: false, error: error)
    }
  }

  var face: Fault.Face? { .coreBluetooth }

  func waits(in air: AirCore) -> [String] {
    (scan == nil ? [] : ["a scan"]) + links.values.sorted { $0.peripheral.index < $1.peripheral.index }.flatMap(\.waits)
  }

  func handle(_ event: AirEvent, in air: AirCore) {
    switch event {
    case .advertisement(let index, _, let data, let isScanResponse, let isConnectable, let rssi):
      heard(index, data, isScanResponse: isScanResponse, isConnectable: isConnectable, rssi: rssi, in: air)
    case .connected(let number, let index):
      guard let link = dialed(index) else {
        air.disconnect(number)
        return
      }
      link.number = number
      tell("didConnect", in: air) { manager in
        guard link.peripheral.state == .connecting else { return }
        link.peripheral.guardedState.value = .connected
        manager.delegate?.centralManager(manager, didConnect: link.peripheral)
      }
      link.exchangeMTU(in: air)
    case .connectionFailed(let index, let reason):
      guard let link = dialed(index) else { return }
      links[link.peripheral.device] = nil
      let error = ErrorMapping.failedConnection(reason)
      tell("didFailToConnect", in: air) { manager in
        link.peripheral.guardedState.value = .disconnected
        manager.delegate?.centralManager(manager, didFailToConnect: link.peripheral, error: error)
      }
    case .received(let number, let bytes, _): links.values.first { $0.number == number }?.receive(bytes, in: air)
    case .disconnected(let number, let reason):
      guard let link = links.values.first(where: { $0.number == number }) else { return }
      links[link.peripheral.device] = nil
      link.end()
      for other in links.values where !other.isDialed { dial(other, in: air) }
      tellDisconnected(link.peripheral, link.hasTimedOut ? CBError(.unknown) : ErrorMapping.disconnection(reason), in: air)
    // Pairing, encryption and parameters are the system's: an app hears nothing of them.
    case .procedure, .settled: break
    case .credits(let number, let areLeft): links.values.first { $0.number == number }?.setCredits(areLeft, in: air)
    case .adapter: adapterChanged(in: air)
    case .timer(let id): timers.removeValue(forKey: id)?(air)
    }
  }
}
