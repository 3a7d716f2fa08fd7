import ReplayScenarios

/// What the peripheral is to begin in a session, by attribute and kind.
struct ExpectedTraffic {
  private struct Key: Hashable {
    var opcode: UInt8
    var handle: AttributeHandle?
  }

  /// What is to come in one kind of one attribute, in recorded order, and how much of it has come.
  private struct Lane {
    var entries: [(number: Int, bytes: [UInt8])] = []
    var taken = 0
  }

  private var lanes: [Lane] = []
  /// Places among the lanes.
  private var places: [Key: Int] = [:]
  private var procedures: [ProcedureKey: [Int]] = [:]
  /// Whether the central ends the link: what had not come by then was not recorded either.
  var isEnding = false

  init() {}

  init(_ session: Session) {
    for index in session.entries.indices where session.entries[index].origin == .peripheral {
      switch session.entries[index].action {
      case .link(let procedure): procedures[ProcedureKey(procedure), default: []].append(index)
      case .disconnect, .vanish: continue
      case let action:
        let bytes = CentralStep.request(of: action)
        let key = Self.key(bytes)
        let place = places[key] ?? lanes.count
        if place == lanes.count {
          places[key] = place
          lanes.append(Lane())
        }
        lanes[place].entries.append((index, bytes))
      }
    }
  }

  private static func key(_ bytes: [UInt8]) -> Key {
    Key(opcode: bytes.first ?? 0, handle: (try? ATTPDU(parsing: bytes))?.attributeHandle)
  }

  /// The entry that a PDU belongs to, and whether it is the same to the byte; `nil` for one that was not recorded.
  mutating func take(_ bytes: [UInt8]) -> (entry: Int, isEqual: Bool)? {
    guard let place = places[Self.key(bytes)], lanes[place].taken < lanes[place].entries.count else { return nil }
    let (number, expected) = lanes[place].entries[lanes[place].taken]
    lanes[place].taken += 1
    return (number, expected == bytes)
  }

  /// The entry that a procedure belongs to; `nil` for one that was not recorded.
  mutating func take(_ procedure: LinkProcedure) -> Int? {
    let key = ProcedureKey(procedure)
    guard let list = procedures[key], !list.isEmpty else { return nil }
    return procedures[key]?.removeFirst()
  }

  /// Entries that have not come.
  var rest: [Int] {
    (lanes.flatMap { $0.entries.dropFirst($0.taken).map(\.number) } + procedures.values.joined()).sorted()
  }
}
