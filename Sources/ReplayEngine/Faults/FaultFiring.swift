/// One time that a fault went wrong.
public struct FaultFiring: Sendable, Hashable, CustomStringConvertible {
  public var fault: Fault
  public var time: AirInstant
  /// The link's number, from 1; 0 where there was none.
  public var link: Int
  /// How many ATT PDUs had gone over the link by then, in both directions.
  public var pdus: Int

  /// What went wrong, when and where.
  public var description: String {
    "\(fault) at \(time) s\(link == 0 ? "" : " on link \(link), at PDU \(pdus)")"
  }
}
