public import Dispatch
public import Foundation
import ReplayEngine

/// Scans for peripherals and connects to them, on the air that it was made in.
///
/// Source of the behaviour: Apple's documentation of the class; the air takes the radio's place.
open class CBCentralManager: CBManager, @unchecked Sendable {
  public weak var delegate: (any CBCentralManagerDelegate)?
  let queue: DispatchQueue
  let stack: CentralStack?

  /// Without a delegate, on the main queue.
  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  /// With default options.
  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// Calls `delegate` on `queue`; `nil` is the main queue. The first state comes later, never within this call.
  public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
    self.delegate = delegate
    self.queue = queue ?? .main
    let air = VirtualAir.find()
    stack = air.map { CentralStack(air: $0, queue: queue ?? .main) }
    // Never another test's air: without one there is no Bluetooth.
    super.init(state: air == nil ? .unsupported : .unknown)
    if let stack {
      stack.open(self)
    } else {
      let manager = Weak(self)
      self.queue.async {
        guard let manager = manager.object else { return }
        manager.delegate?.centralManagerDidUpdateState(manager)
      }
    }
  }

  deinit { stack?.close() }

  /// Whether a scan is going on.
  public var isScanning: Bool { stack?.isScanning.value ?? false }

  /// Looks for peripherals that advertise one of these services, or for all; a second call replaces the first.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    guard isReady("scanForPeripherals") else { return }
    let duplicates =
      (options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? NSNumber)?.boolValue
      ?? (options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool) ?? false
    stack?.scan(services: (serviceUUIDs ?? []).map(\.value), duplicates: duplicates)
  }

  /// Ends the scan.
  open func stopScan() {
    guard isReady("stopScan") else { return }
    stack?.stopScan()
  }

  /// Connects; there is no timeout.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    guard isReady("connect") else { return }
    stack?.connect(peripheral)
  }

  /// Ends a connection, or gives up one that has not come about; either way `didDisconnectPeripheral` follows, without an error.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    guard isReady("cancelPeripheralConnection") else { return }
    stack?.cancel(peripheral)
  }

  /// Peripherals of the air with these identifiers.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    guard isReady("retrievePeripherals") else { return [] }
    return stack?.peripherals(withIdentifiers: identifiers) ?? []
  }

  /// Peripherals that this manager is connected to and that have one of these services.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    guard isReady("retrieveConnectedPeripherals") else { return [] }
    return stack?.connectedPeripherals(withServices: serviceUUIDs) ?? []
  }

  private func isReady(_ command: String) -> Bool {
    guard state != .poweredOn else { return true }
    stack?.air.noteMisuse("API MISUSE: \(type(of: self)) can only accept this command (\(command)) while in the powered on state")
    return false
  }
}

/// A reference that may be carried to another queue and does not keep its object alive.
struct Weak<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var object: Object?
  init(_ object: Object) { self.object = object }
}
