public import BLEWire

/// Everything that happened on an air, in order; the same seed and the same central give the same log, byte for byte.
public struct AirLog: Sendable {
  /// One event.
  public enum Event: Sendable, Equatable {
    case connected(peripheral: Int, session: Int)
    case connectionFailed(peripheral: Int, HCIErrorCode)
    /// An ATT PDU; `fromCentral` tells its direction.
    case pdu(fromCentral: Bool, [UInt8])
    case disconnected(HCIErrorCode)
    case fault(Fault)
  }

  /// An event with its place.
  public struct Line: Sendable, Equatable {
    public var time: AirInstant
    /// The link's number, from 1; 0 where there is none.
    public var link: Int
    public var event: Event
  }

  public private(set) var lines: [Line] = []

  mutating func add(_ event: Event, link: Int, at time: AirInstant) { lines.append(Line(time: time, link: link, event: event)) }

  /// The ATT PDUs of one link, in order.
  public func pdus(link: Int) -> [(fromCentral: Bool, bytes: [UInt8])] {
    lines.compactMap { line in
      guard line.link == link, case .pdu(let fromCentral, let bytes) = line.event else { return nil }
      return (fromCentral, bytes)
    }
  }

  /// One line an event: time in seconds, link, what happened.
  public var text: String {
    var text: [UInt8] = []
    for line in lines {
      text += Array(Self.describe(line).utf8)
      text.append(0x0A)
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func describe(_ line: Line) -> String {
    let event =
      switch line.event {
      case .connected(let peripheral, let session): "connected peripheral \(peripheral + 1) session \(session + 1)"
      case .connectionFailed(let peripheral, let reason): "failed peripheral \(peripheral + 1) \(reason)"
      case .pdu(let fromCentral, let bytes): "\(fromCentral ? ">" : "<") \(Hexadecimal.encode(bytes))"
      case .disconnected(let reason): "disconnected \(reason)"
      case .fault(let fault): "fault \(fault)"
      }
    return "\(line.time) \(line.link) \(event)"
  }
}
