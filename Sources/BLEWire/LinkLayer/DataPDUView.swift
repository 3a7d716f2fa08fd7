public import ByteParsing

/// One PDU of a link's data channels over borrowed bytes, without access address and CRC: the header, then `length` bytes.
///
/// Source: Core 5.4, Vol 6, Part B, 2.4.
public struct DataPDUView: ~Escapable {
  public let header: DataPDUHeader
  /// The payload that is there: fewer bytes than the header tells where a capture kept fewer.
  public let payload: RawSpan

  /// Reads the header and takes what follows, up to its length; throws only where the header itself is cut.
  @_lifetime(copy bytes)
  public init(parsing bytes: RawSpan) throws(ParseError) {
    var reader = ByteReader(bytes, layer: .dataPDU)
    header = try DataPDUHeader(parsing: &reader)
    payload = try reader.slice(Swift.min(Int(header.length), reader.remaining))
  }

  /// Whether fewer bytes are there than the header tells.
  public var isTruncated: Bool { payload.byteCount < Int(header.length) }

  /// The opcode of an LL Control PDU; `nil` for any other. It only means something where the payload is not encrypted.
  public var controlOpcode: LLControlOpcode? {
    header.llid == .control && payload.byteCount > 0 ? LLControlOpcode(rawValue: payload.uint8(at: 0)) : nil
  }
}
