import BLEWire

/// Why a fault's text was refused.
public struct FaultError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong and what to do.
  public let description: String
}

extension Fault {
  /// Reads `disconnect[:REASON]@TRIGGER`.
  ///
  /// `REASON` is an HCI code as `0x08` or `8`; 0x08 where there is none. `TRIGGER` is one of `before:MOMENT`, `after:MOMENT`,
  /// `pdu:N`, `phase:NAME` and `time:T` (`1500ms` or `1.5s`); `MOMENT` is `entry:SESSION.ENTRY`, both from 1, or
  /// `USE:ATTRIBUTE[#N]`, where `USE` is read, write, notification, indication or any, and `ATTRIBUTE` a UUID or a handle as `0x002a`.
  public init(_ text: String) throws(FaultError) {
    let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2 else {
      throw FaultError(description: "\"\(text)\" has no trigger; write it as disconnect:0x08@after:notification:2A37#3")
    }
    self.init(try Self.action(String(halves[0])), at: try Self.trigger(String(halves[1])))
  }

  private static func action(_ text: String) throws(FaultError) -> Action {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts[0] == "disconnect" else {
      throw FaultError(description: "\"\(parts[0])\" is no fault\(suggestion(parts[0], ["disconnect"])); disconnect is")
    }
    guard parts.count == 2 else { return .disconnect(.connectionTimeout) }
    guard let code = number(parts[1]), let reason = UInt8(exactly: code), reason != 0 else {
      throw FaultError(description: "\"\(parts[1])\" is no HCI reason; give a code from 0x01 to 0xff, as disconnect:0x13")
    }
    return .disconnect(HCIErrorCode(rawValue: reason))
  }

  private static func trigger(_ text: String) throws(FaultError) -> Trigger {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let rest = parts.count == 2 ? parts[1] : ""
    switch parts[0] {
    case "before": return .before(try moment(rest))
    case "after": return .after(try moment(rest))
    case "pdu":
      guard let count = Int(rest), count > 0 else { throw FaultError(description: "\"\(rest)\" is no PDU number; count from 1, as pdu:12") }
      return .pdu(count)
    case "phase":
      guard let phase = Phase(rawValue: rest) else {
        let names = Phase.allCases.map(\.rawValue)
        throw FaultError(description: "\"\(rest)\" is no phase\(suggestion(rest, names)); the phases are \(names.joined(separator: ", "))")
      }
      return .phase(phase)
    case "time": return .time(try time(rest))
    default:
      let names = ["before", "after", "pdu", "phase", "time"]
      throw FaultError(
        description: "\"\(parts[0])\" is no trigger\(suggestion(parts[0], names)); the triggers are \(names.joined(separator: ", "))")
    }
  }

  private static func moment(_ text: String) throws(FaultError) -> Moment {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let rest = parts.count == 2 ? parts[1] : ""
    if parts[0] == "entry" {
      let numbers = rest.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 2, let session = numbers[0], let entry = numbers[1], session > 0, entry > 0 else {
        throw FaultError(description: "\"\(rest)\" names no entry; give session and entry, both from 1, as entry:1.12")
      }
      return .entry(session: session - 1, entry: entry - 1)
    }
    guard let use = Use(rawValue: parts[0]) else {
      let names = ["entry"] + Use.allCases.map(\.rawValue)
      throw FaultError(
        description: "\"\(parts[0])\" is nothing to wait for\(suggestion(parts[0], names)); there are \(names.joined(separator: ", "))")
    }
    let pieces = rest.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var count = 1
    if pieces.count == 2 {
      guard let number = Int(pieces[1]), number > 0 else {
        throw FaultError(description: "\"\(pieces[1])\" is no count; count from 1, as notification:2A37#3")
      }
      count = number
    }
    if pieces[0].hasPrefix("0x"), let handle = number(pieces[0]), let value = UInt16(exactly: handle), value > 0 {
      return .attribute(use, .handle(value), count: count)
    }
    guard BluetoothUUID(pieces[0]) != nil else {
      throw FaultError(description: "\"\(pieces[0])\" is neither a UUID nor a handle; write 2A37, a 36-character UUID, or 0x002a")
    }
    return .attribute(use, .uuid(pieces[0].uppercased()), count: count)
  }

  private static func time(_ text: String) throws(FaultError) -> Duration {
    let decimals = text.hasSuffix("ms") ? 6 : 9
    let number = text.hasSuffix("ms") ? text.dropLast(2) : text.hasSuffix("s") ? text.dropLast() : ""
    let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : "0"
    // Digits are shifted instead of multiplied, so that every nanosecond survives.
    guard let whole = parts.first, !whole.isEmpty, !fraction.isEmpty, fraction.utf8.count <= decimals,
      (whole + fraction).utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let nanoseconds = Int64(whole + fraction + String(repeating: "0", count: decimals - fraction.utf8.count))
    else { throw FaultError(description: "\"\(text)\" is no time; write it as 1500ms or 1.5s") }
    return .nanoseconds(nanoseconds)
  }

  private static func number(_ text: String) -> Int? { text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text) }

  /// A hint where one of `names` begins alike or has nearly the same letters.
  private static func suggestion(_ text: String, _ names: [String]) -> String {
    let close = names.first { name in
      !text.isEmpty
        && (name.hasPrefix(text) || text.hasPrefix(name) || zip(name, text).prefix { $0 == $1 }.count >= 3
          || Set(name).symmetricDifference(text).count <= 2)
    }
    return close.map { ": did you mean \($0)?" } ?? ""
  }
}
