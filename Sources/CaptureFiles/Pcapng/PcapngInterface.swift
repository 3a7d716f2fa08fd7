import ByteParsing

/// One interface of a pcapng section: what its packets are, and how its times count.
struct PcapngInterface {
  /// The link type's number; ``LinkType`` where it is one that is read.
  let number: UInt32
  let type: LinkType?
  /// The most bytes that are kept of a packet; `nil` for no limit.
  let snapLength: Int?
  /// The name that the capturing program gave it.
  let name: String?
  private let resolution: UInt8
  private let offset: Int64
  /// The controller that its packets are of.
  var adapter: UInt16 = 0

  /// Reads the body of an Interface Description Block: `linkType(2) reserved(2) snapLength(4) options`; `nil` where it is shorter.
  init?(_ block: borrowing PcapngBlock, options: CaptureOptions) {
    guard block.body.byteCount >= 8 else { return nil }
    number = UInt32(block.uint16(at: 0))
    type = LinkType(number, options)
    let snap = Int(block.uint32(at: 4))
    snapLength = snap == 0 ? nil : snap
    var (name, resolution, offset) = (String?.none, UInt8(6), Int64(0))
    var list = block.options(from: 8)
    while let (code, value) = list.next(block) {
      switch code {
      case 2: name = String(decoding: block.body.extracting(value).array, as: UTF8.self)
      case 9 where !value.isEmpty: resolution = block.body.uint8(at: value.lowerBound)
      case 14 where value.count == 8: offset = Int64(bitPattern: block.uint64(at: value.lowerBound))
      default: break
      }
    }
    (self.name, self.resolution, self.offset) = (name, resolution, offset)
  }

  /// The controller's number in the names that Linux gives, `bluetooth1` in captures and `hci1` elsewhere; `nil` for any other name.
  var namedAdapter: UInt16? {
    for prefix in ["bluetooth", "hci"] {
      if let name, name.hasPrefix(prefix), let number = UInt16(name.dropFirst(prefix.count)) { return number }
    }
    return nil
  }

  /// The moment that a packet's counter names; the counter's unit is a power of ten or of two of a second.
  func time(high: UInt32, low: UInt32) -> CaptureTime {
    let units = UInt64(high) << 32 | UInt64(low)
    let power = Int(resolution & 0x7F)
    let (seconds, nanoseconds) = resolution & 0x80 == 0 ? Self.decimal(units, power) : Self.binary(units, power)
    return CaptureTime(seconds: Int64(clamping: seconds), nanoseconds: Int32(truncatingIfNeeded: nanoseconds)).adding(
      CaptureTime(seconds: offset, nanoseconds: 0))
  }

  private static func powerOfTen(_ exponent: Int) -> UInt64? {
    guard (0...19).contains(exponent) else { return nil }
    return (0..<exponent).reduce(UInt64(1)) { value, _ in value &* 10 }
  }

  private static func decimal(_ units: UInt64, _ power: Int) -> (seconds: UInt64, nanoseconds: UInt64) {
    var (seconds, rest) = (UInt64(0), units)
    if let perSecond = powerOfTen(power) { (seconds, rest) = units.quotientAndRemainder(dividingBy: perSecond) }
    if power <= 9 { return (seconds, rest &* (powerOfTen(9 - power) ?? 1)) }
    return (seconds, powerOfTen(power - 9).map { rest / $0 } ?? 0)
  }

  private static func binary(_ units: UInt64, _ power: Int) -> (seconds: UInt64, nanoseconds: UInt64) {
    let seconds = power < 64 ? units >> UInt64(power) : 0
    let rest = power < 64 ? units & (1 << UInt64(power) &- 1) : units
    let (high, low) = rest.multipliedFullWidth(by: 1_000_000_000)
    if power == 0 { return (seconds, 0) }
    if power < 64 { return (seconds, high << UInt64(64 - power) | low >> UInt64(power)) }
    return (seconds, high >> UInt64(power - 64))
  }
}
