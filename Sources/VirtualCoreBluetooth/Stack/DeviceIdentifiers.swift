import BLEWire
import Foundation
import ReplayEngine
import ReplayScenarios

/// By what apps know devices again.
extension HostStack {
  /// The identifier of a device: that of the scenario for the device as it was first, else one that is made from its address.
  func identifier(of device: DeviceKey, in air: AirCore) -> UUID {
    if device.own == 0, let written = air.device(device.index).identifier.flatMap({ UUID(uuidString: $0) }) { return written }
    if let known = identifiers[device] { return known }
    let made = Self.identifier(for: air.appearance(device.index).address)
    identifiers[device] = made
    return made
  }

  /// An identifier that is the same in each run for the same address, in the form of a random UUID.
  private static func identifier(for address: BluetoothAddress) -> UUID {
    func mix(_ value: UInt64) -> UInt64 {
      // SplitMix64 (Steele, Lea and Flood 2014) spreads the address over all bits.
      var mixed = value &+ 0x9E37_79B9_7F4A_7C15
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
    let high = mix(address.value) & ~0xF000 | 0x4000
    let low = mix(high ^ UInt64(address.kind.rawValue)) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return UUID(uuidString: BluetoothUUID(high: high, low: low).description) ?? UUID()
  }

  /// Takes the name that a device advertises; tells its name, where that is known now: its own, once that was read.
  func heard(_ name: String?, of device: DeviceKey) -> String? {
    guard let name, !ownNames.contains(device) else { return names.value[device] }
    names.withValue { $0[device] = name }
    return name
  }

  /// Takes the name that a device gives itself.
  func learn(_ name: String, of device: DeviceKey) {
    ownNames.insert(device)
    names.withValue { $0[device] = name }
  }
}
