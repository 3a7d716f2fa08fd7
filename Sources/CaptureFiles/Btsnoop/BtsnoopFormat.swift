/// The numbers of the btsnoop format, which follows RFC 1761 with other link types; all integers are big-endian.
///
/// File header: `"btsnoop\0"(8) version(4) datalink(4)`.
/// Record: `originalLength(4) includedLength(4) flags(4) cumulativeDrops(4) time(8) packet(includedLength)`.
enum BtsnoopFormat {
  static let magic: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0]
  static let headerByteCount = 16
  static let recordHeaderByteCount = 24
  /// 1970 on the scale of the times, which count microseconds "since the year 0". The number is what every writer uses; counted
  /// back with the Gregorian calendar, its zero lies twelve days before that year.
  static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000
  /// No transport carries packets near this length; a longer record means a damaged file.
  static let maximumRecordByteCount = 1 << 20
}

/// The `datalink` field of a btsnoop file.
public enum BtsnoopDatalink: UInt32, Sendable, Hashable, CaseIterable {
  /// HCI packets without an indicator; flag bits tell what they are.
  case hciUnencapsulated = 1001
  /// HCI packets behind their H4 indicator: Android's logs.
  case hciUART = 1002
  /// BlueZ monitor: opcode and controller stand in the flags.
  case monitor = 2001
  /// BlueZ's radio simulator: link-layer packets behind their preamble, the frequency (MHz) in the flags.
  case simulator = 2002
}
