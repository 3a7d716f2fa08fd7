package import ByteParsing

/// One PDU of the advertising channels as a value that owns its bytes.
///
/// Layouts stand at ``AdvertisingPDUView``. The address types of its header come from the addresses.
public struct AdvertisingPDU: Sendable, Hashable {
  /// What follows the header, by the PDU's type.
  public enum Payload: Sendable, Hashable {
    case advertisement(advertiser: BluetoothAddress, data: [UInt8])
    case directed(advertiser: BluetoothAddress, target: BluetoothAddress)
    case scanRequest(scanner: BluetoothAddress, advertiser: BluetoothAddress)
    case connect(initiator: BluetoothAddress, advertiser: BluetoothAddress, LLData)
    case extended(ExtendedAdvertisingHeader, data: [UInt8])
    case unknown([UInt8])
  }

  public var type: AdvertisingPDUType
  /// Whether channel selection algorithm #2 is supported.
  public var chSel: Bool
  public var payload: Payload

  /// Joins the parts; the type has to be one of those that have the payload.
  public init(_ type: AdvertisingPDUType, chSel: Bool = false, _ payload: Payload) {
    (self.type, self.chSel, self.payload) = (type, chSel, payload)
  }

  /// Checks and copies a whole PDU.
  public init(parsing bytes: [UInt8]) throws(ParseError) {
    self.init(copying: try AdvertisingPDUView(parsing: bytes.byteSpan))
  }

  /// Copies what a view borrows.
  public init(copying view: borrowing AdvertisingPDUView) {
    (type, chSel) = (view.header.type, view.header.chSel)
    switch view.payload {
    case .advertisement(let advertiser, let data): payload = .advertisement(advertiser: advertiser, data: data.array)
    case .directed(let advertiser, let target): payload = .directed(advertiser: advertiser, target: target)
    case .scanRequest(let scanner, let advertiser): payload = .scanRequest(scanner: scanner, advertiser: advertiser)
    case .connect(let initiator, let advertiser, let data): payload = .connect(initiator: initiator, advertiser: advertiser, data)
    case .extended(let header, let data): payload = .extended(header, data: data.array)
    case .unknown(let bytes): payload = .unknown(bytes.array)
    }
  }

  /// The number of bytes that ``bytes`` has.
  public var encodedByteCount: Int {
    switch payload {
    case .advertisement(_, let data): 8 + data.count
    case .directed, .scanRequest: 14
    case .connect: 14 + LLData.byteCount
    case .extended(let header, let data): 2 + header.encodedByteCount + data.count
    case .unknown(let bytes): 2 + bytes.count
    }
  }

  /// Sender and receiver, whose types stand in the header.
  private var addresses: (sender: BluetoothAddress?, receiver: BluetoothAddress?) {
    switch payload {
    case .advertisement(let advertiser, _): (advertiser, nil)
    case .directed(let advertiser, let target): (advertiser, target)
    case .scanRequest(let scanner, let advertiser): (scanner, advertiser)
    case .connect(let initiator, let advertiser, _): (initiator, advertiser)
    case .extended(let header, _): (header.advertiser, header.target)
    case .unknown: (nil, nil)
    }
  }

  /// Appends header and payload; a payload longer than 255 bytes has a wrong length.
  package func write(to writer: inout ByteWriter) {
    let (sender, receiver) = addresses
    AdvertisingPDUHeader(
      type: type, chSel: chSel, txAdd: sender?.kind == .random, rxAdd: receiver?.kind == .random,
      length: UInt8(truncatingIfNeeded: encodedByteCount - AdvertisingPDUHeader.byteCount)
    ).write(to: &writer)
    if case .extended(let header, let data) = payload {
      header.write(to: &writer)
      writer.append(data)
      return
    }
    if let sender { writer.uint48(sender.value) }
    if let receiver { writer.uint48(receiver.value) }
    switch payload {
    case .advertisement(_, let bytes), .unknown(let bytes): writer.append(bytes)
    case .connect(_, _, let data): data.write(to: &writer)
    case .directed, .scanRequest, .extended: break
    }
  }

  /// The PDU as it goes on the air, without access address and CRC.
  public var bytes: [UInt8] {
    var writer = ByteWriter(capacity: encodedByteCount)
    write(to: &writer)
    return writer.bytes
  }
}
