import BLEWire

/// The faults of one run: what is armed, what has fired, and the counts that triggers wait for.
struct FaultSet {
  private(set) var faults: [Fault] = []
  private(set) var fired: [Bool] = []
  /// How often each attribute moment has come, by fault.
  private var counts: [Int] = []

  /// A fault that is due.
  struct Due: Equatable {
    var fault: Fault
    var action: Fault.Action { fault.action }
  }

  mutating func arm(_ fault: Fault) {
    faults.append(fault)
    fired.append(false)
    counts.append(0)
  }

  var firedFaults: [Fault] { zip(faults, fired).filter(\.1).map(\.0) }
  var unfiredFaults: [Fault] { zip(faults, fired).filter { !$0.1 }.map(\.0) }

  private mutating func fire(where matches: (Fault.Trigger) -> Bool) -> Due? {
    for index in faults.indices where !fired[index] && matches(faults[index].trigger) {
      fired[index] = true
      return Due(fault: faults[index])
    }
    return nil
  }

  mutating func entry(_ session: Int, _ entry: Int, before: Bool) -> Due? {
    guard !faults.isEmpty else { return nil }
    let moment = Fault.Moment.entry(session: session, entry: entry)
    return fire { $0 == (before ? .before(moment) : .after(moment)) }
  }

  /// An attribute is used; each armed moment of that use counts one.
  mutating func attribute(_ use: Fault.Use, handle: AttributeHandle, uuid: BluetoothUUID?, before: Bool) -> Due? {
    var due: Due?
    for index in faults.indices where !fired[index] {
      let moment: Fault.Moment
      switch faults[index].trigger {
      case .before(let wanted) where before: moment = wanted
      case .after(let wanted) where !before: moment = wanted
      default: continue
      }
      guard case .attribute(let wanted, let name, let count) = moment, wanted == use || wanted == .any,
        Self.matches(name, handle, uuid)
      else { continue }
      counts[index] += 1
      if counts[index] == count, due == nil {
        fired[index] = true
        due = Due(fault: faults[index])
      }
    }
    return due
  }

  mutating func pdu(_ number: Int) -> Due? { faults.isEmpty ? nil : fire { $0 == .pdu(number) } }
  mutating func phase(_ phase: Fault.Phase) -> Due? { faults.isEmpty ? nil : fire { $0 == .phase(phase) } }
  mutating func time(_ time: Duration) -> Due? { fire { $0 == .time(time) } }

  private static func matches(_ name: Fault.AttributeName, _ handle: AttributeHandle, _ uuid: BluetoothUUID?) -> Bool {
    switch name {
    case .handle(let wanted): handle.rawValue == wanted
    case .uuid(let text): uuid != nil && BluetoothUUID(text) == uuid
    }
  }
}
