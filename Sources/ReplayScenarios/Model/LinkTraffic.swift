public import BLEWire

/// What went over one link of a replay, in order.
public struct LinkTraffic: Sendable {
  /// One ATT PDU.
  public struct PDU: Sendable, Hashable {
    public var fromCentral: Bool
    public var bytes: [UInt8]
    /// The number of the channel that carried it, 0 for the fixed one.
    public var bearer: Int
    /// Joins the parts.
    public init(fromCentral: Bool, bytes: [UInt8], bearer: Int = 0) {
      (self.fromCentral, self.bytes, self.bearer) = (fromCentral, bytes, bearer)
    }
  }

  /// Something that an end did besides.
  public struct Procedure: Sendable, Hashable {
    public var fromCentral: Bool
    public var procedure: LinkProcedure
    /// How it came out; `nil` for what asks for nothing, and for what got no answer.
    public var outcome: LinkProcedure.Outcome?
    /// Joins the parts.
    public init(fromCentral: Bool, procedure: LinkProcedure, outcome: LinkProcedure.Outcome? = nil) {
      (self.fromCentral, self.procedure, self.outcome) = (fromCentral, procedure, outcome)
    }
  }

  public var pdus: [PDU] = []
  public var procedures: [Procedure] = []
  /// Without any.
  public init() {}
}
