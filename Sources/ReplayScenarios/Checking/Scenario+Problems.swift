extension Scenario {
  /// What is inconsistent, in the order of the document; a scenario without errors can be replayed.
  public func problems() -> [ScenarioProblem] {
    var found = deviceProblems()
    for (index, database) in databases.enumerated() { found += DatabaseCheck(database, number: index + 1).problems }
    found += RuleCheck(self).problems
    for (index, session) in sessions.enumerated() {
      found += SessionCheck(session, index: index, scenario: self).problems
      found += ChannelCheck(session, index: index).problems
      found += AnchorCheck(session, index: index).problems
    }
    if sessions.count > 1 {
      // What a rule answers is not left to the recording.
      let answered = Set(rules.map(\.attribute))
      found += WriteComparison(self).challenges.filter { !answered.contains($0.handle) }.map(\.problem)
    }
    // The sort must keep the order of discovery within a place.
    return found.enumerated().sorted { left, right in
      let (first, second) = (left.element.place.order, right.element.place.order)
      return first == second ? left.offset < right.offset : first < second
    }.map(\.element)
  }

  private func deviceProblems() -> [ScenarioProblem] {
    var found: [ScenarioProblem] = []
    if let identifier = device.identifier, identifier.utf8.count != 36 || BluetoothUUID(identifier) == nil {
      found.append(
        ScenarioProblem(
          .invalidText, .error, at: .device,
          "the identifier \(JSON5Writer.quoted(identifier, limit: 40)) has not the 36-character form; write it as 6C1F93A2-0D4B-4E57-9B60-2F8A51C3D7E4"
        ))
    }
    if device.mtu < 23 {
      found.append(ScenarioProblem(.invalidMTU, .error, at: .device, "the device's MTU is \(device.mtu); the least that ATT allows is 23"))
    }
    if let advertising = device.advertising, advertising.interval <= .zero {
      found.append(
        ScenarioProblem(.negativeTime, .error, at: .device, "the advertising interval is not positive; write milliseconds, as 100"))
    }
    if let time = origin?.time, !isUTC(time) {
      found.append(
        ScenarioProblem(
          .invalidText, .warning, at: .scenario,
          "the origin's time \(JSON5Writer.quoted(time, limit: 40)) is not UTC in ISO 8601; write it as 2026-11-30T10:00:00Z"))
    }
    return found
  }
}

/// Whether a text has the form `2026-11-30T10:00:00Z`, with or without decimals.
func isUTC(_ text: String) -> Bool {
  let shape = Array("0000-00-00T00:00:00".utf8)
  let bytes = Array(text.utf8)
  guard bytes.count > shape.count, bytes.last == UInt8(ascii: "Z") else { return false }
  func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  guard zip(bytes, shape).allSatisfy({ $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }) else { return false }
  let rest = bytes[shape.count...].dropLast()
  return rest.isEmpty || (rest.count > 1 && rest.first == UInt8(ascii: ".") && rest.dropFirst().allSatisfy(isDigit))
}

extension ScenarioPlace {
  /// The place's position in a document.
  var order: (Int, Int, Int) {
    switch self {
    case .scenario: (0, 0, 0)
    case .device: (1, 0, 0)
    case .attribute(let index, let database): (2, database, index)
    case .rule(let index): (3, index, 0)
    case .expectation(let index): (4, index, 0)
    case .fault(let index): (5, index, 0)
    case .session(let index): (6, index, -1)
    case .entry(let session, let index): (6, session, index)
    }
  }
}
