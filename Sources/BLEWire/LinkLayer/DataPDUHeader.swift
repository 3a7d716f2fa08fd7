package import ByteParsing

/// The octets that begin a PDU on a link's data channels.
///
/// ```
///  0                   1                   2
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3
/// |LL |N|S|M|C|- -|    length     |   CTEInfo     |
/// ```
/// LL: what the payload is; N and S: next expected and own sequence number; M: more data; C: CTEInfo is there.
/// Source: Core 5.4, Vol 6, Part B, 2.4.
public struct DataPDUHeader: Sendable, Hashable {
  /// What a data PDU carries.
  public enum LLID: UInt8, Sendable, Hashable {
    case reserved = 0
    /// A continuation of an L2CAP PDU, or nothing.
    case continuing = 1
    /// The start of an L2CAP PDU.
    case start = 2
    /// An LL Control PDU.
    case control = 3
  }

  public var llid: LLID
  public var nesn: Bool
  public var sn: Bool
  public var md: Bool
  /// The constant tone extension's octet; the header has three octets where it is there.
  public var toneInfo: UInt8?
  /// The payload's bytes, the four of the MIC among them where the link is encrypted.
  public var length: UInt8

  /// Joins the parts.
  public init(llid: LLID, nesn: Bool = false, sn: Bool = false, md: Bool = false, toneInfo: UInt8? = nil, length: UInt8) {
    (self.llid, self.nesn, self.sn, self.md) = (llid, nesn, sn, md)
    (self.toneInfo, self.length) = (toneInfo, length)
  }

  init(parsing reader: inout ByteReader) throws(ParseError) {
    let bits = try reader.uint8()
    self.init(
      llid: LLID(rawValue: bits & 3) ?? .reserved, nesn: bits & 0x04 != 0, sn: bits & 0x08 != 0, md: bits & 0x10 != 0,
      length: try reader.uint8())
    if bits & 0x20 != 0 { toneInfo = try reader.uint8() }
  }

  /// How many bytes the header takes.
  public var encodedByteCount: Int { toneInfo == nil ? 2 : 3 }

  package func write(to writer: inout ByteWriter) {
    let flags: [(Bool, UInt8)] = [(nesn, 0x04), (sn, 0x08), (md, 0x10), (toneInfo != nil, 0x20)]
    writer.uint8(flags.reduce(llid.rawValue) { $0 | ($1.0 ? $1.1 : 0) })
    writer.uint8(length)
    if let toneInfo { writer.uint8(toneInfo) }
  }
}
