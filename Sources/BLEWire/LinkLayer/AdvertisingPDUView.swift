public import ByteParsing

/// One PDU of the advertising channels over borrowed bytes, without access address and CRC, checked once.
///
/// Source: Core 5.4, Vol 6, Part B, 2.3.
public struct AdvertisingPDUView: ~Escapable {
  /// What follows the header, by the PDU's type.
  public enum Payload: ~Escapable {
    /// ADV_IND, ADV_NONCONN_IND, ADV_SCAN_IND and SCAN_RSP: `advA(6) data(0…31)`
    case advertisement(advertiser: BluetoothAddress, data: RawSpan)
    /// ADV_DIRECT_IND: `advA(6) targetA(6)`
    case directed(advertiser: BluetoothAddress, target: BluetoothAddress)
    /// SCAN_REQ and AUX_SCAN_REQ: `scanA(6) advA(6)`
    case scanRequest(scanner: BluetoothAddress, advertiser: BluetoothAddress)
    /// CONNECT_IND and AUX_CONNECT_REQ: `initA(6) advA(6) LLData(22)`
    case connect(initiator: BluetoothAddress, advertiser: BluetoothAddress, LLData)
    /// ADV_EXT_IND, AUX_ADV_IND, AUX_SCAN_RSP, AUX_SYNC_IND, AUX_CHAIN_IND and AUX_CONNECT_RSP: the extended header, then data
    case extended(ExtendedAdvertisingHeader, data: RawSpan)
    /// A type that the specification does not have.
    case unknown(RawSpan)
  }

  public let header: AdvertisingPDUHeader
  public let payload: Payload

  /// Checks a whole PDU: `.truncated` where more bytes would help, `.malformed` where its lengths cannot be right.
  @_lifetime(copy bytes)
  public init(parsing bytes: RawSpan) throws(ParseError) {
    var reader = ByteReader(bytes, layer: .advertisingPDU)
    let header = try AdvertisingPDUHeader(parsing: &reader)
    guard reader.remaining >= Int(header.length) else {
      throw ParseError.truncated(.advertisingPDU, at: reader.offset, needed: Int(header.length), available: reader.remaining)
    }
    guard reader.remaining == Int(header.length) else { throw reader.malformed("bytes follow the end of the PDU") }
    let (sender, receiver) = (header.senderKind, header.receiverKind)
    switch header.type {
    case .undirected, .nonConnectable, .scannable, .scanResponse:
      payload = .advertisement(advertiser: BluetoothAddress(try reader.uint48(), kind: sender), data: reader.rest())
    case .directed:
      payload = .directed(
        advertiser: BluetoothAddress(try reader.uint48(), kind: sender), target: BluetoothAddress(try reader.uint48(), kind: receiver))
    case .scanRequest:
      payload = .scanRequest(
        scanner: BluetoothAddress(try reader.uint48(), kind: sender), advertiser: BluetoothAddress(try reader.uint48(), kind: receiver))
    case .connectIndication:
      payload = .connect(
        initiator: BluetoothAddress(try reader.uint48(), kind: sender), advertiser: BluetoothAddress(try reader.uint48(), kind: receiver),
        try LLData(parsing: &reader))
    case .extended, .auxiliaryConnectResponse:
      payload = .extended(try ExtendedAdvertisingHeader(parsing: &reader, of: header), data: reader.rest())
    default: payload = .unknown(reader.rest())
    }
    try reader.expectEnd("bytes follow the fields of the PDU")
    self.header = header
  }

  /// The device that advertises, or that is asked; `nil` where the PDU does not name it.
  public var advertiser: BluetoothAddress? {
    switch payload {
    case .advertisement(let advertiser, _), .directed(let advertiser, _), .scanRequest(_, let advertiser),
      .connect(_, let advertiser, _):
      advertiser
    case .extended(let header, _): header.advertiser
    case .unknown: nil
    }
  }

  /// The advertising data; empty where the PDU has none.
  public var data: RawSpan {
    @_lifetime(copy self)
    get {
      switch payload {
      case .advertisement(_, let data), .extended(_, let data): data
      default: RawSpan()
      }
    }
  }
}
