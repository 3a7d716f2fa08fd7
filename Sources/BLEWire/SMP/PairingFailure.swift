/// The reason of Pairing Failed; codes without a name survive.
///
/// Source: Core 5.4, Vol 3, Part H, 3.5.5.
public struct PairingFailure: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps an octet.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let pairingNotSupported = PairingFailure(rawValue: 0x05)
  public static let unspecifiedReason = PairingFailure(rawValue: 0x08)

  /// The specification's name, or `nil` for a code it does not have.
  public var name: String? {
    Self.names.indices.contains(Int(rawValue) - 1) ? Self.names[Int(rawValue) - 1] : nil
  }

  /// From code 1 on.
  private static let names = [
    "Passkey Entry Failed", "OOB Not Available", "Authentication Requirements", "Confirm Value Failed", "Pairing Not Supported",
    "Encryption Key Size", "Command Not Supported", "Unspecified Reason", "Repeated Attempts", "Invalid Parameters", "DHKey Check Failed",
    "Numeric Comparison Failed", "BR/EDR Pairing in Progress", "Cross-transport Key Derivation Not Allowed", "Key Rejected", "Busy",
  ]
}

extension PairingFailure: CustomStringConvertible {
  /// `0x04 Confirm Value Failed`.
  public var description: String { name.map { "\(hexadecimal(rawValue)) \($0)" } ?? hexadecimal(rawValue) }
}
