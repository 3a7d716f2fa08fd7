/// A device as a phone knows it: one that comes back with an address that the phone cannot resolve is another.
struct DeviceKey: Hashable, Comparable, Sendable {
  /// The device's place in its air.
  let index: Int
  /// Who it is for a phone.
  let own: Int

  static func < (one: DeviceKey, other: DeviceKey) -> Bool { (one.index, one.own) < (other.index, other.own) }
}
