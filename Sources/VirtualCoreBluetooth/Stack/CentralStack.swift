import BLEWire
import Dispatch
import Foundation
import GATTStack
import ReplayEngine
import ReplayScenarios

/// What stands behind one central manager: its scan, its peripherals, and its parts of the phone's links.
///
/// What an app calls is queued to the air; what comes back changes the app's objects on the app's queue, right before the call
/// that tells of it. Its own state is only touched inside the air's lock.
final class CentralStack: @unchecked Sendable {
  let air: VirtualAir
  let host: HostStack
  let restoreIdentifier: String?
  let isScanning = Observed(false)
  /// How often a scan was begun.
  let scanCount = Guarded(0)
  let disconnections = Guarded<VirtualPhone.Conventions.Disconnections?>(nil)
  private let owner: Guarded<Owner>
  private let known = Guarded<[DeviceKey: Weak<CBPeripheral>]>([:])
  /// The peripherals of an app that was ended, until another takes over.
  private let kept = Guarded<[CBPeripheral]>([])

  /// The manager and its queue; without one, calls to an app that was ended wait for the next.
  private struct Owner {
    var manager: Weak<CBCentralManager>?
    var queue: DispatchQueue
    var waiting: [(name: String, body: @Sendable (CBCentralManager) -> Void)] = []
    /// So many calls are kept for an app that was ended.
    static let limit = 1000
  }

  private(set) var links: [DeviceKey: PeripheralLink] = [:]
  var scan: ScanState?
  private var eventsWanted: ConnectionEventFilter?
  private var toldState: CBManagerState?
  private var hasFirstState = false

  init(air: VirtualAir, queue: DispatchQueue, restoreIdentifier: String?) {
    self.air = air
    host = air.phone.host
    owner = Guarded(Owner(manager: nil, queue: queue))
    self.restoreIdentifier = restoreIdentifier
  }

  var conventions: VirtualPhone.Conventions { host.settings.value.conventions }

  /// A manager begins, or takes over from one whose app was ended.
  func open(_ manager: CBCentralManager, queue: DispatchQueue, isRestored: Bool) {
    owner.withValue { ($0.manager, $0.queue) = (Weak(manager), queue) }
    air.watch(queue)
    let delay = air.phone.firstStateDelay
    air.enqueue { air in
      if !isRestored { self.host.add(self) }
      air.attach(self.host)
      self.host.after(delay, in: air) { air in
        if isRestored { self.tellRestoration(in: air) }
        self.hasFirstState = true
        self.toldState = nil
        self.tellState(in: air)
        self.tellWaiting(in: air)
      }
    }
  }

  /// The manager is gone: its scan and its links end. It may be called with the air's lock held.
  func close() {
    air.enqueueLater { air in
      self.scan = nil
      self.host.remove(self)
      self.updateScan(in: air)
      for link in self.linksInOrder { link.cancel(in: air) }
    }
  }

  /// The app is ended: from here on calls wait for the next manager.
  func detachManager() -> CBCentralManager? {
    owner.withValue { owner in
      defer { owner.manager = nil }
      return owner.manager?.object
    }
  }

  func keepPeripherals() { kept.value = known.value.values.compactMap(\.object) }

  // MARK: - Calls to the app

  /// Has `body` run on the manager's queue, if the manager is still there.
  func tell(_ name: String, in air: AirCore, _ body: @escaping @Sendable (CBCentralManager) -> Void) {
    let (manager, queue) = owner.withValue { ($0.manager, $0.queue) }
    guard manager?.object != nil else { return keep(name, body) }
    air.calls.append(DelegateCall(queue: queue, name: name) { if let manager = manager?.object { body(manager) } })
  }

  /// Keeps a call for the manager that will take over.
  private func keep(_ name: String, _ body: @escaping @Sendable (CBCentralManager) -> Void) {
    guard restoreIdentifier != nil, name != "didDiscover" else { return }
    owner.withValue { if $0.waiting.count < Owner.limit { $0.waiting.append((name, body)) } }
  }

  private func tellWaiting(in air: AirCore) {
    let waiting = owner.withValue { owner in
      defer { owner.waiting = [] }
      return owner.waiting
    }
    for (name, body) in waiting { tell(name, in: air, body) }
  }

  // MARK: - State

  /// Tells the state, where it is another than the manager knows.
  func tellState(in air: AirCore) {
    let state = host.state(in: air)
    guard hasFirstState, state != toldState else { return }
    let isFirst = toldState == nil
    toldState = state
    if state != .poweredOn { scan = nil }
    let isInvalid =
      switch conventions.invalidation {
      case .belowPoweredOff: state != .poweredOn && state != .poweredOff
      case .unlessPoweredOn: state != .poweredOn
      }
    let lost = isInvalid && !isFirst ? takeKnown() : []
    // A state that is not known yet is what the manager began with.
    if isFirst, state == .unknown { return }
    tell("centralManagerDidUpdateState", in: air) { manager in
      for peripheral in lost { peripheral.invalidate() }
      manager.observedState.value = state
      if state != .poweredOn { self.isScanning.value = false }
      manager.delegate?.centralManagerDidUpdateState(manager)
    }
  }

  // MARK: - Peripherals

  /// Forgets the app's objects.
  private func takeKnown() -> [CBPeripheral] {
    known.withValue { all in
      defer { all = [:] }
      return all.values.compactMap(\.object)
    }
  }

  /// The app's object of a device: always the same one, for as long as the app has it.
  func peripheral(_ device: DeviceKey, in air: AirCore) -> CBPeripheral {
    if let peripheral = known.value[device]?.object { return peripheral }
    let peripheral = CBPeripheral(identifier: host.identifier(of: device, in: air), device: device, stack: self)
    peripheral.guardedName.value = host.names.value[device]
    known.withValue { $0[device] = Weak(peripheral) }
    return peripheral
  }

  /// The app let go of a peripheral. It may be called with the air's lock held.
  func released(_ description: String, _ device: DeviceKey) {
    air.enqueueLater { air in
      guard let link = self.links[device], link.peripheral == nil else { return }
      air.misuse.append(
        link.isConnected
          ? "API MISUSE: Forcing disconnection of unused peripheral \(description). Did you forget to cancel the connection?"
          : "API MISUSE: Cancelling connection for unused peripheral \(description), Did you forget to keep a reference to it?")
      link.cancel(in: air)
    }
  }

  func peripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    let present = air.withCore { air in
      (0..<air.peripheralCount).map { self.peripheral(self.host.device($0, in: air), in: air) }
    }
    let all = present + known.value.values.compactMap(\.object)
    return identifiers.compactMap { identifier in all.first { $0.identifier == identifier } }
  }

  /// Peripherals that the phone has a link to, for whichever app.
  func connectedPeripherals(withServices services: [CBUUID]) -> [CBPeripheral] {
    let wanted = Set(services.map(\.value.shortened))
    return air.withCore { air in
      host.links.values.filter { $0.number != nil && !host.services(of: $0.device).isDisjoint(with: wanted) }
        .sorted { $0.device < $1.device }
        .map { self.peripheral($0.device, in: air) }
    }
  }

  // MARK: - Connections

  func connect(_ peripheral: CBPeripheral, options: PeripheralLink.Options) {
    let isNew = peripheral.observedState.exchange(from: [.disconnected, .disconnecting], to: .connecting)
    guard isNew else { return }
    let mtu = air.centralMTU
    air.enqueue { air in
      guard air.isPoweredOn else { return peripheral.observedState.value = .disconnected }
      if let link = self.links[peripheral.device] { return link.connectAgain(peripheral, options) }
      self.begin(peripheral, mtu: mtu, options: options, in: air)
    }
  }

  func begin(_ peripheral: CBPeripheral, mtu: Int, options: PeripheralLink.Options, in air: AirCore) {
    let link = PeripheralLink(peripheral, stack: self, mtu: mtu, options: options)
    links[peripheral.device] = link
    link.begin(in: air)
  }

  /// All connections, the same way in each run.
  private var linksInOrder: [PeripheralLink] { links.values.sorted { $0.device < $1.device } }

  /// Bluetooth is gone: so is what waits for its start.
  func radioOff(in air: AirCore) { for link in linksInOrder { link.radioOff(in: air) } }

  func remove(_ link: PeripheralLink) { if links[link.device] === link { links[link.device] = nil } }

  func cancel(_ peripheral: CBPeripheral) {
    guard peripheral.observedState.exchange(from: [.connecting, .connected], to: .disconnecting) else { return }
    air.enqueue { air in self.links[peripheral.device]?.cancel(in: air) }
  }

  func tellDisconnected(
    _ peripheral: CBPeripheral?, _ error: (any Error)?, isReconnecting: Bool, isAskedAgain: Bool = false, in air: AirCore
  ) {
    let seconds = Double(air.now.nanoseconds) / 1e9
    let isLegacy = (disconnections.value ?? conventions.disconnections) == .legacyOnly
    let keepsServices = conventions.servicesAfterDisconnection == .kept
    tell("didDisconnectPeripheral", in: air) { manager in
      guard let peripheral else { return }
      peripheral.reset(keepsServices: keepsServices, reconnects: isAskedAgain)
      if isLegacy {
        manager.delegate?.centralManager(manager, didDisconnectPeripheral: peripheral, error: error)
      } else {
        manager.delegate?.centralManager(
          manager, didDisconnectPeripheral: peripheral, timestamp: seconds, isReconnecting: isReconnecting, error: error)
      }
    }
  }

  // MARK: - Connection events

  func registerForConnectionEvents(_ filter: ConnectionEventFilter?) { air.enqueue { _ in self.eventsWanted = filter } }

  func tellConnectionEvent(_ event: CBConnectionEvent, _ device: DeviceKey, in air: AirCore) {
    guard let eventsWanted, eventsWanted.wants(host.identifier(of: device, in: air), host.services(of: device)) else { return }
    let peripheral = peripheral(device, in: air)
    tell("connectionEventDidOccur", in: air) { manager in
      manager.delegate?.centralManager(manager, connectionEventDidOccur: event, for: peripheral)
    }
  }

  // MARK: - Restoration

  /// Tells the new manager what the one before was doing (`willRestoreState`), before its first state.
  private func tellRestoration(in air: AirCore) {
    let peripherals = kept.withValue { all in
      defer { all = [] }
      return all.filter { $0.state != .disconnected }
    }
    let (services, options) = (scan.map { $0.services.map { CBUUID($0) } }, scan?.options)
    tell("willRestoreState", in: air) { manager in
      var state: [String: Any] = [CBCentralManagerRestoredStatePeripheralsKey: peripherals]
      for peripheral in peripherals { peripheral.delegate = nil }
      if let services { state[CBCentralManagerRestoredStateScanServicesKey] = services }
      if let options { state[CBCentralManagerRestoredStateScanOptionsKey] = options.dictionary }
      manager.delegate?.centralManager(manager, willRestoreState: state)
    }
  }
}
