package import ByteParsing

/// How a periodic advertising train is found.
///
/// `offset(13 bits) offsetUnits(1 bit) offsetAdjust(1 bit) reserved(1 bit) interval(2) channelMap(37 bits) SCA(3 bits)
/// accessAddress(4) CRCInit(3) eventCounter(2)`. Source: Core 5.4, Vol 6, Part B, 2.3.4.6.
public struct SyncInfo: Sendable, Hashable {
  /// How many bytes it takes.
  public static let byteCount = 18

  /// The first two octets.
  public var offset: UInt16
  /// In units of 1.25 ms.
  public var interval: UInt16
  /// A bit for each of the 37 channels that is used; the three bits above are the sleep clock accuracy.
  public var channelMap: UInt64
  public var accessAddress: AccessAddress
  /// 24 bits.
  public var crcInit: UInt32
  public var eventCounter: UInt16

  /// Joins the parts.
  public init(
    offset: UInt16, interval: UInt16, channelMap: UInt64, accessAddress: AccessAddress, crcInit: UInt32, eventCounter: UInt16
  ) {
    (self.offset, self.interval, self.channelMap) = (offset, interval, channelMap)
    (self.accessAddress, self.crcInit, self.eventCounter) = (accessAddress, crcInit, eventCounter)
  }

  init(parsing reader: inout ByteReader) throws(ParseError) {
    self.init(
      offset: try reader.uint16(), interval: try reader.uint16(), channelMap: try reader.uint40(),
      accessAddress: AccessAddress(rawValue: try reader.uint32()), crcInit: try reader.uint24(), eventCounter: try reader.uint16())
  }

  package func write(to writer: inout ByteWriter) {
    writer.uint16(offset)
    writer.uint16(interval)
    writer.uint40(channelMap)
    writer.uint32(accessAddress.rawValue)
    writer.uint24(crcInit)
    writer.uint16(eventCounter)
  }
}
