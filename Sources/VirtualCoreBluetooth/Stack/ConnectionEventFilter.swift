import BLEWire
import Foundation

/// Which connections of the phone an app wants to hear of: any that one of the lists names.
struct ConnectionEventFilter: Sendable {
  var services: Set<BluetoothUUID> = []
  var identifiers: Set<UUID> = []

  func wants(_ identifier: UUID, _ found: Set<BluetoothUUID>) -> Bool {
    if services.isEmpty, identifiers.isEmpty { return true }
    return identifiers.contains(identifier) || !services.isDisjoint(with: found)
  }
}
