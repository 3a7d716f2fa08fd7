public import BLEWire

/// One recorded connection.
public struct Session: Sendable, Equatable {
  /// The link's number in the listing of its capture; `nil` for a session that was written by hand.
  public var link: Int?
  /// That capture's file name, where it is not the scenario's origin.
  public var file: String?
  /// The moment of the connection, UTC, as ISO 8601 text.
  public var time: String?
  /// The random address that the device used, where it is another than the device's own.
  public var address: BluetoothAddress?
  /// Whether both ends had keys for each other when the connection came up.
  public var bonded: Bool
  /// Connection parameters at the start; `nil` where not seen.
  public var parameters: ConnectionParameters?
  /// `false` where the capture began in the middle of the connection.
  public var complete: Bool
  /// The number of the database that holds at the start, from 1.
  public var database: Int
  /// The ATT MTU at the start: 23 but where the capture began in the middle of the connection.
  public var mtu: Int
  /// The status of a connection that was never established (Connection Complete with an error, or 0x3E at once).
  public var failed: HCIErrorCode?
  /// CCCD values at the start that are known, by handle of the descriptor (a bonded central's).
  public var subscriptions: [AttributeHandle: UInt16]
  /// What happened, in recorded order.
  public var entries: [TimelineEntry]
  /// A person's words.
  public var note: String?
  /// Joins the parts.
  public init(
    link: Int? = nil, file: String? = nil, time: String? = nil, address: BluetoothAddress? = nil, bonded: Bool = false,
    parameters: ConnectionParameters? = nil, complete: Bool = true, database: Int = 1, mtu: Int = 23, failed: HCIErrorCode? = nil,
    subscriptions: [AttributeHandle: UInt16] = [:], entries: [TimelineEntry] = [],
    note: String? = nil
  ) {
    self.link = link
    self.file = file
    self.time = time
    self.address = address
    self.bonded = bonded
    self.parameters = parameters
    self.complete = complete
    self.database = database
    self.mtu = mtu
    self.failed = failed
    self.subscriptions = subscriptions
    self.entries = entries
    self.note = note
  }
}

/// One ATT transaction, or one event of the link.
public struct TimelineEntry: Sendable, Equatable {
  /// The name by which anchors refer to the entry; unique in its session.
  public var id: String?
  /// When it began, since the session's start.
  public var at: Duration
  /// The side that began it.
  public var origin: Side
  public var action: Action
  /// The channel that carries the transaction: the number of its opening; `nil` for the fixed channel of ATT.
  public var bearer: Int?
  /// What the other side answered; `.none` (a case) for a request that got no answer, and `nil` for what asks for none.
  public var answer: Answer?
  /// From the request to its answer (for an indication, to its confirmation; for a long read or write, of the last part; for a
  /// `vanish`, from the last sign of life to the moment at which the central takes the link for lost).
  public var latency: Duration?
  /// The parts of a long read or a long write, in order; empty for a transaction of one request.
  public var parts: [Part]
  /// What an entry that the peripheral began waits for; `nil` for the central's.
  public var anchor: Anchor?
  /// Which values count as the recorded one, for a write or a command.
  public var matcher: WriteMatcher
  /// Bytes at the end of the PDU, and of its answer, that the capture did not keep: what is here is played as it is.
  public var truncated: Int?
  public var answerTruncated: Int?
  /// The number of the database that holds from this entry on, where another one did; mostly a Service Changed indication's.
  public var database: Int?
  /// Whether a run that ends without it fails.
  public var isRequired: Bool
  /// A person's words.
  public var note: String?

  /// Joins the parts.
  public init(
    id: String? = nil, at: Duration, origin: Side = .central, action: Action, bearer: Int? = nil, answer: Answer? = nil,
    latency: Duration? = nil, parts: [Part] = [], anchor: Anchor? = nil, matcher: WriteMatcher = .exact, truncated: Int? = nil,
    answerTruncated: Int? = nil, database: Int? = nil, isRequired: Bool = false, note: String? = nil
  ) {
    self.id = id
    self.at = at
    self.origin = origin
    self.action = action
    self.bearer = bearer
    self.answer = answer
    self.latency = latency
    self.parts = parts
    self.anchor = anchor
    self.matcher = matcher
    (self.truncated, self.answerTruncated) = (truncated, answerTruncated)
    self.database = database
    self.isRequired = isRequired
    self.note = note
  }

  /// The two ends of a link.
  public enum Side: String, Sendable, Equatable, CaseIterable { case central, peripheral }

  /// What was asked, told or done.
  public enum Action: Sendable, Equatable {
    /// Exchange MTU with this receive MTU.
    case exchangeMTU(UInt16)
    /// A read: one request, or with `parts` a Read Request and the Read Blob Requests that followed it.
    case read(AttributeHandle)
    /// A Read Blob Request on its own.
    case readBlob(AttributeHandle, offset: UInt16)
    /// A write: one request, or with `parts` Prepare Write Requests and the Execute Write Request.
    case write(AttributeHandle, [UInt8])
    case writeCommand(AttributeHandle, [UInt8])
    /// A CCCD write (Write Request of a descriptor 0x2902) is a `write`; this is any other PDU, whole: discovery, signed writes,
    /// a prepared write on its own, read multiple, and what is malformed or unknown.
    case pdu([UInt8])
    case notify(AttributeHandle, [UInt8])
    case indicate(AttributeHandle, [UInt8])
    /// Anything that is no attribute traffic: pairing, encryption, parameters, channels.
    case link(LinkProcedure)
    /// The link ended with this reason, as the peer of the side that ended it sees it.
    case disconnect(HCIErrorCode)
    /// The peripheral fell silent, and the link was lost when the supervision timeout was over (0x08).
    case vanish
  }

  /// The other side's answer.
  public enum Answer: Sendable, Equatable {
    /// Write Response, Execute Write Response, or the confirmation of an indication.
    case ok
    /// The value that a read got: Read Response, or the parts of a long read joined.
    case value([UInt8])
    /// The receive MTU that the other side told.
    case mtu(UInt16)
    /// An Error Response that names the request's opcode and handle.
    case error(ATTErrorCode)
    /// A procedure of the link failed: the reason of Pairing Failed, the status of the encryption, or the result in L2CAP's answer.
    case refused(UInt16)
    /// Any other PDU, whole.
    case pdu([UInt8])
    /// No answer was seen.
    case none
  }

  /// One request of a long read or write.
  public struct Part: Sendable, Equatable {
    /// When it was sent, since the entry's `at`.
    public var offset: Duration
    /// The bytes of the value it carried; `nil` for an Execute Write Request.
    public var count: Int?
    /// From this request to its answer.
    public var latency: Duration
    /// Joins the parts.
    public init(offset: Duration, count: Int?, latency: Duration) { (self.offset, self.count, self.latency) = (offset, count, latency) }
  }
}
