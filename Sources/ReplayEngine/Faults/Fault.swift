public import BLEWire

/// Something that goes wrong on purpose, and when.
public struct Fault: Sendable, Hashable, Codable {
  /// What goes wrong.
  public enum Action: Sendable, Hashable, Codable {
    /// The peripheral's end is gone: the link ends and the central's host is told this reason.
    case disconnect(HCIErrorCode)
  }

  /// When it goes wrong.
  public enum Trigger: Sendable, Hashable, Codable {
    /// Right before something happens: a request is then not answered, a notification not sent.
    case before(Moment)
    /// Right after something happened.
    case after(Moment)
    /// After the n-th ATT PDU of a link, in either direction, counted from 1.
    case pdu(Int)
    /// When a link first comes to this phase.
    case phase(Phase)
    /// When the air's clock reaches this time, if a link is up then.
    case time(Duration)
  }

  /// What a trigger waits for.
  public enum Moment: Sendable, Hashable, Codable {
    /// The entry with this number, from 0, of the session with this number, from 0.
    case entry(session: Int, entry: Int)
    /// The n-th time, counted from 1, that something is done with an attribute.
    case attribute(Use, AttributeName, count: Int)
  }

  /// What is done with an attribute.
  public enum Use: String, Sendable, Hashable, Codable, CaseIterable { case read, write, notification, indication, any }

  /// An attribute by its type or by its handle.
  public enum AttributeName: Sendable, Hashable, Codable {
    case uuid(String)
    case handle(UInt16)
  }

  /// A part of a link's life.
  public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
    /// The connection is being made: it fails.
    case connecting
    /// An Exchange MTU Request arrives.
    case mtu
    /// The first discovery request arrives.
    case discovery
    /// A CCCD is written.
    case subscribing
    /// The first Prepare Write Request arrives.
    case longWrite
    /// The second value in a row of one attribute is about to be told.
    case streaming
  }

  public var action: Action
  public var trigger: Trigger
  /// Joins both.
  public init(_ action: Action, at trigger: Trigger) { (self.action, self.trigger) = (action, trigger) }
}

extension HCIErrorCode: Codable {}

extension Fault.Moment {
  /// The n-th notification of the attribute with this UUID.
  public static func notification(_ uuid: String, count: Int = 1) -> Self { .attribute(.notification, .uuid(uuid), count: count) }
  /// The n-th indication of the attribute with this UUID.
  public static func indication(_ uuid: String, count: Int = 1) -> Self { .attribute(.indication, .uuid(uuid), count: count) }
  /// The n-th read of the attribute with this UUID.
  public static func read(_ uuid: String, count: Int = 1) -> Self { .attribute(.read, .uuid(uuid), count: count) }
  /// The n-th write of the attribute with this UUID, with or without response.
  public static func write(_ uuid: String, count: Int = 1) -> Self { .attribute(.write, .uuid(uuid), count: count) }
}

extension Fault: CustomStringConvertible {
  /// The form that the command line reads.
  public var description: String {
    let what =
      switch action {
      case .disconnect(let reason): "disconnect:\(hexadecimal(reason.rawValue))"
      }
    switch trigger {
    case .before(let moment): return "\(what)@before:\(moment)"
    case .after(let moment): return "\(what)@after:\(moment)"
    case .pdu(let number): return "\(what)@pdu:\(number)"
    case .phase(let phase): return "\(what)@phase:\(phase.rawValue)"
    case .time(let time): return "\(what)@time:\(Self.milliseconds(time))"
    }
  }

  static func milliseconds(_ time: Duration) -> String {
    let (whole, rest) = time.inNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    guard rest != 0 else { return "\(whole)ms" }
    var digits = String(rest.magnitude)
    digits = String(repeating: "0", count: 6 - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(whole).\(digits)ms"
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
      return "\(use.rawValue):\(text)\(count == 1 ? "" : "#\(count)")"
    }
  }
}
