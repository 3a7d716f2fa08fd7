public import BLEWire

extension Fault {
  /// What goes wrong.
  public enum Action: Sendable, Hashable, Codable {
    /// The peripheral's end is gone: the link ends and the central's host is told this reason.
    case disconnect(HCIErrorCode)
    /// A PDU arrives so much later, and what is behind it does not overtake it.
    case delay(Duration)
    /// A PDU is lost between the hosts.
    case drop
    /// A PDU arrives twice.
    case duplicate
    /// A PDU arrives behind the next one of its direction; where none comes within 1 s, then.
    case reorder
    /// A PDU arrives with other bits.
    case corrupt(Corruption)
  }

  /// What bits of a PDU are changed.
  public enum Corruption: Sendable, Hashable, Codable {
    /// One bit that the air's seed picks.
    case anyBit
    /// The byte at an offset, in a shorter PDU the last one, is combined by exclusive or with a mask that is not 0.
    case byte(offset: Int, mask: UInt8)
  }
}

extension Fault.Action {
  /// What an action is done to.
  enum Target {
    /// The link, at once.
    case link
    /// The PDU that the trigger is about, else the next that goes over the link in either direction.
    case pdu
  }

  var target: Target {
    switch self {
    case .disconnect: .link
    case .delay, .drop, .duplicate, .reorder, .corrupt: .pdu
    }
  }

  /// Whether the link is over with it.
  var endsLink: Bool {
    switch self {
    case .disconnect: true
    case .delay, .drop, .duplicate, .reorder, .corrupt: false
    }
  }
}

extension Fault.Action: CustomStringConvertible {
  /// The form that the command line reads.
  public var description: String {
    switch self {
    case .disconnect(let reason): "disconnect:\(hexadecimal(reason.rawValue))"
    case .delay(let time): "delay:\(Fault.milliseconds(time))"
    case .drop: "drop"
    case .duplicate: "duplicate"
    case .reorder: "reorder"
    case .corrupt(.anyBit): "corrupt"
    case .corrupt(.byte(let offset, let mask)): "corrupt:\(offset)^\(hexadecimal(mask))"
    }
  }
}
