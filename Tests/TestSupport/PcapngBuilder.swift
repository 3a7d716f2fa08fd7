import CaptureFiles

/// Writes pcapng files block by block, in either byte order.
public struct PcapngBuilder {
  public private(set) var bytes: [UInt8] = []
  /// Where each packet's block begins, and where the last one ends.
  public private(set) var bounds: [Int] = []
  public private(set) var isBigEndian = false
  private var interfaces: [(resolution: UInt8, offset: Int64)] = []

  public init() {}

  /// The bytes of an option or of a number.
  public typealias Option = (code: UInt16, value: [UInt8])

  public func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    return isBigEndian ? little.reversed() : little
  }

  /// Any block.
  public mutating func block(_ type: UInt32, _ body: [UInt8], options: [Option] = []) {
    var body = body + [UInt8](repeating: 0, count: -body.count & 3)
    for (code, value) in options {
      body += number(UInt64(code), 2) + number(UInt64(value.count), 2) + value + [UInt8](repeating: 0, count: -value.count & 3)
    }
    if !options.isEmpty { body += [0, 0, 0, 0] }
    let length = number(UInt64(body.count + 12), 4)
    bytes += number(UInt64(type), 4) + length + body + length
  }

  public mutating func section(isBigEndian: Bool = false, options: [Option] = []) {
    self.isBigEndian = isBigEndian
    interfaces = []
    block(0x0A0D_0D0A, number(0x1A2B_3C4D, 4) + number(1, 2) + number(0, 2) + number(.max, 8), options: options)
  }

  /// An interface; the resolution is a negative power of ten, or of two where its top bit is set.
  public mutating func interface(
    linkType: UInt16, snapLength: UInt32 = 0, resolution: UInt8 = 6, offset: Int64 = 0, options: [Option] = []
  ) {
    interfaces.append((resolution, offset))
    var all = options
    if resolution != 6 { all.append((9, [resolution])) }
    if offset != 0 { all.append((14, number(UInt64(bitPattern: offset), 8))) }
    block(1, number(UInt64(linkType), 2) + [0, 0] + number(UInt64(snapLength), 4), options: all)
  }

  /// An enhanced packet; the time is rounded down to the interface's resolution.
  public mutating func packet(
    _ frame: [UInt8], time: CaptureTime, interface: Int = 0, originalLength: Int? = nil, options: [Option] = []
  ) {
    if bounds.isEmpty { bounds.append(bytes.count) }
    let (resolution, offset) = interfaces[interface]
    let seconds = UInt64(time.seconds - offset)
    let power = Int(resolution & 0x7F)
    let ticks: UInt64
    if resolution & 0x80 != 0 {
      let (quotient, _) = UInt64(1_000_000_000).dividingFullWidth(
        (UInt64(time.nanoseconds) >> UInt64(64 - power), UInt64(time.nanoseconds) << UInt64(power)))
      ticks = seconds << UInt64(power) + quotient
    } else {
      let perSecond = (0..<power).reduce(UInt64(1)) { value, _ in value * 10 }
      ticks =
        seconds * perSecond
        + (power <= 9 ? UInt64(time.nanoseconds) / (1_000_000_000 / perSecond) : UInt64(time.nanoseconds) * (perSecond / 1_000_000_000))
    }
    block(
      6,
      number(UInt64(interface), 4) + number(ticks >> 32, 4) + number(ticks & 0xFFFF_FFFF, 4) + number(UInt64(frame.count), 4)
        + number(UInt64(originalLength ?? frame.count), 4) + frame, options: options)
    bounds.append(bytes.count)
  }

  /// A simple packet, which has no time.
  public mutating func simplePacket(_ frame: [UInt8], originalLength: Int? = nil) {
    if bounds.isEmpty { bounds.append(bytes.count) }
    block(3, number(UInt64(originalLength ?? frame.count), 4) + frame)
    bounds.append(bytes.count)
  }

  /// The flags of a packet that came in, or went out.
  public func direction(_ direction: CaptureRecord.Direction) -> Option { (2, number(direction == .controllerToHost ? 1 : 2, 4)) }
}
