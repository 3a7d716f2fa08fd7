package import ByteParsing

/// A UUID of 16, 32 or 128 bits that keeps its width but compares by its full 128-bit value.
///
/// Short forms stand for `xxxxxxxx-0000-1000-8000-00805F9B34FB`. Source: Core 5.4, Vol 3, Part B, 2.5.1.
public struct BluetoothUUID: Sendable {
  /// How many bytes the UUID takes on the air.
  public enum Width: UInt8, Sendable, Hashable { case bits16 = 2, bits32 = 4, bits128 = 16 }

  /// The width it was written with.
  public let width: Width
  /// The most significant 64 bits of the full form.
  public let high: UInt64
  /// The least significant 64 bits of the full form.
  public let low: UInt64

  static let baseHigh: UInt64 = 0x0000_0000_0000_1000
  static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

  /// A 16-bit UUID on the Bluetooth base.
  public init(_ value: UInt16) {
    width = .bits16
    high = UInt64(value) << 32 | Self.baseHigh
    low = Self.baseLow
  }

  /// A 32-bit UUID on the Bluetooth base.
  public init(_ value: UInt32) {
    width = .bits32
    high = UInt64(value) << 32 | Self.baseHigh
    low = Self.baseLow
  }

  /// A 128-bit UUID by its two halves, most significant first.
  public init(high: UInt64, low: UInt64) {
    width = .bits128
    self.high = high
    self.low = low
  }

  /// Reads `180F`, `133F180F` or the hyphenated 36-character form, in either case; `nil` for anything else.
  public init?(_ text: some StringProtocol) {
    switch text.utf8.count {
    case 4, 8:
      guard text.utf8.allSatisfy({ $0 != 0x20 }), let bytes = Hexadecimal.decode(text) else { return nil }
      let value = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      self = bytes.count == 2 ? BluetoothUUID(UInt16(value)) : BluetoothUUID(value)
    case 36:
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12], !text.utf8.contains(0x20),
        let bytes = Hexadecimal.decode(parts.joined())
      else { return nil }
      let halves = [bytes[0..<8], bytes[8..<16]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
      self.init(high: halves[0], low: halves[1])
    default: return nil
    }
  }

  /// Reads the wire form, least significant byte first: 2, 4 or 16 bytes; `nil` for another length.
  package init?(wire bytes: RawSpan) {
    switch bytes.byteCount {
    case 2: self.init(bytes.uint16(at: 0))
    case 4: self.init(bytes.uint32(at: 0))
    case 16: self.init(high: bytes.uint64(at: 8), low: bytes.uint64(at: 0))
    default: return nil
    }
  }

  /// The wire form, least significant byte first, in the UUID's own width.
  package func write(to writer: inout ByteWriter) {
    switch width {
    case .bits16: writer.uint16(UInt16(truncatingIfNeeded: high >> 32))
    case .bits32: writer.uint32(UInt32(truncatingIfNeeded: high >> 32))
    case .bits128:
      writer.uint64(low)
      writer.uint64(high)
    }
  }

  /// The number of bytes of the wire form.
  package var encodedByteCount: Int { Int(width.rawValue) }

  /// The wire form as an array.
  public var wireBytes: [UInt8] {
    var writer = ByteWriter(capacity: 16)
    write(to: &writer)
    return writer.bytes
  }

  /// The 16-bit number, where the UUID is on the Bluetooth base and fits, whatever its width.
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh, high >> 48 == 0 else { return nil }
    return UInt16(truncatingIfNeeded: high >> 32)
  }

  /// The same UUID in the shortest form ATT allows on the air: 16 or 128 bits.
  public var shortened: BluetoothUUID {
    if let short { BluetoothUUID(short) } else { BluetoothUUID(high: high, low: low) }
  }
}

extension BluetoothUUID: Hashable {
  public static func == (left: BluetoothUUID, right: BluetoothUUID) -> Bool { left.high == right.high && left.low == right.low }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }
}

extension BluetoothUUID: CustomStringConvertible {
  /// Upper-case, in the UUID's own width.
  public var description: String {
    func hex(_ value: UInt64, _ digits: Int) -> String {
      let text = String(value, radix: 16, uppercase: true)
      return String(repeating: "0", count: digits - text.count) + text
    }
    switch width {
    case .bits16: return hex(high >> 32, 4)
    case .bits32: return hex(high >> 32, 8)
    case .bits128:
      return [hex(high >> 32, 8), hex(high >> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low >> 48, 4), hex(low & 0xFFFF_FFFF_FFFF, 12)]
        .joined(separator: "-")
    }
  }
}
