/// The type of a PDU on the advertising channels; numbers without a name survive.
///
/// Numbers 3, 5 and 7 stand for other PDUs on the secondary channels, whose layout is the same.
/// Source: Core 5.4, Vol 6, Part B, 2.3.
public struct AdvertisingPDUType: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt8
  /// Wraps the four bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue & 0x0F }
  /// ADV_IND: connectable, scannable, to everybody.
  public static let undirected = AdvertisingPDUType(rawValue: 0)
  /// ADV_DIRECT_IND.
  public static let directed = AdvertisingPDUType(rawValue: 1)
  /// ADV_NONCONN_IND.
  public static let nonConnectable = AdvertisingPDUType(rawValue: 2)
  /// SCAN_REQ, and AUX_SCAN_REQ.
  public static let scanRequest = AdvertisingPDUType(rawValue: 3)
  /// SCAN_RSP.
  public static let scanResponse = AdvertisingPDUType(rawValue: 4)
  /// CONNECT_IND, and AUX_CONNECT_REQ.
  public static let connectIndication = AdvertisingPDUType(rawValue: 5)
  /// ADV_SCAN_IND.
  public static let scannable = AdvertisingPDUType(rawValue: 6)
  /// ADV_EXT_IND, AUX_ADV_IND, AUX_SCAN_RSP, AUX_SYNC_IND and AUX_CHAIN_IND, which only their channel and order tell apart.
  public static let extended = AdvertisingPDUType(rawValue: 7)
  /// AUX_CONNECT_RSP.
  public static let auxiliaryConnectResponse = AdvertisingPDUType(rawValue: 8)
}
