import BLEWire
public import Dispatch
public import Foundation
import ReplayEngine

/// Scans for peripherals and connects to them, on the air that it was made in.
///
/// Source of the behaviour: Apple's documentation of the class; the air takes the radio's place.
open class CBCentralManager: CBManager, @unchecked Sendable {
  private let guardedDelegate: Guarded<Weak<AnyObject>>
  /// Whom the manager tells.
  public weak var delegate: (any CBCentralManagerDelegate)? {
    get { guardedDelegate.value.object as? any CBCentralManagerDelegate }
    set { guardedDelegate.value = Weak(newValue) }
  }
  let queue: DispatchQueue
  private let guardedStack: Guarded<CentralStack?>
  var stack: CentralStack? { guardedStack.value }

  /// Without a delegate, on the main queue.
  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  /// With default options.
  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// Calls `delegate` on `queue`; `nil` is the main queue. The first state comes later, never within this call.
  ///
  /// With a restore identifier (``CBCentralManagerOptionRestoreIdentifierKey``) the manager takes over what one with the same did when
  /// ``VirtualPhone/terminateApp()`` ended it.
  public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
    guardedDelegate = Guarded(Weak(delegate))
    let queue = queue ?? .main
    self.queue = queue
    let air = VirtualAir.find()
    let identifier = options?[CBCentralManagerOptionRestoreIdentifierKey] as? String
    let saved = identifier.flatMap { identifier in air?.phone.saved.withValue { $0.removeValue(forKey: identifier) } }
    let stack = saved ?? air.map { CentralStack(air: $0, queue: queue, restoreIdentifier: identifier) }
    guardedStack = Guarded(stack)
    // Never another test's air: without one there is no Bluetooth.
    super.init(state: air == nil ? .unsupported : .unknown)
    if let stack {
      stack.open(self, queue: queue, isRestored: saved != nil)
    } else {
      let manager = Weak(self)
      queue.async {
        guard let manager = manager.object else { return }
        manager.delegate?.centralManagerDidUpdateState(manager)
      }
    }
  }

  deinit { stack?.close() }

  /// The app is ended: nothing comes of what it still calls.
  func die() { guardedStack.value = nil }

  /// Whether a scan is going on.
  public var isScanning: Bool { stack?.isScanning.value ?? false }

  /// ``isScanning`` now, and each change: in place of key-value observation, which Linux does not have.
  public var isScanningUpdates: AsyncStream<Bool> { (stack?.isScanning ?? Observed(false)).updates }

  /// Whether the phone can do all of this: it can.
  open class func supports(_ features: Feature) -> Bool { features.isSubset(of: [.extendedScanAndConnect]) }

  /// Looks for peripherals that advertise one of these services, or for all; a second call replaces the first.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    guard isReady("scanForPeripherals"), let stack else { return }
    var wanted = ScanState.Options()
    wanted.duplicates = options.flag(CBCentralManagerScanOptionAllowDuplicatesKey)
    wanted.solicited = (options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID] ?? []).map(\.value)
    if wanted.duplicates, VirtualAir.isMain(queue) {
      stack.air.noteMisuse(
        "WARNING: <CBCentralManager> is disabling duplicate filtering, but is using the default queue (main thread) for delegate events")
    }
    stack.scan(services: (serviceUUIDs ?? []).map(\.value), options: wanted)
  }

  /// Ends the scan.
  open func stopScan() {
    guard isReady("stopScan") else { return }
    stack?.stopScan()
  }

  /// Connects; there is no timeout. The app has to keep `peripheral`.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    guard isReady("connect"), isOwn(peripheral) else { return }
    var wanted = PeripheralLink.Options()
    let delay = (options?[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue ?? 0
    // A day is longer than any test.
    wanted.startDelay = .seconds(min(max(0, delay.isNaN ? 0 : delay), 86_400))
    wanted.reconnects = options.flag(CBConnectPeripheralOptionEnableAutoReconnect)
    wanted.requiresANCS = options.flag(CBConnectPeripheralOptionRequiresANCS)
    stack?.connect(peripheral, options: wanted)
  }

  /// Ends a connection, or gives up one that has not come about; either way `didDisconnectPeripheral` follows, without an error.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    guard isReady("cancelPeripheralConnection"), isOwn(peripheral) else { return }
    stack?.cancel(peripheral)
  }

  /// Peripherals of the air with these identifiers.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    guard isReady("retrievePeripherals") else { return [] }
    return stack?.peripherals(withIdentifiers: identifiers) ?? []
  }

  /// Peripherals that the phone is connected to, for whichever app, and that have one of these services; this app has to connect to them, too.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    guard isReady("retrieveConnectedPeripherals") else { return [] }
    return stack?.connectedPeripherals(withServices: serviceUUIDs) ?? []
  }

  /// Asks to be told when the phone connects to one of these peripherals, or loses it, for whichever app; `nil` ends that.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
    guard isReady("registerForConnectionEvents") else { return }
    let filter = options.map { options in
      ConnectionEventFilter(
        services: Set((options[.serviceUUIDs] as? [CBUUID] ?? []).map(\.value.shortened)),
        identifiers: Set(options[.peripheralUUIDs] as? [UUID] ?? []))
    }
    stack?.registerForConnectionEvents(filter)
  }

  private func isReady(_ command: String) -> Bool {
    guard state != .poweredOn else { return true }
    stack?.air.noteMisuse(
      "API MISUSE: <CBCentralManager> can only accept this command while in the powered on state (\(command), state \(state))")
    return false
  }

  private func isOwn(_ peripheral: CBPeripheral) -> Bool {
    guard let stack else { return false }
    if peripheral.belongs(to: stack) { return true }
    stack.air.noteMisuse(
      "API MISUSE: \(peripheral) is not valid for this <CBCentralManager>: it is another manager's, or is from before a state below "
        + "powered off, and has to be retrieved again")
    return false
  }
}

extension [String: Any]? {
  /// Whether an option is set.
  fileprivate func flag(_ key: String) -> Bool { (self?[key] as? NSNumber)?.boolValue ?? self?[key] as? Bool ?? false }
}

/// A reference that may be carried to another queue and does not keep its object alive.
struct Weak<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var object: Object?
  init(_ object: Object?) { self.object = object }
}
