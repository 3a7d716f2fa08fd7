import ByteParsing

/// Leaves out the records of a log that the one before it already had: rotated logs, and a report's two copies, overlap.
///
/// Of the earlier logs the records from the later one's first time on are remembered, by the microsecond and the packet: formats differ in
/// what stands around a packet, and in how finely they tell its time.
struct OverlapFilter {
  private struct Mark: Hashable {
    let time: CaptureTime
    let hash: Int
  }
  /// Logs that overlap by more are no rotation; each mark takes about 50 bytes.
  private static let limit = 500_000
  private var marks: [Mark: Int] = [:]
  private var count = 0
  /// The first time of the log that follows the present one.
  var nextStart: CaptureTime?
  /// Records of the present log that were left out.
  private(set) var omitted = 0
  private var earlier: [Mark: Int] = [:]

  /// Whether records have to be looked at.
  var isOn: Bool { nextStart != nil || !earlier.isEmpty }

  /// The present log ends; what it left behind is looked for in the next.
  mutating func beginNext(nextStart: CaptureTime?) {
    // One that ends early does not hide what the log before it has in common with the next.
    earlier.merge(marks) { $0 + $1 }
    (marks, omitted) = ([:], 0)
    if let start = self.nextStart { earlier = earlier.filter { $0.key.time >= start } }
    count = earlier.count
    self.nextStart = nextStart?.wholeMicroseconds
  }

  /// Whether the log before had this record.
  mutating func isDouble(_ header: borrowing RecordHeader, _ bytes: RawSpan) -> Bool {
    let time = header.time.wholeMicroseconds
    if earlier.isEmpty, nextStart.map({ time < $0 }) ?? true { return false }
    let (kind, start) = Self.packet(header.encapsulation, bytes)
    var hasher = Hasher()
    hasher.combine(kind)
    for index in start..<bytes.byteCount { hasher.combine(bytes.uint8(at: index)) }
    let mark = Mark(time: time, hash: hasher.finalize())
    if let nextStart, time >= nextStart, count < Self.limit {
      marks[mark, default: 0] += 1
      count += 1
    }
    guard let left = earlier[mark] else { return false }
    earlier[mark] = left > 1 ? left - 1 : nil
    omitted += 1
    return true
  }

  /// What a record is, an HCI packet as its H4 indicator says it, and where it begins.
  private static func packet(_ encapsulation: Encapsulation, _ bytes: RawSpan) -> (kind: Int, start: Int) {
    switch encapsulation {
    case .hci(let kind): return (kind.indicator.map(Int.init) ?? -1, 0)
    case .link(.hciUART, _) where bytes.byteCount > 0: return (Int(bytes.uint8(at: 0)), 1)
    case .link(.hciUARTWithDirection, _) where bytes.byteCount > 4: return (Int(bytes.uint8(at: 4)), 5)
    case .link, .simulator: return (-2, 0)
    }
  }
}

extension CaptureTime {
  fileprivate var wholeMicroseconds: CaptureTime { CaptureTime(seconds: seconds, nanoseconds: nanoseconds - nanoseconds % 1000) }
}
