import BLEWire
public import Foundation
import GATTStack
import ReplayEngine

/// A remote device, and the client of its attributes while connected.
public class CBPeripheral: CBPeer, @unchecked Sendable {
  private let guardedDelegate = Guarded(Weak<AnyObject>(nil))
  /// Whom the peripheral tells.
  public weak var delegate: (any CBPeripheralDelegate)? {
    get { guardedDelegate.value.object as? any CBPeripheralDelegate }
    set { guardedDelegate.value = Weak(newValue) }
  }
  let observedState = Observed(CBPeripheralState.disconnected)
  let guardedName = Guarded<String?>(nil)
  let guardedMTU = Guarded(23)
  let guardedRSSI = Guarded<NSNumber?>(nil)
  /// Writes without response on the present connection.
  let commands = Guarded(CommandQueue(room: CommandQueue.usualRoom))
  /// What stands for the attributes of the latest connection.
  private let attributes = Guarded<AttributeTable?>(nil)
  let device: DeviceKey
  /// The device's place in its air.
  var index: Int { device.index }
  private weak var stack: CentralStack?
  private let isInvalid = Guarded(false)
  let guardedServices = Guarded<[CBService]?>(nil)
  /// Services found on the present connection, by their handle.
  public var services: [CBService]? { guardedServices.value }

  init(identifier: UUID, device: DeviceKey, stack: CentralStack) {
    self.device = device
    self.stack = stack
    super.init(identifier: identifier)
  }

  deinit { if state != .disconnected { stack?.released(description, device) } }

  /// The advertised name.
  public var name: String? { guardedName.value }
  /// Where the connection stands.
  public var state: CBPeripheralState { observedState.value }
  /// ``state`` now, and each that follows: in place of key-value observation, which Linux does not have.
  public var stateUpdates: AsyncStream<CBPeripheralState> { observedState.updates }
  /// Whether a write without response would be taken now.
  public var canSendWriteWithoutResponse: Bool {
    guard state == .connected, let stack else { return false }
    return commands.value.hasRoom(stack.conventions.readiness)
  }
  /// The strength of the signal as it was read last, in dBm.
  public var rssi: NSNumber? { guardedRSSI.value }
  /// Whether the user lets the peripheral have the phone's notifications (``VirtualPhone/setANCSAuthorization(_:for:)``).
  public var ancsAuthorized: Bool { stack?.host.settings.value.ancs.contains(identifier) ?? false }

  /// Whether a manager may use it.
  func belongs(to stack: CentralStack) -> Bool { self.stack === stack && !isInvalid.value }

  /// What stands for the attributes of a connection that begins; that of the one before where services stay usable.
  func attributesForConnection(_ conventions: VirtualPhone.Conventions) -> AttributeTable {
    commands.value = CommandQueue(room: stack?.host.settings.value.commandRoom ?? CommandQueue.usualRoom)
    return attributes.withValue { known in
      if conventions.servicesAfterDisconnection == .kept, let known {
        known.unsubscribeAll()
        return known
      }
      let new = AttributeTable()
      known = new
      return new
    }
  }

  /// The link is there.
  func connected(mtu: Int) {
    guardedMTU.value = mtu
    observedState.value = .connected
  }

  /// The link is gone, and is made again or not; what the app has asked for since holds.
  func reset(keepsServices: Bool = false, reconnects: Bool = false) {
    clear(keepsServices: keepsServices)
    if reconnects {
      _ = observedState.exchange(from: [.connected, .disconnected], to: .connecting)
    } else {
      _ = observedState.exchange(from: [.connected, .disconnecting], to: .disconnected)
    }
  }

  /// The connection has not come about, or went with the radio.
  func lose() {
    clear(keepsServices: false)
    observedState.value = .disconnected
  }

  private func clear(keepsServices: Bool) {
    for characteristic in (services ?? []).flatMap({ $0.characteristics ?? [] }) { characteristic.guardedIsNotifying.value = false }
    if !keepsServices { guardedServices.value = nil }
    guardedMTU.value = 23
  }

  /// The peripheral has to be retrieved again.
  func invalidate() {
    isInvalid.value = true
    lose()
  }

  public override var description: String {
    "<CBPeripheral: identifier = \(identifier), name = \(name ?? "(null)"), mtu = \(guardedMTU.value), state = \(state)>"
  }

  /// Reads the signal's strength.
  public func readRSSI() {
    if delegate == nil { noteMissing("Reading RSSI", "peripheral:didReadRSSI:error:") }
    command { $0.readRSSI(self) }
  }

  /// Looks for these services, or for all; what was found before stays.
  public func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    if delegate == nil { noteMissing("Discovering services", "peripheral:didDiscoverServices:") }
    command { $0.discoverServices(self, serviceUUIDs ?? []) }
  }

  /// Looks for services that a service includes.
  public func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    command { $0.discoverIncludedServices(self, includedServiceUUIDs ?? [], service) }
  }

  /// Looks for these characteristics of a service, or for all.
  public func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    command { $0.discoverCharacteristics(self, characteristicUUIDs ?? [], service) }
  }

  /// Looks for the descriptors of a characteristic.
  public func discoverDescriptors(for characteristic: CBCharacteristic) { command { $0.discoverDescriptors(self, characteristic) } }

  /// Reads a value, however long.
  public func readValue(for characteristic: CBCharacteristic) { command { $0.read(self, characteristic) } }

  /// Reads a descriptor.
  public func readValue(for descriptor: CBDescriptor) { command { $0.read(self, descriptor) } }

  /// How many bytes one write takes: 512 with response (longer than the MTU as prepared writes), else the MTU less three.
  public func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int { type == .withResponse ? 512 : guardedMTU.value - 3 }

  /// Writes a value.
  public func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
    command {
      if type == .withResponse {
        $0.write(self, [UInt8](data), characteristic)
      } else {
        $0.send(self, [UInt8](data), characteristic, commands.value.write())
      }
    }
  }

  /// Writes a descriptor; the Client Characteristic Configuration is written by ``setNotifyValue(_:for:)`` only.
  public func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    guard descriptor.uuid.value.short != 0x2902 else {
      RaisedException.internalInconsistency(
        "Client Characteristic Configuration descriptors must be configured using setNotifyValue:forCharacteristic:", in: stack?.air)
      return
    }
    command { $0.write(self, [UInt8](data), descriptor) }
  }

  /// Switches notifications on or off, or indications where there are no notifications.
  public func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    command { $0.setNotify(self, enabled, characteristic) }
  }

  /// The app asks for what it cannot be told. That a delegate lacks a method shows only when it is called.
  func noteMissing(_ what: String, _ method: String) {
    stack?.air.noteMisuse(
      "API MISUSE: \(what) for peripheral \(self) while delegate is either nil or does not implement \(method)")
  }

  /// Opens a channel for a protocol of the peripheral's.
  public func openL2CAPChannel(_ PSM: CBL2CAPPSM) { command { $0.openChannel(self, PSM) } }

  func warn(_ words: String) { stack?.air.noteMisuse("WARNING: \(words)") }

  private func command(_ body: (CentralStack) -> Void) {
    guard let stack else { return }
    guard state == .connected else {
      stack.air.noteMisuse("API MISUSE: \(self) can only accept commands while in the connected state")
      return
    }
    body(stack)
  }
}
