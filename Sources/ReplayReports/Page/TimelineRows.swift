import BLEWire

/// The rows of a drawing: each holds an event of either side, or one of both where they correspond and their turns allow it.
struct TimelineRows {
  /// The events' numbers; -1 where a side has none in the row.
  private(set) var recorded: [Int] = []
  private(set) var replayed: [Int] = []
  /// The replayed event that corresponds to each recorded one; -1 where none does.
  private(set) var partners: [Int]

  /// How far ahead the same bytes are looked for, as an app may leave something out.
  fileprivate static let reach = 32

  /// What has to be equal for two events to correspond.
  private struct Key: Hashable {
    var sender: Timeline.Sender
    var kind: Timeline.Kind
    var attribute: UInt16?
    /// The opcode of traffic of attributes; else all that is told.
    var opcode: UInt8?
    var words: String?
    var bytes: [UInt8]?

    init(_ event: Timeline.Event) {
      (sender, kind, attribute, opcode) = (event.sender, event.kind, event.attribute?.rawValue, event.bytes.first)
      if event.bytes.isEmpty {
        // How a link's end is told depends on the side that looks.
        sender = .none
        words = event.words
      } else if event.kind == .discovery || event.kind == .other {
        bytes = event.bytes
      }
    }
  }

  fileprivate struct Lane {
    var events: [Int] = []
    var next = 0
  }

  init(_ timeline: Timeline) {
    let (left, right) = (timeline.recorded ?? [], timeline.replayed ?? [])
    partners = Array(repeating: -1, count: left.count)
    var partnersOfReplayed = Array(repeating: -1, count: right.count)
    if !left.isEmpty, !right.isEmpty { Self.join(left, right, &partners, &partnersOfReplayed) }
    merge(left, right, partnersOfReplayed)
  }

  private static func join(_ left: [Timeline.Event], _ right: [Timeline.Event], _ partners: inout [Int], _ partnersOfReplayed: inout [Int])
  {
    var lanes: [Key: Lane] = [:]
    var answers: [Int: Int] = [:]
    for (index, event) in left.enumerated() {
      if let request = event.answers { answers[request] = index } else { lanes[Key(event), default: Lane()].events.append(index) }
    }
    for (index, event) in right.enumerated() {
      var partner: Int?
      if let request = event.answers {
        partner = partnersOfReplayed[request] >= 0 ? answers[partnersOfReplayed[request]] : nil
      } else if event.kind != .fault, event.kind != .misuse, !event.isAfterthought {
        partner = lanes[Key(event)]?.take {
          left[$0].bytes == event.bytes
        } isUsed: {
          partners[$0] >= 0
        }
      }
      guard let partner, partners[partner] < 0 else { continue }
      (partners[partner], partnersOfReplayed[index]) = (index, partner)
    }
  }

  /// Puts the events of both sides into rows, each side in its own order.
  private mutating func merge(_ left: [Timeline.Event], _ right: [Timeline.Event], _ partnersOfReplayed: [Int]) {
    recorded.reserveCapacity(max(left.count, right.count))
    replayed.reserveCapacity(max(left.count, right.count))
    var (row, other) = (0, 0)
    func add(_ left: Int, _ right: Int, to rows: inout Self) {
      rows.recorded.append(left)
      rows.replayed.append(right)
    }
    while row < left.count || other < right.count {
      let takesBoth = row < left.count && other < right.count && partners[row] == other
      if takesBoth {
        add(row, other, to: &self)
        (row, other) = (row + 1, other + 1)
        continue
      }
      // One that has no partner any more goes first; of two whose partners are yet to come the one that was earlier.
      let isLeftFree = row < left.count && partners[row] < other
      let isRightFree = other < right.count && partnersOfReplayed[other] < row
      let takesLeft =
        row < left.count
        && (other >= right.count || (isLeftFree == isRightFree ? left[row].time <= right[other].time : isLeftFree))
      if takesLeft {
        add(row, -1, to: &self)
        row += 1
      } else {
        add(-1, other, to: &self)
        other += 1
      }
    }
  }
}

extension TimelineRows.Lane {
  /// The next one, or one near it that is wanted more; each is told once.
  fileprivate mutating func take(where isWanted: (Int) -> Bool, isUsed: (Int) -> Bool) -> Int? {
    while next < events.count, isUsed(events[next]) { next += 1 }
    guard next < events.count else { return nil }
    return events[next...].prefix(TimelineRows.reach).first { !isUsed($0) && isWanted($0) } ?? events[next]
  }
}
