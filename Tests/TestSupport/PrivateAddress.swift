import BLECrypto
import BLEWire

extension BluetoothAddress {
  /// The resolvable private address that a device with this identity resolving key makes of a random number.
  public static func made(with key: [UInt8], _ random: UInt32) -> BluetoothAddress {
    let part = random & 0x3F_FFFF | 0x40_0000
    return BluetoothAddress(UInt64(part) << 24 | UInt64(AddressResolver(key: key)?.hash(part) ?? 0), kind: .random)
  }
}
