import ReplayScenarios

extension Fault.Action {
  /// How an action is written.
  private struct Word: Sendable {
    let name: String
    /// Makes the action of what stands behind the colon, if anything does.
    let read: @Sendable (String?) throws(FaultError) -> Fault.Action
  }

  /// All actions, in the order of the documentation.
  private static let words: [Word] = [
    Word(name: "disconnect") { (text) throws(FaultError) in
      .disconnect(try status(text, default: .connectionTimeout, as: "disconnect:0x13"))
    },
    Word(name: "delay") { (text) throws(FaultError) in .delay(try Fault.time(text ?? "")) },
    Word(name: "drop") { (text) throws(FaultError) in try alone(.drop, text) },
    Word(name: "duplicate") { (text) throws(FaultError) in try alone(.duplicate, text) },
    Word(name: "reorder") { (text) throws(FaultError) in try alone(.reorder, text) },
    Word(name: "corrupt") { (text) throws(FaultError) in .corrupt(try corruption(text)) },
  ]

  /// Reads `NAME[:DETAIL]`.
  init(_ text: String) throws(FaultError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let word = Self.words.first(where: { $0.name == parts[0] }) else {
      let names = Self.words.map(\.name)
      throw FaultError(
        description: "\"\(parts[0])\" is no fault\(Fault.suggestion(parts[0], names)); the faults are \(names.joined(separator: ", "))")
    }
    self = try word.read(parts.count == 2 ? parts[1] : nil)
  }

  private static func alone(_ action: Fault.Action, _ text: String?) throws(FaultError) -> Fault.Action {
    if let text { throw FaultError(description: "\(action) is written alone; leave out \":\(text)\"") }
    return action
  }

  private static func status(_ text: String?, default usual: HCIErrorCode, as example: String) throws(FaultError) -> HCIErrorCode {
    guard let text else { return usual }
    guard let code = Fault.number(text), let reason = UInt8(exactly: code), reason != 0 else {
      throw FaultError(description: "\"\(text)\" is no HCI reason; give a code from 0x01 to 0xff, as \(example)")
    }
    return HCIErrorCode(rawValue: reason)
  }

  private static func corruption(_ text: String?) throws(FaultError) -> Fault.Corruption {
    guard let text else { return .anyBit }
    let parts = text.split(separator: "^", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let offset = Fault.number(parts[0]), (0...0xFFFF).contains(offset),
      let mask = Fault.number(parts[1]).flatMap({ UInt8(exactly: $0) }), mask != 0
    else {
      throw FaultError(
        description: "\"\(text)\" names no bits; give the byte's offset and what it is combined with by exclusive or, as corrupt:3^0x80")
    }
    return .byte(offset: offset, mask: mask)
  }
}
