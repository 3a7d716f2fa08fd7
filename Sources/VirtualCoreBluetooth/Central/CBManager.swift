public import Foundation
import ReplayEngine

/// What managers have in common.
open class CBManager: NSObject, @unchecked Sendable {
  let observedState: Observed<CBManagerState>

  /// Whether Bluetooth can be used.
  public var state: CBManagerState { observedState.value }

  /// ``state`` now, and each that follows: in place of key-value observation, which Linux does not have.
  public var stateUpdates: AsyncStream<CBManagerState> { observedState.updates }

  /// Whether the app may use Bluetooth: what the user of the air's ``VirtualPhone`` says.
  public class var authorization: CBManagerAuthorization { VirtualAir.find()?.phone.authorization ?? .allowedAlways }

  /// For the managers of this module; apps make one of those.
  init(state: CBManagerState) {
    observedState = Observed(state)
    super.init()
  }
}
