import CaptureFiles

/// Writes classic pcap files: micro- or nanoseconds, in either byte order.
public struct PcapBuilder {
  public let isBigEndian: Bool
  public let hasNanoseconds: Bool
  public private(set) var bytes: [UInt8] = []
  /// Where each record begins, and where the last one ends.
  public private(set) var bounds: [Int] = []

  public init(linkType: UInt32, isBigEndian: Bool = false, hasNanoseconds: Bool = false, snapLength: UInt32 = 262_144) {
    (self.isBigEndian, self.hasNanoseconds) = (isBigEndian, hasNanoseconds)
    word(hasNanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4)
    bytes += isBigEndian ? [0, 2, 0, 4] : [2, 0, 4, 0]
    for value in [0, 0, snapLength, linkType] { word(value) }
    bounds.append(bytes.count)
  }

  private mutating func word(_ value: UInt32) {
    let little = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    bytes += isBigEndian ? little.reversed() : little
  }

  public mutating func record(_ frame: [UInt8], time: CaptureTime, originalLength: Int? = nil) {
    word(UInt32(truncatingIfNeeded: time.seconds))
    word(UInt32(hasNanoseconds ? time.nanoseconds : time.nanoseconds / 1000))
    word(UInt32(frame.count))
    word(UInt32(originalLength ?? frame.count))
    bytes += frame
    bounds.append(bytes.count)
  }
}
