public import Foundation
public import ReplayEngine

/// The phone around an app: what its user and its system do to it. One for each air, ``ReplayEngine/VirtualAir/phone``.
///
/// A change counts from the air's present moment; the app hears of it when the air runs.
public final class VirtualPhone: @unchecked Sendable {
  struct Settings: Sendable {
    var conventions = Conventions()
    var firstStateDelay = Duration.milliseconds(50)
    var connectionTimeout: Duration?
    var commandRoom = CommandQueue.usualRoom
    var authorization = CBManagerAuthorization.allowedAlways
    /// A state that is not that of the adapter.
    var stateOverride: CBManagerState?
    var isInBackground = false
    var pairing: @Sendable (PairingPrompt) -> PairingAnswer = { _ in .agree }
    var ancs: Set<UUID> = []
  }

  private weak var air: VirtualAir?
  let settings = Guarded(Settings())
  let host: HostStack
  /// What is kept of an app that was ended, by restore identifier.
  let saved = Guarded<[String: CentralStack]>([:])

  init(_ air: VirtualAir) {
    self.air = air
    host = HostStack(settings: settings)
  }

  // MARK: - How it behaves

  /// Which of several ways is taken where the framework's behaviour differs by version, or sources contradict each other.
  public var conventions: Conventions {
    get { settings.value.conventions }
    set { settings.withValue { $0.conventions = newValue } }
  }

  /// How long a new manager waits for its first state; phones take 50 to 500 ms.
  public var firstStateDelay: Duration {
    get { settings.value.firstStateDelay }
    set { settings.withValue { $0.firstStateDelay = max(.zero, newValue) } }
  }

  /// After how long a connection that does not come about fails with `CBError.connectionTimeout`; `nil`, as on a phone, for never.
  public var connectionTimeout: Duration? {
    get { settings.value.connectionTimeout }
    set { settings.withValue { $0.connectionTimeout = newValue } }
  }

  /// How many writes without response the phone keeps until its controller takes them; 16 unless set. It holds for connections that come up
  /// from now on.
  public var commandRoom: Int {
    get { settings.value.commandRoom }
    set { settings.withValue { $0.commandRoom = max(1, newValue) } }
  }

  // MARK: - Bluetooth

  /// What managers are told of Bluetooth. Below `poweredOn` the adapter is off: scans and links end.
  ///
  /// Setting `.unauthorized` denies the ``authorization``; setting any other state leaves that as it is.
  public var state: CBManagerState {
    get { air?.withCore { self.host.state(in: $0) } ?? .unknown }
    set {
      settings.withValue {
        if newValue == .unauthorized { $0.authorization = .denied }
        $0.stateOverride = newValue == .poweredOn || newValue == .poweredOff || newValue == .unauthorized ? nil : newValue
      }
      let isOn = newValue == .poweredOn
      air?.enqueue { [host] air in
        air.setAdapter(isOn: isOn)
        host.tellState(in: air)
      }
    }
  }

  /// Whether the user lets the app use Bluetooth. While it is `.notDetermined` managers stay in the state `.unknown`.
  public var authorization: CBManagerAuthorization {
    get { settings.value.authorization }
    set {
      settings.withValue { $0.authorization = newValue }
      air?.enqueue { [host] air in host.authorizationChanged(in: air) }
    }
  }

  // MARK: - The app

  /// Whether the app is in the background: then a scan needs a service filter, and tells each device once.
  public var isInBackground: Bool {
    get { settings.value.isInBackground }
    set { settings.withValue { $0.isInBackground = newValue } }
  }

  /// Ends the app, as the system does that needs its memory: no call comes to its managers any more. What managers with a restore
  /// identifier did goes on, and is given to the next manager with the same one; of the others, scans and links end.
  public func terminateApp() {
    for stack in host.clients {
      let (identifier, manager) = (stack.restoreIdentifier, stack.detachManager())
      manager?.die()
      guard let identifier else {
        stack.close()
        continue
      }
      stack.keepPeripherals()
      saved.withValue { $0[identifier] = stack }
    }
  }

  // MARK: - The user

  /// Answers when the phone asks whether to pair; it agrees at once unless set. It is asked in the air's lock: it must not use the air.
  public func onPairingPrompt(_ answer: @escaping @Sendable (PairingPrompt) -> PairingAnswer) {
    settings.withValue { $0.pairing = answer }
  }

  /// Has the phone forget a device, as its user does in the settings, by the device's place in the air's scenarios: the link ends, and
  /// the next one is paired anew where the device asks for it.
  public func forgetDevice(_ number: Int = 0) { air?.enqueue { [host] air in host.forgetDevice(number, in: air) } }

  /// Lets a peripheral have the phone's notifications (Apple Notification Center Service), or not any more.
  public func setANCSAuthorization(_ isGranted: Bool, for identifier: UUID) {
    let isChange = settings.withValue { settings -> Bool in
      if isGranted { return settings.ancs.insert(identifier).inserted }
      return settings.ancs.remove(identifier) != nil
    }
    guard isChange else { return }
    air?.enqueue { [host] air in host.tellANCS(identifier, in: air) }
  }

  // MARK: - Other apps

  /// Connects another app of the phone to a peripheral of the air, by its place in the air's scenarios, and has that app look at its services.
  public func connectOtherApp(toPeripheral number: Int = 0) {
    guard let air else { return }
    let mtu = air.centralMTU
    air.enqueue { [host] air in host.connectOtherApp(number, mtu: mtu, in: air) }
  }

  /// Ends what ``connectOtherApp(toPeripheral:)`` began; the link stays if this app has it, too.
  public func disconnectOtherApp(fromPeripheral number: Int = 0) {
    air?.enqueue { [host] air in host.disconnectOtherApp(number, in: air) }
  }

  // MARK: - Managers

  /// Chooses which disconnection calls a manager makes, where it is to differ from ``Conventions/disconnections``.
  public func setDisconnections(_ disconnections: Conventions.Disconnections, for manager: CBCentralManager) {
    manager.stack?.disconnections.value = disconnections
  }
}

extension VirtualPhone: AirCompanion {
  package func airHasClosed() {
    saved.value = [:]
    host.clear()
  }
}

extension VirtualAir {
  /// The phone on which the app under test runs.
  public var phone: VirtualPhone { companion { VirtualPhone(self) } }
}
