import ByteParsing

/// A device address of 48 bits with its type.
///
/// Source: Core 5.4, Vol 6, Part B, 1.3.
public struct BluetoothAddress: Sendable, Hashable {
  /// Public or random; the resolved forms of the HCI (2 and 3) say which the identity is.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8
    /// Wraps an `Address_Type` octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let publicDevice = Kind(rawValue: 0)
    public static let random = Kind(rawValue: 1)
    public static let publicIdentity = Kind(rawValue: 2)
    public static let randomIdentity = Kind(rawValue: 3)
    public static let anonymous = Kind(rawValue: 0xFF)
    /// The address type used on BR/EDR, which has no types; not a value of the HCI.
    public static let classic = Kind(rawValue: 0xFE)
  }

  /// The address as a number; the first octet written is the most significant.
  public let value: UInt64
  /// Its type.
  public let kind: Kind

  /// The address of a device that a capture does not tell.
  public static let unknown = BluetoothAddress(0, kind: .anonymous)

  /// Takes the low 48 bits of `value`.
  public init(_ value: UInt64, kind: Kind) {
    self.value = value & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  /// Reads `C0:11:22:33:44:55`; `nil` for anything else.
  public init?(_ text: some StringProtocol, kind: Kind) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 && !$0.utf8.contains(0x20) }),
      let bytes = Hexadecimal.decode(parts.joined())
    else { return nil }
    self.init(bytes.reduce(0) { $0 << 8 | UInt64($1) }, kind: kind)
  }

  /// What the two most significant bits say of a random address.
  public enum RandomKind: String, Sendable, Hashable {
    case staticRandom = "static", resolvable, nonResolvable = "non-resolvable", reserved
  }

  /// The sort of a random address; `nil` for a public one.
  public var randomKind: RandomKind? {
    guard kind == .random || kind == .randomIdentity else { return nil }
    switch value >> 46 {
    case 0b11: return .staticRandom
    case 0b01: return .resolvable
    case 0b00: return .nonResolvable
    default: return .reserved
    }
  }
}

extension BluetoothAddress: CustomStringConvertible {
  /// Six upper-case octets with colons, most significant first.
  public var description: String {
    (0..<6).map { index in
      let text = String(value >> UInt64(40 - 8 * index) & 0xFF, radix: 16, uppercase: true)
      return text.count == 1 ? "0" + text : text
    }.joined(separator: ":")
  }
}
