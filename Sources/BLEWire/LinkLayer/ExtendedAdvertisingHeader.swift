package import ByteParsing

/// What the PDUs of extended advertising share: `headerLength(6 bits) mode(2 bits)`, then as many bytes of header, then data.
///
/// The header is `flags(1) advA(6) targetA(6) CTEInfo(1) ADI(2) auxPtr(3) syncInfo(18) txPower(1) ACAD(rest)`, where each
/// field but the last is there when its flag is, counted from bit 0. A header of length zero has no flags either.
/// Source: Core 5.4, Vol 6, Part B, 2.3.4.
public struct ExtendedAdvertisingHeader: Sendable, Hashable {
  /// What the advertisement allows; the value 3 is reserved.
  public struct Mode: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    /// Wraps the two bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 3 }
    public static let connectable = Mode(rawValue: 1)
    public static let scannable = Mode(rawValue: 2)
  }

  /// AdvDataInfo: which set of data of which advertising set it is.
  public struct DataInfo: Sendable, Hashable {
    /// 12 bits that change with the data.
    public var dataID: UInt16
    /// 4 bits that name the advertising set.
    public var setID: UInt8
    /// Pairs both.
    public init(dataID: UInt16, setID: UInt8) { (self.dataID, self.setID) = (dataID & 0x0FFF, setID & 0x0F) }
  }

  public var mode: Mode
  public var advertiser: BluetoothAddress?
  public var target: BluetoothAddress?
  /// CTEInfo as it stands.
  public var toneInfo: UInt8?
  public var dataInfo: DataInfo?
  public var auxPointer: AuxPointer?
  public var syncInfo: SyncInfo?
  /// In dBm.
  public var txPower: Int8?
  /// Additional controller advertising data: AD structures for the link layer itself.
  public var controllerData: [UInt8]

  /// Joins the parts.
  public init(
    mode: Mode = [], advertiser: BluetoothAddress? = nil, target: BluetoothAddress? = nil, toneInfo: UInt8? = nil,
    dataInfo: DataInfo? = nil, auxPointer: AuxPointer? = nil, syncInfo: SyncInfo? = nil, txPower: Int8? = nil, controllerData: [UInt8] = []
  ) {
    (self.mode, self.advertiser, self.target, self.toneInfo) = (mode, advertiser, target, toneInfo)
    (self.dataInfo, self.auxPointer, self.syncInfo) = (dataInfo, auxPointer, syncInfo)
    (self.txPower, self.controllerData) = (txPower, controllerData)
  }

  init(parsing reader: inout ByteReader, of header: AdvertisingPDUHeader) throws(ParseError) {
    let first = try reader.uint8()
    self.init(mode: Mode(rawValue: first >> 6))
    let start = reader.offset
    let length = Int(first & 0x3F)
    guard length > 0 else { return }
    guard reader.remaining >= length else {
      throw ParseError.truncated(.advertisingPDU, at: start, needed: length, available: reader.remaining)
    }
    let flags = try reader.uint8()
    if flags & 0x01 != 0 { advertiser = BluetoothAddress(try reader.uint48(), kind: header.senderKind) }
    if flags & 0x02 != 0 { target = BluetoothAddress(try reader.uint48(), kind: header.receiverKind) }
    if flags & 0x04 != 0 { toneInfo = try reader.uint8() }
    if flags & 0x08 != 0 {
      let bits = try reader.uint16()
      dataInfo = DataInfo(dataID: bits, setID: UInt8(truncatingIfNeeded: bits >> 12))
    }
    if flags & 0x10 != 0 { auxPointer = AuxPointer(rawValue: try reader.uint24()) }
    if flags & 0x20 != 0 { syncInfo = try SyncInfo(parsing: &reader) }
    if flags & 0x40 != 0 { txPower = Int8(bitPattern: try reader.uint8()) }
    let used = reader.offset - start
    guard used <= length else { throw reader.malformed("the fields of the extended header are longer than its length") }
    controllerData = try reader.slice(length - used).array
  }

  /// The number of bytes that ``write(to:)`` appends.
  package var encodedByteCount: Int {
    guard self != ExtendedAdvertisingHeader(mode: mode) else { return 1 }
    let fields = [
      (advertiser != nil, 6), (target != nil, 6), (toneInfo != nil, 1), (dataInfo != nil, 2), (auxPointer != nil, 3),
      (syncInfo != nil, SyncInfo.byteCount), (txPower != nil, 1),
    ]
    return fields.reduce(2 + controllerData.count) { $0 + ($1.0 ? $1.1 : 0) }
  }

  /// Appends length and mode, and the fields; the length counts no more than 63 bytes.
  package func write(to writer: inout ByteWriter) {
    let length = encodedByteCount - 1
    writer.uint8(UInt8(truncatingIfNeeded: length) & 0x3F | mode.rawValue << 6)
    guard length > 0 else { return }
    let present = [
      advertiser != nil, target != nil, toneInfo != nil, dataInfo != nil, auxPointer != nil, syncInfo != nil, txPower != nil,
    ]
    writer.uint8(present.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
    if let advertiser { writer.uint48(advertiser.value) }
    if let target { writer.uint48(target.value) }
    if let toneInfo { writer.uint8(toneInfo) }
    if let dataInfo { writer.uint16(dataInfo.dataID & 0x0FFF | UInt16(dataInfo.setID) << 12) }
    if let auxPointer { writer.uint24(auxPointer.rawValue) }
    syncInfo?.write(to: &writer)
    if let txPower { writer.uint8(UInt8(bitPattern: txPower)) }
    writer.append(controllerData)
  }
}
