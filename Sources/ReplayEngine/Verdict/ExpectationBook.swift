import ReplayScenarios

/// Counts what scenarios expect of the app.
struct ExpectationBook {
  private struct Item {
    let expectation: Expectation
    let peripheral: Int
    /// How often it came in time, and at all.
    var inTime = 0
    var count = 0
    var last: AirInstant?
    /// The least time from one to the next, and when that next one was.
    var closest: (time: Duration, at: AirInstant)?

    /// It came once more.
    mutating func came(at moment: AirInstant) {
      count += 1
      if expectation.apart != nil, let last {
        let time = moment.duration(since: last)
        if closest.map({ time < $0.time }) ?? true { closest = (time, moment) }
      }
      last = moment
      if expectation.within.map({ moment <= AirInstant.start.advanced(by: $0) }) ?? true { inTime += 1 }
    }
  }
  private var items: [Item] = []

  init(_ scenarios: [Scenario]) {
    for (index, scenario) in scenarios.enumerated() { items += scenario.expectations.map { Item(expectation: $0, peripheral: index) } }
  }

  var isEmpty: Bool { items.isEmpty }

  /// Something came about; `peripheral` is `nil` for what concerns them all.
  mutating func note(_ event: Expectation.Event, of peripheral: Int?, at now: AirInstant) {
    for index in items.indices where items[index].expectation.event == event {
      guard peripheral == nil || items[index].peripheral == peripheral else { continue }
      items[index].came(at: now)
    }
  }

  /// A silence of a link ended, or goes on.
  mutating func note(silenceFrom start: AirInstant, to end: AirInstant, of peripheral: Int) {
    for index in items.indices where items[index].peripheral == peripheral {
      guard case .idle(let time) = items[index].expectation.event, end.duration(since: start) >= time else { continue }
      items[index].came(at: start.advanced(by: time))
    }
  }

  /// An ATT PDU of a central; `subscribed` tells the value that a CCCD belongs to.
  mutating func note(_ bytes: [UInt8], of peripheral: Int, at now: AirInstant, subscribed: (AttributeHandle) -> AttributeHandle?) {
    guard bytes.count >= 3 else { return }
    let handle = AttributeHandle(UInt16(bytes[1]) | UInt16(bytes[2]) << 8)
    switch ATTOpcode(rawValue: bytes[0]) {
    case .readRequest: note(.read(handle), of: peripheral, at: now)
    case .writeRequest, .writeCommand, .signedWriteCommand:
      note(.write(handle), of: peripheral, at: now)
      if bytes.count >= 4, bytes[3] & 3 != 0, let value = subscribed(handle) { note(.subscribe(value), of: peripheral, at: now) }
    // A write in parts begins with the first of them.
    case .prepareWriteRequest: if bytes.count >= 5, bytes[3] == 0, bytes[4] == 0 { note(.write(handle), of: peripheral, at: now) }
    default: break
    }
  }

  /// What was not met, in words.
  var failures: [String] {
    items.compactMap { item in
      let (expected, event) = (item.expectation, Self.words(item.expectation.event))
      let limit = expected.within.map { " within \($0.wholeNanoseconds / 1_000_000) ms" } ?? ""
      let note = expected.note.map { " (\($0))" } ?? ""
      if item.inTime < expected.count {
        let late = item.count > item.inTime ? ", and \(item.count - item.inTime) later, the last at \(item.last ?? .start) s" : ""
        return "expected \(event) \(Self.times(expected.count))\(limit): it came \(Self.times(item.inTime))\(late)\(note)"
      }
      if let most = expected.atMost, item.inTime > most {
        return "expected \(event) at most \(Self.times(most))\(limit): it came \(Self.times(item.inTime))\(note)"
      }
      if let least = expected.apart, let closest = item.closest, closest.time < least {
        return "expected \(event) no sooner than \(least.wholeNanoseconds / 1_000_000) ms after another: it came after "
          + "\(closest.time.wholeNanoseconds / 1_000_000) ms, at \(closest.at) s\(note)"
      }
      return nil
    }
  }

  private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

  private static func words(_ event: Expectation.Event) -> String {
    switch event {
    case .scan: "a scan"
    case .attempt: "an attempt to connect"
    case .connect: "a connection"
    case .disconnect: "a disconnection"
    case .read(let handle): "a read of \(handle)"
    case .write(let handle): "a write to \(handle)"
    case .subscribe(let handle): "a subscription to \(handle)"
    case .idle(let time): "a silence of \(time.wholeNanoseconds / 1_000_000) ms"
    case .mark(let name): "the mark \"\(name)\""
    }
  }
}
