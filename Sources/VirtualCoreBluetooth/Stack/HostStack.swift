import BLEWire
import Foundation
import ReplayEngine

/// The phone's Bluetooth host on an air: its links, which all managers share, and its timers.
///
/// Its state is only touched inside the air's lock.
final class HostStack: AirCentral, @unchecked Sendable {
  let settings: Guarded<VirtualPhone.Settings>
  private let managers = Guarded<[Weak<CentralStack>]>([])
  private(set) var links: [DeviceKey: HostLink] = [:]
  private var linksByNumber: [Int: HostLink] = [:]
  private var timers: [Int: (AirCore) -> Void] = [:]
  private var timerCount = 0
  /// Through which streams' events go to other run loops than the main one.
  let streamQueue = DispatchQueue(label: "streams of channels")
  /// The names that devices gave themselves, as far as the phone knows them.
  let names = Guarded<[DeviceKey: String]>([:])
  /// What is remembered of devices' attributes.
  var cache = DiscoveryCache()
  /// Devices whose own names were read.
  var ownNames: Set<DeviceKey> = []
  /// Identifiers that were made, by device.
  var identifiers: [DeviceKey: UUID] = [:]
  /// Services that devices were seen to have.
  private var services: [DeviceKey: Set<BluetoothUUID>] = [:]

  init(settings: Guarded<VirtualPhone.Settings>) { self.settings = settings }

  var face: Fault.Face? { .coreBluetooth }
  var asksBeforePairing: Bool { true }

  /// The managers that are there, in the order in which they were made.
  var clients: [CentralStack] { managers.value.compactMap(\.object) }

  func add(_ client: CentralStack) {
    managers.withValue { all in
      all.removeAll { $0.object == nil }
      all.append(Weak(client))
    }
  }

  func remove(_ client: CentralStack) { managers.withValue { $0.removeAll { $0.object == nil || $0.object === client } } }

  func after(_ delay: Duration, in air: AirCore, _ body: @escaping (AirCore) -> Void) {
    timerCount += 1
    timers[timerCount] = body
    air.setTimer(self, at: air.now.advanced(by: delay), id: timerCount)
  }

  /// The air is closed: nothing is held any more.
  func clear() {
    for link in links.values { link.clear() }
    (links, linksByNumber, timers) = ([:], [:], [:])
    managers.value = []
  }

  // MARK: - State

  /// What managers are told of Bluetooth.
  func state(in air: AirCore) -> CBManagerState {
    let settings = settings.value
    if let other = settings.stateOverride { return other }
    switch settings.authorization {
    case .allowedAlways: return air.isPoweredOn ? .poweredOn : .poweredOff
    case .notDetermined: return .unknown
    case .denied, .restricted: return .unauthorized
    }
  }

  /// Tells all managers the state, where it is another than they know.
  func tellState(in air: AirCore) { for client in clients { client.tellState(in: air) } }

  func authorizationChanged(in air: AirCore) {
    if settings.value.authorization != .allowedAlways { loseLinks(in: air) }
    tellState(in: air)
  }

  // MARK: - Devices

  /// The device that is now at a place of the air, as a phone knows it.
  func device(_ index: Int, in air: AirCore) -> DeviceKey { DeviceKey(index: index, own: air.appearance(index).own) }

  func note(_ found: some Sequence<BluetoothUUID>, of device: DeviceKey) {
    services[device, default: []].formUnion(found.lazy.map(\.shortened))
  }

  func services(of device: DeviceKey) -> Set<BluetoothUUID> { services[device] ?? [] }

  // MARK: - Links

  /// The link to a device; made where there is none.
  func link(to device: DeviceKey, mtu: Int) -> HostLink {
    if let link = links[device] { return link }
    let link = HostLink(device, host: self, mtu: mtu)
    links[device] = link
    return link
  }

  /// Connects, if the device is there: one whose address the phone cannot resolve is not.
  func dial(_ link: HostLink, in air: AirCore) {
    guard !link.isDialed, device(link.device.index, in: air) == link.device else { return }
    link.isDialed = true
    air.connect(self, to: link.device.index)
  }

  /// All links, the same way in each run.
  private var linksInOrder: [HostLink] { links.values.sorted { $0.device < $1.device } }

  /// Forgets a link that nobody wants any more.
  func forget(_ link: HostLink) {
    if links[link.device] === link { links[link.device] = nil }
    if let number = link.number { linksByNumber[number] = nil }
  }

  /// The link that the air is making to the device at a place.
  private func dialed(_ index: Int) -> HostLink? { links.values.first { $0.device.index == index && $0.isDialed && $0.number == nil } }

  private func connected(_ number: Int, _ index: Int, in air: AirCore) {
    guard let link = dialed(index) else { return air.disconnect(number) }
    link.number = number
    linksByNumber[number] = link
    if air.hasLostBond(number), settings.value.conventions.lostPairing == .failsToConnect {
      cache.note(isBonded: false, link.device)
      // The host finds out when it encrypts the link, before any app hears of that.
      link.fail(.pinOrKeyMissing, in: air)
      return air.disconnect(number)
    }
    link.up(in: air)
    tellConnectionEvent(.peerConnected, link.device, in: air)
  }

  private func disconnected(_ number: Int, _ reason: HCIErrorCode, in air: AirCore) {
    guard let link = linksByNumber[number] else { return }
    forget(link)
    tellConnectionEvent(.peerDisconnected, link.device, in: air)
    link.ended(reason, in: air)
    for other in linksInOrder where !other.isDialed { dial(other, in: air) }
  }

  private func tellConnectionEvent(_ event: CBConnectionEvent, _ device: DeviceKey, in air: AirCore) {
    for client in clients { client.tellConnectionEvent(event, device, in: air) }
  }

  func tellANCS(_ identifier: UUID, in air: AirCore) {
    for link in linksInOrder { for use in link.uses { use.tellANCS(identifier, in: air) } }
  }

  // MARK: - The user

  func forgetDevice(_ index: Int, in air: AirCore) {
    guard index >= 0, index < air.peripheralCount else { return }
    air.forgetBond(with: index)
    cache.forget(device(index, in: air))
    cache.note(isBonded: false, device(index, in: air))
    for link in linksInOrder where link.device.index == index { if let number = link.number { air.disconnect(number) } }
  }

  // MARK: - Other apps

  func connectOtherApp(_ index: Int, mtu: Int, in air: AirCore) {
    guard air.isPoweredOn, index >= 0, index < air.peripheralCount else { return }
    air.attach(self)
    let link = link(to: device(index, in: air), mtu: mtu)
    link.hasOtherApp = true
    if link.number == nil { dial(link, in: air) } else { link.lookAtServices(in: air) }
  }

  func disconnectOtherApp(_ index: Int, in air: AirCore) {
    for link in linksInOrder where link.device.index == index && link.hasOtherApp {
      link.hasOtherApp = false
      link.endIfUnused(in: air)
    }
  }

  // MARK: - Events

  func waits(in air: AirCore) -> [String] {
    (clients.contains(where: \.isScanningNow) ? ["a scan"] : [])
      + linksInOrder.flatMap(\.waits)
  }

  func handle(_ event: AirEvent, in air: AirCore) {
    switch event {
    case .advertisement(let index, _, let data, let isScanResponse, let isConnectable, let rssi):
      let device = device(index, in: air)
      for client in clients {
        client.heard(device, data, isScanResponse: isScanResponse, isConnectable: isConnectable, rssi: rssi, in: air)
      }
    case .connected(let number, let index): connected(number, index, in: air)
    case .connectionFailed(let index, let reason):
      guard let link = dialed(index) else { return }
      link.isDialed = false
      if reason == .connectionFailedToBeEstablished, settings.value.conventions.failedEstablishment == .retried {
        return dial(link, in: air)
      }
      forget(link)
      link.fail(reason, in: air)
    case .received(let number, let bytes, _): linksByNumber[number]?.receive(bytes, in: air)
    case .disconnected(let number, let reason): disconnected(number, reason, in: air)
    case .pairingAsked(let number, let procedure): linksByNumber[number]?.askWhetherToPair(procedure, in: air)
    case .settled(let number, let procedure, let outcome): linksByNumber[number]?.settled(procedure, outcome, in: air)
    // Encryption and parameters are the system's: an app hears nothing of them.
    case .procedure(let number, let procedure): linksByNumber[number]?.receive(procedure, in: air)
    case .credits(let number, let areLeft): linksByNumber[number]?.setCredits(areLeft, in: air)
    case .adapter: adapterChanged(in: air)
    case .timer(let id): timers.removeValue(forKey: id)?(air)
    }
  }

  /// The adapter was switched on or off. With it go the scans and the links, and no call tells of each: the app finds its peripherals
  /// disconnected.
  private func adapterChanged(in air: AirCore) {
    if !air.isPoweredOn { loseLinks(in: air) }
    tellState(in: air)
  }

  /// Bluetooth is not there any more: all links end, and what managers have not begun to ask for is called off.
  private func loseLinks(in air: AirCore) {
    let gone = linksInOrder
    (links, linksByNumber) = ([:], [:])
    for link in gone { link.radioOff(in: air) }
    for client in clients { client.radioOff(in: air) }
  }
}
