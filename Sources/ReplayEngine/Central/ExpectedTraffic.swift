import ReplayScenarios

/// What the peripheral is to begin in a session, by attribute and kind.
struct ExpectedTraffic {
  private struct Key: Hashable {
    var opcode: UInt8
    var handle: AttributeHandle?
  }

  private var waiting: [Key: [Int]] = [:]
  private var position: [Key: Int] = [:]
  private var requests: [Int: [UInt8]] = [:]
  private var procedures: [ProcedureKey: [Int]] = [:]
  /// Whether the central ends the link: what had not come by then was not recorded either.
  var isEnding = false

  init() {}

  init(_ session: Session) {
    for (index, entry) in session.entries.enumerated() where entry.origin == .peripheral {
      switch entry.action {
      case .link(let procedure): procedures[ProcedureKey(procedure), default: []].append(index)
      case .disconnect, .vanish: continue
      default:
        let bytes = CentralStep.request(of: entry)
        requests[index] = bytes
        waiting[Self.key(bytes), default: []].append(index)
      }
    }
  }

  private static func key(_ bytes: [UInt8]) -> Key {
    Key(opcode: bytes.first ?? 0, handle: (try? ATTPDU(parsing: bytes))?.attributeHandle)
  }

  /// The entry that a PDU belongs to, and whether it is the same to the byte; `nil` for one that was not recorded.
  mutating func take(_ bytes: [UInt8]) -> (entry: Int, isEqual: Bool)? {
    let key = Self.key(bytes)
    guard let list = waiting[key] else { return nil }
    let place = position[key, default: 0]
    guard place < list.count else { return nil }
    position[key] = place + 1
    return (list[place], requests[list[place]] == bytes)
  }

  /// The entry that a procedure belongs to; `nil` for one that was not recorded.
  mutating func take(_ procedure: LinkProcedure) -> Int? {
    let key = ProcedureKey(procedure)
    guard let list = procedures[key], !list.isEmpty else { return nil }
    return procedures[key]?.removeFirst()
  }

  /// Entries that have not come.
  var rest: [Int] {
    (waiting.flatMap { key, list in list.dropFirst(position[key, default: 0]) } + procedures.values.joined()).sorted()
  }
}
