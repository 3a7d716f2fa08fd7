/// What one record brought of a PDU of L2CAP.
public struct L2CAPPiece: Sendable, Hashable {
  /// The record's number, from 1.
  public var frame: Int
  /// So many of the PDU's bytes, its header included, which follow those of the piece before.
  public var byteCount: Int
}
