import ByteParsing

/// One interface of a pcapng section: what its packets are, and how its times count.
struct PcapngInterface {
  /// The link type's number; ``LinkType`` where it is one that is read.
  let number: UInt32
  let type: LinkType?
  /// The most bytes that are kept of a packet; `nil` for no limit.
  let snapLength: Int?
  private let unit: Unit
  private let offset: Int64
  /// The controller's number, where the interface's name tells one.
  private(set) var namedAdapter: UInt16?
  /// The controller that its packets are of.
  var adapter: UInt16 = 0

  /// Reads the body of an Interface Description Block: `linkType(2) reserved(2) snapLength(4) options`; `nil` where it is shorter.
  init?(_ block: borrowing PcapngBlock, options: CaptureOptions) {
    guard block.body.byteCount >= 8 else { return nil }
    number = UInt32(block.uint16(at: 0))
    type = LinkType(number, options)
    let snap = Int(block.uint32(at: 4))
    snapLength = snap == 0 ? nil : snap
    var (resolution, offset) = (UInt8(6), Int64(0))
    var list = block.options(from: 8)
    while let (code, value) = list.next(block) {
      switch code {
      case 2: namedAdapter = Self.adapter(named: String(decoding: block.body.extracting(value).array, as: UTF8.self))
      case 9 where !value.isEmpty: resolution = block.body.uint8(at: value.lowerBound)
      case 14 where value.count == 8: offset = Int64(bitPattern: block.uint64(at: value.lowerBound))
      default: break
      }
    }
    (unit, self.offset) = (Unit(resolution: resolution), offset)
  }

  /// The number in the names that Linux gives to controllers, `bluetooth1` in captures and `hci1` elsewhere; `nil` for any other name.
  private static func adapter(named name: String) -> UInt16? {
    for prefix in ["bluetooth", "hci"] where name.hasPrefix(prefix) { return UInt16(name.dropFirst(prefix.count)) }
    return nil
  }

  /// The moment that a packet's counter names.
  func time(high: UInt32, low: UInt32) -> CaptureTime {
    let (seconds, nanoseconds) = unit.split(UInt64(high) << 32 | UInt64(low))
    let time = CaptureTime(seconds: Int64(clamping: seconds), nanoseconds: Int32(truncatingIfNeeded: nanoseconds))
    return offset == 0 ? time : time.adding(CaptureTime(seconds: offset, nanoseconds: 0))
  }

  /// What a counter counts: a power of ten or of two of a second.
  private enum Unit {
    /// So many in a second, each so many nanoseconds.
    case coarse(perSecond: UInt64, nanoseconds: UInt64)
    /// So many in a second and in a nanosecond; 0 for more than 64 bits count.
    case fine(perSecond: UInt64, perNanosecond: UInt64)
    case binary(power: UInt64)

    init(resolution: UInt8) {
      let power = Int(resolution & 0x7F)
      if resolution & 0x80 != 0 {
        self = .binary(power: UInt64(power))
      } else if power <= 9 {
        self = .coarse(perSecond: Self.powerOfTen(power), nanoseconds: Self.powerOfTen(9 - power))
      } else {
        self = .fine(perSecond: Self.powerOfTen(power), perNanosecond: Self.powerOfTen(power - 9))
      }
    }

    private static func powerOfTen(_ exponent: Int) -> UInt64 { exponent > 19 ? 0 : (0..<exponent).reduce(1) { value, _ in value &* 10 } }

    /// Whole seconds, and the nanoseconds of the rest.
    @inline(__always)
    func split(_ units: UInt64) -> (seconds: UInt64, nanoseconds: UInt64) {
      switch self {
      case .coarse(let perSecond, let nanoseconds):
        let seconds = units / perSecond
        return (seconds, (units &- seconds &* perSecond) &* nanoseconds)
      case .fine(let perSecond, let perNanosecond):
        let (seconds, rest) = perSecond == 0 ? (0, units) : units.quotientAndRemainder(dividingBy: perSecond)
        return (seconds, perNanosecond == 0 ? 0 : rest / perNanosecond)
      case .binary(let power):
        if power == 0 { return (units, 0) }
        let rest = power < 64 ? units & (1 << power &- 1) : units
        let (high, low) = rest.multipliedFullWidth(by: 1_000_000_000)
        return power < 64 ? (units >> power, high << (64 - power) | low >> power) : (0, high >> (power - 64))
      }
    }
  }
}
