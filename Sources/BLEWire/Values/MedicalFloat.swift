/// Decimal numbers of the IEEE 11073-20601 kinds that health devices send.
public enum MedicalFloat: Sendable, Hashable {
  /// `mantissa × 10^exponent`.
  case number(mantissa: Int, exponent: Int)
  /// Not a number, not at this resolution, or a reserved value.
  case none
  case positiveInfinity
  case negativeInfinity

  /// A FLOAT: `mantissa(24 bits, signed) exponent(8 bits, signed)` in 32 bits.
  public init(float bits: UInt32) {
    let mantissa = Int(Int32(bitPattern: bits << 8) >> 8)
    self.init(mantissa: mantissa, exponent: Int(Int8(truncatingIfNeeded: bits >> 24)), special: 0x7F_FFFE)
  }

  /// An SFLOAT: `mantissa(12 bits, signed) exponent(4 bits, signed)` in 16 bits.
  public init(short bits: UInt16) {
    let mantissa = Int(Int16(bitPattern: bits << 4) >> 4)
    self.init(mantissa: mantissa, exponent: Int(Int16(bitPattern: bits) >> 12), special: 0x7FE)
  }

  /// The five special values lie around the largest mantissa.
  private init(mantissa: Int, exponent: Int, special: Int) {
    switch (mantissa, exponent) {
    case (special, 0): self = .positiveInfinity
    case (-special, 0): self = .negativeInfinity
    case (special + 1, 0), (-special - 1, 0), (-special - 2, 0): self = .none
    default: self = .number(mantissa: mantissa, exponent: exponent)
    }
  }
}

extension MedicalFloat: CustomStringConvertible {
  /// All its digits, as `36.60` for 3660 × 10^-2; `1e100` where zeros would only be counted.
  public var description: String {
    switch self {
    case .none: return "no value"
    case .positiveInfinity: return "+infinity"
    case .negativeInfinity: return "-infinity"
    case .number(let mantissa, let exponent):
      guard (-10...6).contains(exponent) else { return "\(mantissa)e\(exponent)" }
      let sign = mantissa < 0 ? "-" : ""
      let digits = String(mantissa.magnitude)
      if exponent >= 0 { return sign + digits + (mantissa == 0 ? "" : String(repeating: "0", count: exponent)) }
      let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.count)) + digits
      return "\(sign)\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
    }
  }
}
