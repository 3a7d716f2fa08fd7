import ReplayScenarios

extension Fault.Action {
  /// How an action is written.
  private struct Word: Sendable {
    let name: String
    /// Makes the action of what stands behind the colon, if anything does.
    let read: @Sendable (String?) throws(FaultError) -> Fault.Action

    init(_ name: String, _ read: @escaping @Sendable (String?) throws(FaultError) -> Fault.Action) {
      (self.name, self.read) = (name, read)
    }

    /// One that is written alone.
    init(_ action: Fault.Action) {
      self.init("\(action)") { (text) throws(FaultError) in
        if let text { throw FaultError(description: "\(action) is written alone; leave out \":\(text)\"") }
        return action
      }
    }
  }

  /// All actions, in the order of the documentation.
  private static let words: [Word] = [
    Word("disconnect") { (text) throws(FaultError) in
      .disconnect(try status(text, default: .connectionTimeout, as: "disconnect:0x13"))
    },
    Word(.localDisconnect),
    Word(.vanish),
    Word(.silence),
    Word("refuseConnection") { (text) throws(FaultError) in
      .refuseConnection(try status(text, default: .connectionFailedToBeEstablished, as: "refuseConnection:0x3e"))
    },
    Word("delayConnection") { (text) throws(FaultError) in .delayConnection(try Fault.time(text ?? "")) },
    Word(.failEstablishment),
    Word("delay") { (text) throws(FaultError) in .delay(try Fault.time(text ?? "")) },
    Word(.drop),
    Word(.duplicate),
    Word(.reorder),
    Word("corrupt") { (text) throws(FaultError) in .corrupt(try corruption(text)) },
    Word("error") { (text) throws(FaultError) in
      .error(ATTErrorCode(rawValue: try code(text ?? "", "ATT error", as: "error:0x0e")))
    },
    Word("delayMTU") { (text) throws(FaultError) in .delayMTU(try Fault.time(text ?? "")) },
    Word(.duplicateMTU),
    Word("limitMTU") { (text) throws(FaultError) in
      .limitMTU(try whole(text ?? "", 23...0xFFFF, "ATT MTU", as: "limitMTU:23"))
    },
    Word("moveHandles") { (text) throws(FaultError) in .moveHandles(try shift(text ?? "")) },
    Word(.forgetBond),
    Word("failEncryption") { (text) throws(FaultError) in
      .failEncryption(try status(text, default: .authenticationFailure, as: "failEncryption:0x06"))
    },
    Word("stallCredits") { (text) throws(FaultError) in .stallCredits(try time(text)) },
    Word("rssi") { (text) throws(FaultError) in .rssi(try whole(text ?? "", -127...20, "signal strength in dBm", as: "rssi:-90")) },
    Word("rotateAddress") { (text) throws(FaultError) in
      guard let text else { return .rotateAddress(resolvable: false) }
      guard text == "resolvable" else {
        throw FaultError(description: "\"\(text)\" is no kind of address; write rotateAddress or rotateAddress:resolvable")
      }
      return .rotateAddress(resolvable: true)
    },
    Word("stopAdvertising") { (text) throws(FaultError) in .stopAdvertising(try time(text)) },
    Word("powerOff") { (text) throws(FaultError) in .powerOff(try time(text)) },
  ]

  /// The names of all actions.
  package static var names: [String] { words.map(\.name) }

  /// Reads `NAME[:DETAIL]`.
  init(_ text: String) throws(FaultError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let word = Self.words.first(where: { $0.name == parts[0] }) else {
      throw FaultError(
        description: "\"\(parts[0])\" is no fault\(Fault.suggestion(parts[0], Self.names)); the faults are "
          + Self.names.joined(separator: ", "))
    }
    self = try word.read(parts.count == 2 ? parts[1] : nil)
  }

  private static func status(_ text: String?, default usual: HCIErrorCode, as example: String) throws(FaultError) -> HCIErrorCode {
    guard let text else { return usual }
    return HCIErrorCode(rawValue: try code(text, "HCI reason", as: example))
  }

  private static func code(_ text: String, _ kind: String, as example: String) throws(FaultError) -> UInt8 {
    guard let code = Fault.number(text).flatMap({ UInt8(exactly: $0) }), code != 0 else {
      throw FaultError(description: "\"\(text)\" is no \(kind); give a code from 0x01 to 0xff, as \(example)")
    }
    return code
  }

  private static func whole(_ text: String, _ range: ClosedRange<Int>, _ kind: String, as example: String) throws(FaultError) -> Int {
    guard let number = Fault.number(text), range.contains(number) else {
      throw FaultError(
        description: "\"\(text)\" is no \(kind); give one from \(range.lowerBound) to \(range.upperBound), as \(example)")
    }
    return number
  }

  private static func time(_ text: String?) throws(FaultError) -> Duration? {
    guard let text else { return nil }
    return try Fault.time(text)
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

  private static func shift(_ text: String) throws(FaultError) -> HandleShift {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let numbers = parts[0].split(separator: "+", omittingEmptySubsequences: false).map { Fault.number(String($0)) }
    guard numbers.count == 2, let first = numbers[0].flatMap({ UInt16(exactly: $0) }), first > 0,
      let offset = numbers[1].flatMap({ UInt16(exactly: $0) }), offset > 0, parts.count == 1 || parts[1] == "serviceChanged"
    else {
      throw FaultError(
        description: "\"\(text)\" moves no handles; give the first handle and by how much it and those above it grow, as "
          + "moveHandles:0x0010+4 or, with an indication, moveHandles:0x0010+4:serviceChanged")
    }
    return HandleShift(from: first, by: offset, serviceChanged: parts.count == 2)
  }
}
