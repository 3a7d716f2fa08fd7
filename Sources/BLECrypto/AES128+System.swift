import CUnderstudyCrypto

/// AES-128 with one key, a block at a time: the security function e.
///
/// Source: Core 5.4, Vol 3, Part H, 2.2.1.
@safe package final class AES128 {
  private let context: OpaquePointer
  package static let byteCount = 16

  /// Takes a key, the most significant octet first; `nil` for one of another length than 16 bytes, or where libcrypto refuses.
  package init?(key: [UInt8]) {
    guard key.count == Self.byteCount, let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
    unsafe self.context = context
    guard unsafe EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nil, key, nil) == 1,
      unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1
    else { return nil }
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Encrypts one block, the most significant octet first; `nil` for one of another length than 16 bytes, or where libcrypto refuses.
  package func encrypt(_ block: [UInt8]) -> [UInt8]? {
    guard block.count == Self.byteCount else { return nil }
    var (encrypted, count) = ([UInt8](repeating: 0, count: 2 * Self.byteCount), Int32(0))
    guard unsafe EVP_EncryptUpdate(context, &encrypted, &count, block, Int32(block.count)) == 1, count == Int32(Self.byteCount) else {
      return nil
    }
    return Array(encrypted.prefix(Self.byteCount))
  }
}
