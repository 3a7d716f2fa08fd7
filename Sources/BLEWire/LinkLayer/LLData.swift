package import ByteParsing

/// The parameters of a new link, which its central sends with CONNECT_IND.
///
/// `accessAddress(4) CRCInit(3) winSize(1) winOffset(2) interval(2) latency(2) timeout(2) channelMap(5) hop(5 bits) SCA(3 bits)`.
/// Source: Core 5.4, Vol 6, Part B, 2.3.3.1.
public struct LLData: Sendable, Hashable {
  /// How many bytes they take.
  public static let byteCount = 22

  /// The access address of the link's packets.
  public var accessAddress: AccessAddress
  /// What the CRC of the link's packets begins with, 24 bits.
  public var crcInit: UInt32
  /// In units of 1.25 ms.
  public var winSize: UInt8
  /// In units of 1.25 ms.
  public var winOffset: UInt16
  /// In units of 1.25 ms.
  public var interval: UInt16
  /// In connection events.
  public var latency: UInt16
  /// In units of 10 ms.
  public var timeout: UInt16
  /// A bit for each of the 37 data channels that is used; the three bits above are reserved.
  public var channelMap: UInt64
  /// The hop increment of channel selection algorithm #1, 5…16.
  public var hop: UInt8
  /// The class of the central's sleep clock accuracy, 0 (251 to 500 ppm) to 7 (0 to 20 ppm).
  public var sleepClockAccuracy: UInt8

  /// Joins the parts.
  public init(
    accessAddress: AccessAddress, crcInit: UInt32, winSize: UInt8 = 1, winOffset: UInt16 = 0, interval: UInt16, latency: UInt16 = 0,
    timeout: UInt16, channelMap: UInt64 = 0x1F_FFFF_FFFF, hop: UInt8 = 5, sleepClockAccuracy: UInt8 = 0
  ) {
    (self.accessAddress, self.crcInit, self.winSize, self.winOffset) = (accessAddress, crcInit, winSize, winOffset)
    (self.interval, self.latency, self.timeout) = (interval, latency, timeout)
    (self.channelMap, self.hop, self.sleepClockAccuracy) = (channelMap, hop, sleepClockAccuracy)
  }

  init(parsing reader: inout ByteReader) throws(ParseError) {
    self.init(
      accessAddress: AccessAddress(rawValue: try reader.uint32()), crcInit: try reader.uint24(), winSize: try reader.uint8(),
      winOffset: try reader.uint16(), interval: try reader.uint16(), latency: try reader.uint16(), timeout: try reader.uint16(),
      channelMap: try reader.uint40())
    let bits = try reader.uint8()
    (hop, sleepClockAccuracy) = (bits & 0x1F, bits >> 5)
  }

  package func write(to writer: inout ByteWriter) {
    writer.uint32(accessAddress.rawValue)
    writer.uint24(crcInit)
    writer.uint8(winSize)
    for value in [winOffset, interval, latency, timeout] { writer.uint16(value) }
    writer.uint40(channelMap)
    writer.uint8(hop & 0x1F | sleepClockAccuracy << 5)
  }
}
