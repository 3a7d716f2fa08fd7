import BLECrypto
import BLEWire
import TestSupport
import Testing

struct AddressResolverTests {
  /// FIPS 197, appendix C.1.
  @Test func aBlockIsEncrypted() throws {
    let cipher = try #require(AES128(key: hex("000102030405060708090a0b0c0d0e0f")))
    for _ in 0..<3 { #expect(cipher.encrypt(hex("00112233445566778899aabbccddeeff")) == hex("69c4e0d86a7b0430d8cdb78070b4c55a")) }
    #expect(cipher.encrypt([]) == nil && cipher.encrypt([UInt8](repeating: 0, count: 17)) == nil)
    #expect(AES128(key: []) == nil && AES128(key: [UInt8](repeating: 0, count: 17)) == nil)
  }

  /// Core 5.4, Vol 3, Part H, appendix D.7: the key, the random part, and the hash.
  private static let key = hex("ec0234a357c8ad05341010a60a397d9b")

  @Test func theHashIsTheSpecifications() throws {
    let resolver = try #require(AddressResolver(key: Self.key))
    #expect(resolver.hash(0x708194) == 0x0DFBAA)
    #expect(AddressResolver(key: [1]) == nil)
  }

  @Test func onlyAddressesOfTheKeyAreResolved() throws {
    let resolver = try #require(AddressResolver(key: Self.key))
    #expect(resolver.resolves(BluetoothAddress(0x7081_940D_FBAA, kind: .random)))
    #expect(!resolver.resolves(BluetoothAddress(0x7081_940D_FBAB, kind: .random)))
    #expect(!resolver.resolves(BluetoothAddress(0x7081_940D_FBAA, kind: .publicDevice)))
    #expect(!resolver.resolves(BluetoothAddress(0xF081_940D_FBAA, kind: .random)))
    #expect(
      try !#require(AddressResolver(key: [UInt8](repeating: 3, count: 16))).resolves(BluetoothAddress(0x7081_940D_FBAA, kind: .random)))
  }
}
