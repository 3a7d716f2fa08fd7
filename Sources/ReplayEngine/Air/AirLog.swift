public import BLEWire
public import ReplayScenarios

/// Everything that happened on an air, in order; the same seed and the same central give the same log, byte for byte.
public struct AirLog: Sendable {
  /// One event.
  public enum Event: Sendable, Equatable {
    case connected(peripheral: Int, session: Int)
    case connectionFailed(peripheral: Int, HCIErrorCode)
    /// An ATT PDU; `fromCentral` tells its direction, `bearer` the number of the channel that carried it, 0 for the fixed one.
    case pdu(fromCentral: Bool, [UInt8], bearer: Int)
    /// An ATT PDU of what the central's stack asks for itself, beside its apps: nothing is counted by it, and no fault meets it.
    case own(fromCentral: Bool, [UInt8])
    /// What an end did besides.
    case procedure(fromCentral: Bool, LinkProcedure)
    /// How what the other end asked for came out.
    case outcome(fromCentral: Bool, LinkProcedure, LinkProcedure.Outcome)
    /// An ATT PDU that a fault delayed, changed, doubled or let another overtake arrived so.
    case arrived(fromCentral: Bool, [UInt8], bearer: Int)
    /// An ATT PDU that was sent does not arrive.
    case lost(fromCentral: Bool, [UInt8], bearer: Int)
    case disconnected(HCIErrorCode)
    /// The central's adapter was switched on or off.
    case adapter(isOn: Bool)
    case fault(Fault)
  }

  /// An event with its place.
  public struct Line: Sendable, Equatable {
    public var time: AirInstant
    /// The link's number, from 1; 0 where there is none.
    public var link: Int
    public var event: Event
  }

  /// The latest lines, at least as many as the air's ``VirtualAir/logLimit``, and at the most an eighth more.
  public private(set) var lines: [Line] = []
  /// How many lines there were before these.
  public private(set) var droppedLines = 0
  /// Where time went on by a guess: two runs may differ there. At most 1,000 are kept.
  public private(set) var guesses: [AirFinding] = []

  /// A wrong use of the framework.
  public struct Misuse: Sendable, Equatable {
    public var time: AirInstant
    public var words: String
  }
  /// Wrong uses of the framework, in order, as the verdict has them.
  public private(set) var misuse: [Misuse] = []

  mutating func note(misuse words: String, at time: AirInstant) { misuse.append(Misuse(time: time, words: words)) }

  mutating func noteGuess(_ finding: AirFinding) { if guesses.count < SessionReport.limit { guesses.append(finding) } }

  /// How many lines are kept.
  var limit = defaultLimit
  static let defaultLimit = 1_000_000
  /// When something happened last.
  private(set) var lastTime = AirInstant.start

  mutating func add(_ event: Event, link: Int, at time: AirInstant) {
    lastTime = time
    guard limit > 0 else { return }
    lines.append(Line(time: time, link: link, event: event))
    // Many at once, so that each costs the same in the end.
    guard lines.count > limit, lines.count - limit > limit / 8 else { return }
    droppedLines += lines.count - limit
    lines.removeFirst(lines.count - limit)
  }

  /// The ATT PDUs of one link, in order.
  public func pdus(link: Int) -> [LinkTraffic.PDU] { traffic(link: link).pdus }

  /// What went over one link, and how what was asked for came out.
  public func traffic(link: Int) -> LinkTraffic {
    var traffic = LinkTraffic()
    // Procedures that wait for their outcome.
    var open: [Int] = []
    for line in lines where line.link == link {
      switch line.event {
      case .pdu(let fromCentral, let bytes, let bearer):
        traffic.pdus.append(LinkTraffic.PDU(fromCentral: fromCentral, bytes: bytes, bearer: bearer))
      case .procedure(let fromCentral, let procedure):
        if procedure.isAsked { open.append(traffic.procedures.count) }
        traffic.procedures.append(LinkTraffic.Procedure(fromCentral: fromCentral, procedure: procedure))
      case .outcome(let fromCentral, let procedure, let outcome):
        let asked = open.firstIndex {
          traffic.procedures[$0].fromCentral != fromCentral && traffic.procedures[$0].procedure == procedure
        }
        if let asked { traffic.procedures[open.remove(at: asked)].outcome = outcome }
      default: break
      }
    }
    return traffic
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

  private static func describe(_ fromCentral: Bool, _ bytes: [UInt8], _ bearer: Int) -> String {
    "\(fromCentral ? ">" : "<") \(bearer == 0 ? "" : "bearer \(bearer) ")\(Hexadecimal.encode(bytes))"
  }

  static func describe(_ line: Line) -> String {
    let event =
      switch line.event {
      case .connected(let peripheral, let session): "connected peripheral \(peripheral + 1) session \(session + 1)"
      case .connectionFailed(let peripheral, let reason): "failed peripheral \(peripheral + 1) \(reason)"
      case .pdu(let fromCentral, let bytes, let bearer): describe(fromCentral, bytes, bearer)
      case .own(let fromCentral, let bytes): "own \(describe(fromCentral, bytes, 0))"
      case .arrived(let fromCentral, let bytes, let bearer): "arrived \(describe(fromCentral, bytes, bearer))"
      case .lost(let fromCentral, let bytes, let bearer): "lost \(describe(fromCentral, bytes, bearer))"
      case .procedure(let fromCentral, let procedure): "\(fromCentral ? ">" : "<") \(procedure.words)"
      case .outcome(let fromCentral, let procedure, .success): "\(fromCentral ? ">" : "<") \(procedure.words): ok"
      case .outcome(let fromCentral, let procedure, .failure(let code)):
        "\(fromCentral ? ">" : "<") \(procedure.words): error \(code)"
      case .disconnected(let reason): "disconnected \(reason)"
      case .adapter(let isOn): "adapter \(isOn ? "on" : "off")"
      case .fault(let fault): "fault \(fault)"
      }
    return "\(line.time) \(line.link) \(event)"
  }
}
