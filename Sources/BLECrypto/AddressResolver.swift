package import BLEWire

/// Tells whether resolvable private addresses are of the device that has an identity resolving key.
///
/// Source: Core 5.4, Vol 6, Part B, 1.3.2.3.
package struct AddressResolver {
  private let cipher: AES128

  /// Takes an IRK, the most significant octet first; `nil` for one of another length than 16 bytes.
  package init?(key: [UInt8]) {
    guard let cipher = AES128(key: key) else { return nil }
    self.cipher = cipher
  }

  /// The random address hash function ah of 24 bits (Core 5.4, Vol 3, Part H, 2.2.2).
  package func hash(_ random: UInt32) -> UInt32? {
    let padded = [UInt8](repeating: 0, count: 13) + [16, 8, 0].map { UInt8(truncatingIfNeeded: random >> $0) }
    return cipher.encrypt(padded)?.suffix(3).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Whether the device made this address: `prand(24 bits, 01 first) hash(24 bits)`, the most significant octet first.
  package func resolves(_ address: BluetoothAddress) -> Bool {
    guard address.kind == .random, address.randomKind == .resolvable else { return false }
    return hash(UInt32(truncatingIfNeeded: address.value >> 24)) == UInt32(truncatingIfNeeded: address.value & 0xFF_FFFF)
  }
}
