/// The bytes that base64 text stands for (RFC 4648, section 4), decoded while it is read; white space is passed over.
///
/// The text ends with its source or at a `-`, which no alphabet of it has: a bug report's next marker begins with one.
final class Base64Source: DamageTelling {
  private(set) var damage: String?
  private var source: any ByteSource
  private var input: [UInt8]
  private var position = 0
  private var fileOffset = 0
  private var hasEnded = false
  private var bits: UInt32 = 0
  private var digits = 0

  /// Decodes `beginning`, then `source`; `fileOffset` is where the beginning stands, for messages.
  init(_ source: any ByteSource, beginning: [UInt8] = [], fileOffset: Int = 0) {
    (self.source, input, self.fileOffset) = (source, beginning, fileOffset)
  }

  func read(_ count: Int, into buffer: inout [UInt8]) throws(CaptureError) -> Int {
    var made = 0
    while made < count, !hasEnded {
      if position == input.count {
        fileOffset += input.count
        input.removeAll(keepingCapacity: true)
        position = 0
        if try source.read(InflatingSource.chunk, into: &input) == 0 {
          end(digits == 1 || source.toldDamage != nil ? "ends early" : nil)
          break
        }
      }
      let unit = input[position]
      position += 1
      if let value = Self.value(unit) {
        bits = bits << 6 | value
        digits += 1
        // Each digit but the first of four completes a byte.
        if digits > 1 {
          buffer.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * UInt32(digits - 1))))
          made += 1
          if digits == 4 { digits = 0 }
        }
      } else if unit == UInt8(ascii: "=") || unit == UInt8(ascii: "-") {
        end(digits == 1 ? "ends early" : nil)
      } else if !Self.isSpace(unit) {
        end("is damaged")
      }
    }
    return made
  }

  private func end(_ problem: String?) {
    hasEnded = true
    damage = source.toldDamage ?? problem.map { "the base64 text \($0) at byte \(fileOffset + position)" }
  }

  private static func isSpace(_ unit: UInt8) -> Bool { unit == 0x20 || (0x09...0x0D).contains(unit) }

  private static func value(_ unit: UInt8) -> UInt32? {
    switch unit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(unit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(unit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(unit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
