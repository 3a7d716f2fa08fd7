import BLEWire

/// The faults of one run: what is armed, what has fired, and the counts that triggers wait for.
struct FaultSet {
  private struct Armed {
    let fault: Fault
    /// How often its trigger came, and how often it may still go wrong.
    var occurrences = 0
    var left: Int
    var random: SeededRandom
    var hasFired = false
    /// Whether it cannot be made to happen here.
    var isRefused = false
  }

  /// A fault that is due.
  struct Due: Equatable {
    let index: Int
    let fault: Fault
    var action: Fault.Action { fault.action }
  }

  private var armed: [Armed] = []
  /// How many may still go wrong.
  private var active = 0
  private let seed: UInt64
  private static let limit = 1000
  /// How many faults found no room.
  private var leftOut = 0
  private(set) var firings: [FaultFiring] = []
  /// How many firings there were besides those that are kept.
  private(set) var furtherFirings = 0

  init(seed: UInt64) { self.seed = seed }

  /// Takes a fault, where there is room, and tells its place: each costs time at each PDU.
  mutating func arm(_ fault: Fault) -> Int? {
    guard armed.count < Self.limit else {
      leftOut += 1
      return nil
    }
    // Each has its own sequence, so that one more changes nothing of the others.
    let random = SeededRandom(seed: seed &+ UInt64(armed.count) &* 0x9E37_79B9_7F4A_7C15)
    armed.append(Armed(fault: fault, left: fault.isOff ? 0 : fault.count, random: random))
    if !fault.isOff { active += 1 }
    return armed.count - 1
  }

  /// What is wrong where faults found no room.
  var surplus: [String] {
    leftOut == 0 ? [] : ["\(leftOut) faults are more than the \(Self.limit) that an air takes, and were left out"]
  }

  /// Whether nothing can go wrong any more.
  var isEmpty: Bool { active == 0 }

  var firedFaults: [Fault] { armed.filter(\.hasFired).map(\.fault) }
  var unfiredFaults: [Fault] { armed.filter { !$0.hasFired && !$0.fault.isOff && !$0.isRefused }.map(\.fault) }

  /// What is due now took effect.
  mutating func fired(_ due: Due, at time: AirInstant, link: Int, pdus: Int) {
    armed[due.index].hasFired = true
    guard firings.count < SessionReport.limit else { return furtherFirings += 1 }
    firings.append(FaultFiring(fault: due.fault, time: time, link: link, pdus: pdus))
  }

  // MARK: - Triggers

  /// The trigger of a fault came: it may go wrong from its first time on, as often and as likely as it says.
  private mutating func comes(_ index: Int, _ dues: inout [Due]) {
    guard armed[index].left > 0 else { return }
    armed[index].occurrences += 1
    let fault = armed[index].fault
    guard armed[index].occurrences >= fault.trigger.first,
      fault.millionths == 1_000_000 || Int(armed[index].random.next() % 1_000_000) < fault.millionths
    else { return }
    armed[index].left -= 1
    if armed[index].left == 0 { active -= 1 }
    dues.append(Due(index: index, fault: fault))
  }

  private mutating func come(_ peripheral: Int, where matches: (Fault) -> Bool) -> [Due] {
    guard active > 0 else { return [] }
    var dues: [Due] = []
    for index in armed.indices where armed[index].fault.peripheral ?? peripheral == peripheral && matches(armed[index].fault) {
      comes(index, &dues)
    }
    // What ends all comes last, so that the others at the same point happen as well.
    return dues.count < 2 ? dues : dues.filter { !$0.action.leavesNothing } + dues.filter(\.action.leavesNothing)
  }

  mutating func entry(_ session: Int, _ entry: Int, of peripheral: Int, before: Bool) -> [Due] {
    come(peripheral) {
      switch $0.trigger {
      case .before(.entry(session, entry)): before
      case .after(.entry(session, entry)): !before
      default: false
      }
    }
  }

  /// An attribute is used; each armed moment of that use counts one, where it is not about one part of a long value.
  mutating func attribute(
    _ use: Fault.Use, handle: AttributeHandle, uuid: BluetoothUUID?, of peripheral: Int, part: UInt16? = nil, before: Bool
  ) -> [Due] {
    come(peripheral) { fault in
      let moment: Fault.Moment
      switch fault.trigger {
      case .before(let wanted) where before: moment = wanted
      case .after(let wanted) where !before: moment = wanted
      default: return false
      }
      guard case .attribute(let wanted, let name, let count) = moment, wanted == use || wanted == .any && use.isOfAnyKind else {
        return false
      }
      return (part == nil || Int(part ?? 0) == count) && Self.matches(name, handle, uuid)
    }
  }

  mutating func pdu(_ number: Int, of peripheral: Int) -> [Due] {
    come(peripheral) { if case .pdu(let first) = $0.trigger { number >= first } else { false } }
  }
  mutating func phase(_ phase: Fault.Phase, of peripheral: Int) -> [Due] {
    come(peripheral) { if case .phase(phase, _) = $0.trigger { true } else { false } }
  }
  /// The time of the fault at a place came: its alone, for each has its own moment on the air.
  mutating func time(of index: Int, withoutLink: Bool) -> [Due] {
    let target = armed[index].fault.action.target
    guard !withoutLink || target == .radio || target == .connection else { return [] }
    var dues: [Due] = []
    comes(index, &dues)
    return dues
  }

  /// Takes out what cannot be made to happen on a face; tells why.
  mutating func remove(impossibleOn face: Fault.Face) -> [(fault: Fault, reason: String)] {
    var removed: [(fault: Fault, reason: String)] = []
    for index in armed.indices where !armed[index].isRefused {
      guard let reason = armed[index].fault.obstacle(on: face) else { continue }
      if armed[index].left > 0 { active -= 1 }
      (armed[index].left, armed[index].isRefused) = (0, true)
      removed.append((armed[index].fault, reason))
    }
    return removed
  }

  private static func matches(_ name: Fault.AttributeName, _ handle: AttributeHandle, _ uuid: BluetoothUUID?) -> Bool {
    switch name {
    case .handle(let wanted): handle.rawValue == wanted
    case .uuid(let text): uuid != nil && BluetoothUUID(text) == uuid
    }
  }

  // MARK: - Randomness

  /// A PDU with other bits.
  mutating func corrupted(_ bytes: [UInt8], by due: Due, _ corruption: Fault.Corruption) -> [UInt8] {
    guard !bytes.isEmpty else { return bytes }
    var bytes = bytes
    switch corruption {
    case .anyBit:
      let bit = Int(armed[due.index].random.next() % UInt64(bytes.count * 8))
      bytes[bit / 8] ^= 1 << (bit % 8)
    case .byte(let offset, let mask): bytes[min(max(0, offset), bytes.count - 1)] ^= mask
    }
    return bytes
  }
}
