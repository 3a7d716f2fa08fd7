import ByteParsing

/// One report of an advertising event, legacy or extended, in the extended event's terms.
public struct AdvertisingReport: Sendable, Hashable {
  /// What was received.
  public struct Kind: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16
    /// Wraps the event type bits of the extended report (7.7.65.13).
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public static let connectable = Kind(rawValue: 1)
    public static let scannable = Kind(rawValue: 2)
    public static let directed = Kind(rawValue: 4)
    public static let scanResponse = Kind(rawValue: 8)
    public static let legacy = Kind(rawValue: 16)
    /// Data is incomplete, more to come (01 in bits 5 and 6).
    public static let moreToCome = Kind(rawValue: 32)
    /// Data is incomplete, truncated (10 in bits 5 and 6).
    public static let cut = Kind(rawValue: 64)
  }
  public var kind: Kind
  public var address: BluetoothAddress
  /// dBm; 127 where the controller does not know.
  public var rssi: Int8

  /// Joins the parts.
  public init(kind: Kind, address: BluetoothAddress, rssi: Int8) { (self.kind, self.address, self.rssi) = (kind, address, rssi) }
}

/// The reports of LE Advertising Report or LE Extended Advertising Report.
///
/// Legacy: `count(1) { type(1) addressType(1) address(6) length(1) data(length) rssi(1) }count`.
/// Extended: `count(1) { type(2) addressType(1) address(6) primaryPHY(1) secondaryPHY(1) SID(1) txPower(1) rssi(1)
/// periodicInterval(2) directAddressType(1) directAddress(6) length(1) data(length) }count`.
/// Source: Core 5.4, Vol 4, Part E, 7.7.65.2 and 7.7.65.13.
public struct AdvertisingReportList: ~Escapable {
  var rest: RawSpan
  let extended: Bool

  @_lifetime(copy reader)
  init(parsing reader: inout ByteReader, extended: Bool) throws(ParseError) {
    let count = Int(try reader.uint8())
    let reports = reader.rest()
    var check = ByteReader(reports, layer: .hciEvent)
    for _ in 0..<count {
      try check.skip(extended ? 23 : 8)
      let length = Int(try check.uint8())
      try check.skip(length + (extended ? 0 : 1))
    }
    rest = reports.extracting(0..<check.offset)
    self.extended = extended
  }

  /// Handles the next report with its advertising data and tells whether there was one.
  @_lifetime(self: copy self)
  public mutating func next(_ body: (AdvertisingReport, RawSpan) -> Void) -> Bool {
    let header = extended ? 24 : 9
    guard rest.byteCount >= header else { return false }
    let length = Int(rest.uint8(at: header - 1))
    let data = rest.extracting(header..<(header + length))
    let base = extended ? 2 : 1
    let kind = AdvertisingReport.Kind(rawValue: extended ? rest.uint16(at: 0) : Self.eventType(legacy: rest.uint8(at: 0)))
    let address = BluetoothAddress(
      UInt64(rest.uint32(at: base + 1)) | UInt64(rest.uint16(at: base + 5)) << 32,
      kind: BluetoothAddress.Kind(rawValue: rest.uint8(at: base)))
    let rssi = Int8(bitPattern: extended ? rest.uint8(at: 13) : rest.uint8(at: header + length))
    body(AdvertisingReport(kind: kind, address: address, rssi: rssi), data)
    rest = rest.suffix(from: header + length + (extended ? 0 : 1))
    return true
  }

  /// The extended event type that stands for a legacy one (table 7.1 of 7.7.65.13).
  private static func eventType(legacy type: UInt8) -> UInt16 {
    switch type {
    case 0: 0b10011  // ADV_IND
    case 1: 0b10101  // ADV_DIRECT_IND
    case 2: 0b10010  // ADV_SCAN_IND
    case 3: 0b10000  // ADV_NONCONN_IND
    case 4: 0b11010  // SCAN_RSP
    default: 0b10000
    }
  }
}
