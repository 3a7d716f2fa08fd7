import BLEWire

extension Fault {
  /// When it goes wrong.
  public enum Trigger: Sendable, Hashable {
    /// Right before something happens: a request is then not answered, a notification not sent.
    case before(Moment)
    /// Right after something happened.
    case after(Moment)
    /// At the n-th ATT PDU of a link, in either direction, counted from 1: what is done to a PDU is done to it, all else follows it.
    case pdu(Int)
    /// When a link comes to this phase for the n-th time, counted from 1 over all links.
    case phase(Phase, count: Int = 1)
    /// When the air's clock reaches this time, if a link is up then; what is done to a radio needs none.
    case time(Duration)
  }

  /// What a trigger waits for.
  public enum Moment: Sendable, Hashable {
    /// The entry with this number, from 0, of the session with this number, from 0.
    case entry(session: Int, entry: Int)
    /// The n-th time, counted from 1 over all links, that something is done with an attribute.
    case attribute(Use, AttributeName, count: Int)
  }

  /// What is done with an attribute.
  public enum Use: String, Sendable, Hashable, CaseIterable {
    /// A value is read, be it by several requests.
    case read
    /// A value is written, with or without response, be it by several requests.
    case write
    case notification
    case indication
    /// One of these four.
    case any
    /// A request about the attribute is answered.
    case response
    /// An indication is confirmed.
    case confirmation
    /// Notifications or indications of the characteristic are switched on.
    case subscription
    /// A part of a long read: the count is its number in the read.
    case readPart
    /// A part of a long write: the count is its number in the write.
    case preparedWrite
  }

  /// An attribute by its type or by its handle.
  public enum AttributeName: Sendable, Hashable {
    case uuid(String)
    case handle(UInt16)
  }

  /// A part of a link's life.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// The peripheral is about to send an advertising packet to a central that scans.
    case advertising
    /// A connection is being made.
    case connecting
    /// An Exchange MTU Request arrives.
    case mtu
    /// A discovery request arrives.
    case discovery
    /// A CCCD is written.
    case subscribing
    /// A Prepare Write Request arrives.
    case longWrite
    /// The second value in a row of one attribute is about to be told.
    case streaming
    /// The link is about to be paired or encrypted.
    case encrypting
  }
}

extension Fault.Trigger {
  /// From which time on that it comes a fault may fire.
  var first: Int {
    switch self {
    case .before(.attribute(let use, _, let count)), .after(.attribute(let use, _, let count)): use.countsParts ? 1 : count
    case .phase(_, let count): count
    case .before(.entry), .after(.entry), .pdu, .time: 1
    }
  }
}

extension Fault.Use {
  /// Whether a count is the number of a part of one value.
  var countsParts: Bool { self == .readPart || self == .preparedWrite }

  /// Which use the parts of a use are.
  var part: Fault.Use? {
    switch self {
    case .read: .readPart
    case .preparedWrite: .preparedWrite
    default: nil
    }
  }

  /// Whether ``any`` means it as well.
  var isOfAnyKind: Bool {
    switch self {
    case .read, .write, .notification, .indication: true
    case .any, .response, .confirmation, .subscription, .readPart, .preparedWrite: false
    }
  }
}

extension Fault.Moment {
  /// The n-th notification of the attribute with this UUID.
  public static func notification(_ uuid: String, count: Int = 1) -> Self { .attribute(.notification, .uuid(uuid), count: count) }
  /// The n-th indication of the attribute with this UUID.
  public static func indication(_ uuid: String, count: Int = 1) -> Self { .attribute(.indication, .uuid(uuid), count: count) }
  /// The n-th read of the attribute with this UUID.
  public static func read(_ uuid: String, count: Int = 1) -> Self { .attribute(.read, .uuid(uuid), count: count) }
  /// The n-th answer to a request about the attribute with this UUID.
  public static func response(_ uuid: String, count: Int = 1) -> Self { .attribute(.response, .uuid(uuid), count: count) }
  /// The n-th confirmation of an indication of the attribute with this UUID.
  public static func confirmation(_ uuid: String, count: Int = 1) -> Self { .attribute(.confirmation, .uuid(uuid), count: count) }
  /// The n-th subscription to the characteristic with this UUID.
  public static func subscription(_ uuid: String, count: Int = 1) -> Self { .attribute(.subscription, .uuid(uuid), count: count) }
  /// A part, counted from 1, of a long read of the attribute with this UUID.
  public static func readPart(_ uuid: String, _ part: Int) -> Self { .attribute(.readPart, .uuid(uuid), count: part) }
  /// A part, counted from 1, of a long write to the attribute with this UUID.
  public static func preparedWrite(_ uuid: String, _ part: Int) -> Self { .attribute(.preparedWrite, .uuid(uuid), count: part) }
  /// The n-th write of the attribute with this UUID, with or without response.
  public static func write(_ uuid: String, count: Int = 1) -> Self { .attribute(.write, .uuid(uuid), count: count) }
}

extension Fault.Trigger: CustomStringConvertible {
  /// The form that the command line reads.
  public var description: String {
    switch self {
    case .before(let moment): "before:\(moment)"
    case .after(let moment): "after:\(moment)"
    case .pdu(let number): "pdu:\(number)"
    case .phase(let phase, let count): "phase:\(phase.rawValue)\(Fault.suffix(count))"
    case .time(let time): "time:\(Fault.milliseconds(time))"
    }
  }
}

extension Fault.Moment: CustomStringConvertible {
  public var description: String {
    switch self {
    case .entry(let session, let entry): return "entry:\(session + 1).\(entry + 1)"
    case .attribute(let use, let name, let count):
      let text =
        switch name {
        case .uuid(let uuid): uuid
        case .handle(let handle): hexadecimal(handle)
        }
      return "\(use.rawValue):\(text)\(Fault.suffix(count))"
    }
  }
}

extension Fault {
  fileprivate static func suffix(_ count: Int) -> String { count == 1 ? "" : "#\(count)" }
}
