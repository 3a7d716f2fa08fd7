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
  /// Whether the controller takes writes without response.
  let guardedCredits = Guarded(true)
  let device: DeviceKey
  /// The device's place in its air.
  var index: Int { device.index }
  private weak var stack: CentralStack?
  private let isInvalid = Guarded(false)
  private let guardedServices = Guarded<[CBService]?>(nil)
  /// Services found on the present connection, by their handle.
  public internal(set) var services: [CBService]? {
    get { guardedServices.value }
    set { guardedServices.value = newValue }
  }

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
  public var canSendWriteWithoutResponse: Bool { state == .connected && guardedCredits.value }

  /// Whether a manager may use it.
  func belongs(to stack: CentralStack) -> Bool { self.stack === stack && !isInvalid.value }

  /// The link is there.
  func connected(mtu: Int) {
    guardedMTU.value = mtu
    guardedCredits.value = true
    observedState.value = .connected
  }

  /// The link is gone.
  func reset(keepsServices: Bool = false, to state: CBPeripheralState = .disconnected) {
    for characteristic in (services ?? []).flatMap({ $0.characteristics ?? [] }) { characteristic.isNotifying = false }
    if !keepsServices { services = nil }
    guardedMTU.value = 23
    guardedCredits.value = true
    observedState.value = state
  }

  /// The peripheral has to be retrieved again.
  func invalidate() {
    isInvalid.value = true
    reset()
  }

  public override var description: String {
    "<CBPeripheral: identifier = \(identifier), name = \(name ?? "(null)"), mtu = \(guardedMTU.value), state = \(state)>"
  }

  /// Reads the signal's strength.
  public func readRSSI() { command { $0.readRSSI(self) } }

  /// Looks for these services, or for all; what was found before stays.
  public func discoverServices(_ serviceUUIDs: [CBUUID]?) { command { $0.discoverServices(self, serviceUUIDs ?? []) } }

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
    command { $0.write(self, [UInt8](data), characteristic, type) }
  }

  /// Writes a descriptor; the Client Characteristic Configuration is written by ``setNotifyValue(_:for:)`` only.
  public func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    guard descriptor.uuid.value.short != 0x2902 else {
      fatalError("Cannot write values to Client Configuration descriptors; use setNotifyValue(_:for:)")
    }
    command { $0.write(self, [UInt8](data), descriptor) }
  }

  /// Switches notifications on or off, or indications where there are no notifications.
  public func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    command { $0.setNotify(self, enabled, characteristic) }
  }

  private func command(_ body: (CentralStack) -> Void) {
    guard let stack else { return }
    guard state == .connected else {
      stack.air.noteMisuse("API MISUSE: \(self) can only accept commands while in the connected state")
      return
    }
    body(stack)
  }
}
