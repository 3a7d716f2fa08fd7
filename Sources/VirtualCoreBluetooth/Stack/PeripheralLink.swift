import BLEWire
import Foundation
import GATTStack
import ReplayEngine

/// One manager's part of a link: what it was asked for, the app's objects, and how the manager tells of its end. It is only touched inside
/// the air's lock.
final class PeripheralLink: @unchecked Sendable {
  /// What a connection was asked for with.
  struct Options: Sendable {
    var startDelay = Duration.zero
    var reconnects = false
    var requiresANCS = false
  }

  unowned let stack: CentralStack
  /// The app's object; the app has to keep it.
  private(set) weak var peripheral: CBPeripheral?
  let identifier: UUID
  let device: DeviceKey
  private let options: Options
  private let mtuAsked: Int
  private(set) var link: HostLink?
  /// Whether the app was told of the connection.
  private(set) var isConnected = false
  /// Whether the app has cancelled the connection, and what it asked for since: with another object, where it let go of this one.
  private var isCancelled = false
  private var next: (peripheral: Weak<CBPeripheral>, options: Options)?
  /// The app's objects of this connection, and its channels.
  let attributes: AttributeTable
  let channels: LinkChannels

  init(_ peripheral: CBPeripheral, stack: CentralStack, mtu: Int, options: Options) {
    (self.peripheral, identifier, device) = (peripheral, peripheral.identifier, peripheral.device)
    self.stack = stack
    (mtuAsked, self.options) = (mtu, options)
    channels = LinkChannels(queue: stack.host.streamQueue)
    attributes = peripheral.attributesForConnection(stack.conventions)
  }

  /// The link's number on the air, while it is up for the app.
  var number: Int? { isConnected && !isCancelled ? link?.number : nil }
  var mtu: Int { link?.mtu ?? 23 }

  // MARK: - Connecting

  /// Asks for the connection, after the delay that the app wants.
  func begin(in air: AirCore) {
    guard options.startDelay > .zero else { return dial(in: air) }
    stack.host.after(options.startDelay, in: air) { [weak self] air in
      if let self, !self.isCancelled, self.stack.links[self.device] === self { self.dial(in: air) }
    }
  }

  private func dial(in air: AirCore) {
    let link = stack.host.link(to: device, mtu: mtuAsked)
    self.link = link
    link.add(self)
    // A link that another manager, or another app, has already is there at once.
    if link.number != nil { connected(in: air) } else { stack.host.dial(link, in: air) }
    if !isConnected, let limit = stack.host.settings.value.connectionTimeout {
      stack.host.after(limit, in: air) { [weak self, weak link] air in
        guard let self, let link, self.link === link, !self.isConnected, !self.isCancelled else { return }
        self.leave(in: air)
        self.failed(.connectionTimeout, in: air)
      }
    }
  }

  /// Gives up the link; tells whether it ends by an event.
  @discardableResult
  private func leave(in air: AirCore) -> Bool {
    guard let link else { return false }
    if link.uses.count > 1 || link.hasOtherApp || link.number == nil {
      unsubscribe(from: link, in: air)
      link.remove(self)
      self.link = nil
      return link.endIfUnused(in: air)
    }
    // The last one stays to hear how it ends.
    if let number = link.number { air.disconnect(number) }
    return true
  }

  /// A link that stays for others is told that nobody wants what only this manager did.
  private func unsubscribe(from link: HostLink, in air: AirCore) {
    for characteristic in attributes.subscribed where !othersSubscribe(characteristic.handle) {
      guard let descriptor = attributes.configuration(of: characteristic) else { continue }
      link.run(.write(descriptor, [0, 0]), for: nil, in: air) { _, _ in }
    }
  }

  /// The app cancels.
  func cancel(in air: AirCore) {
    guard !isCancelled else {
      next = nil
      return
    }
    isCancelled = true
    if !leave(in: air) { over(nil, in: air) }
  }

  /// The app asks for a connection while the one before is on its way out.
  func connectAgain(_ peripheral: CBPeripheral, _ options: Options) { next = (Weak(peripheral), options) }

  // MARK: - What the link tells

  func connected(in air: AirCore) {
    isConnected = true
    let (peripheral, mtu) = (peripheral, mtu)
    stack.tell("didConnect", in: air) { manager in
      guard let peripheral, peripheral.state == .connecting else { return }
      peripheral.connected(mtu: mtu)
      manager.delegate?.centralManager(manager, didConnect: peripheral)
    }
    if options.requiresANCS, let number = link?.number { air.requestPairing(on: number) }
  }

  func failed(_ reason: HCIErrorCode, in air: AirCore) {
    link = nil
    channels.end(in: air)
    stack.remove(self)
    let error = ErrorMapping.failedConnection(reason, stack.conventions)
    stack.tell("didFailToConnect", in: air) { [peripheral] manager in
      guard let peripheral else { return }
      peripheral.lose()
      manager.delegate?.centralManager(manager, didFailToConnect: peripheral, error: error)
    }
  }

  func ended(_ reason: HCIErrorCode, hasTimedOut: Bool, in air: AirCore) {
    link = nil
    let error = isCancelled ? nil : hasTimedOut ? CBError(.unknown) : ErrorMapping.disconnection(reason, stack.conventions)
    guard isConnected else { return failed(reason, in: air) }
    over(error, in: air)
  }

  /// The radio is off.
  func radioOff(in air: AirCore) {
    link = nil
    channels.end(in: air)
    stack.remove(self)
    let isTold = stack.conventions.radioOff == .disconnects && isConnected
    let (peripheral, stack) = (peripheral, stack)
    if isTold { return stack.tellDisconnected(peripheral, CBError(.unknown), isReconnecting: false, in: air) }
    // The peripherals are found disconnected by whoever hears of the state.
    stack.tell("", in: air) { _ in peripheral?.lose() }
  }

  private func over(_ error: (any Error)?, in air: AirCore) {
    stack.remove(self)
    channels.end(in: air)
    let reconnects = options.reconnects && !isCancelled
    let again = next?.options ?? (reconnects ? Options(reconnects: true, requiresANCS: options.requiresANCS) : nil)
    stack.tellDisconnected(peripheral, error, isReconnecting: reconnects, isAskedAgain: again != nil, in: air)
    guard let again, let peripheral = next.map(\.peripheral.object) ?? peripheral else { return }
    stack.begin(peripheral, mtu: mtuAsked, options: again, in: air)
  }

  // MARK: - Attributes

  /// Runs a procedure; `ending` gets its result, unless the link ends first.
  func run(_ procedure: GATTClient.Procedure, in air: AirCore, _ ending: @escaping (GATTClient.Result, AirCore) -> Void) {
    link?.run(procedure, for: self, in: air, ending)
  }

  func isSubscribed(_ handle: AttributeHandle) -> Bool { attributes.subscriptions[handle] ?? false }

  /// Whether another manager wants the values of a characteristic, so that nothing has to be sent.
  func othersSubscribe(_ handle: AttributeHandle) -> Bool {
    link?.uses.contains { $0 !== self && $0.isSubscribed(handle) } ?? false
  }

  func told(_ handle: AttributeHandle, _ value: [UInt8], in air: AirCore) {
    guard let characteristic = attributes.characteristics[handle], let peripheral else { return }
    let data = Data(value)
    stack.tell("didUpdateValueFor", in: air) { _ in
      characteristic.guardedValue.value = data
      peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
    }
  }

  func setMTU(_ mtu: Int) { peripheral?.guardedMTU.value = mtu }

  // MARK: - Writes without response

  /// Sends a command; `false` where there is no room for it.
  func send(_ pdu: ATTPDU, in air: AirCore) -> Bool {
    link?.send(pdu, in: air) { [weak self] air in self?.commandLeft(in: air) } ?? false
  }

  /// A command is on its way, or was dropped: there is room again.
  func commandLeft(in air: AirCore) { if peripheral?.commands.value.take() ?? false { tellReady(in: air) } }

  /// The controller takes commands again, or none any more.
  func setCredits(_ areLeft: Bool, in air: AirCore) {
    if peripheral?.commands.value.stall(!areLeft) ?? false, isConnected { tellReady(in: air) }
  }

  private func tellReady(in air: AirCore) {
    guard stack.conventions.readiness == .told, let peripheral else { return }
    stack.tell("peripheralIsReady(toSendWriteWithoutResponse:)", in: air) { _ in
      peripheral.delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
    }
  }

  func tellANCS(_ identifier: UUID, in air: AirCore) {
    guard options.requiresANCS, isConnected, identifier == self.identifier, let peripheral else { return }
    stack.tell("didUpdateANCSAuthorizationFor", in: air) { manager in
      manager.delegate?.centralManager(manager, didUpdateANCSAuthorizationFor: peripheral)
    }
  }
}
