/// What one record brought of a PDU of L2CAP.
public struct L2CAPPiece: Sendable, Hashable {
  /// The record's number, from 1.
  public var frame: Int
  /// Where it begins in what the record has of L2CAP.
  public var offset = 0
  /// So many of the PDU's bytes, its header included, which follow those of the piece before.
  public var byteCount: Int
}
