package import ByteParsing

/// The two octets that begin a PDU on the advertising channels.
///
/// ```
///  0                   1
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
/// | type  |-|C|T|R|    length     |
/// ```
/// C: channel selection algorithm #2 is supported; T and R: the sender's and the receiver's address is random.
/// Source: Core 5.4, Vol 6, Part B, 2.3.
public struct AdvertisingPDUHeader: Sendable, Hashable {
  /// How many bytes the header takes.
  public static let byteCount = 2

  public var type: AdvertisingPDUType
  public var chSel: Bool
  public var txAdd: Bool
  public var rxAdd: Bool
  /// The bytes that follow.
  public var length: UInt8

  /// Joins the parts.
  public init(type: AdvertisingPDUType, chSel: Bool = false, txAdd: Bool = false, rxAdd: Bool = false, length: UInt8) {
    (self.type, self.chSel, self.txAdd, self.rxAdd, self.length) = (type, chSel, txAdd, rxAdd, length)
  }

  init(parsing reader: inout ByteReader) throws(ParseError) {
    let bits = try reader.uint8()
    self.init(
      type: AdvertisingPDUType(rawValue: bits), chSel: bits & 0x20 != 0, txAdd: bits & 0x40 != 0, rxAdd: bits & 0x80 != 0,
      length: try reader.uint8())
  }

  package func write(to writer: inout ByteWriter) {
    writer.uint8(type.rawValue | (chSel ? 0x20 : 0) | (txAdd ? 0x40 : 0) | (rxAdd ? 0x80 : 0))
    writer.uint8(length)
  }

  /// The type of the sender's address.
  var senderKind: BluetoothAddress.Kind { txAdd ? .random : .publicDevice }
  /// The type of the receiver's address.
  var receiverKind: BluetoothAddress.Kind { rxAdd ? .random : .publicDevice }
}
