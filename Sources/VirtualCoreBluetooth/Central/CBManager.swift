public import Foundation
import ReplayEngine

/// What managers have in common.
open class CBManager: NSObject, @unchecked Sendable {
  let guardedState = Guarded(CBManagerState.unknown)

  /// Whether Bluetooth can be used.
  public var state: CBManagerState { guardedState.value }

  /// Whether the app may use Bluetooth.
  public class var authorization: CBManagerAuthorization { .allowedAlways }

  /// For the managers of this module; apps make one of those.
  init(state: CBManagerState) {
    guardedState.value = state
    super.init()
  }
}
