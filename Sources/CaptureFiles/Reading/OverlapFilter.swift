import ByteParsing

/// Leaves out the records of a log that the one before it already had: rotated logs, and a report's two copies, overlap.
///
/// Of the earlier log the records from the later one's first time on are remembered, by time and bytes.
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
    (earlier, marks, count, omitted) = (marks, [:], 0, 0)
    self.nextStart = nextStart
  }

  /// Whether the log before had this record.
  mutating func isDouble(_ time: CaptureTime, _ bytes: RawSpan) -> Bool {
    if earlier.isEmpty, nextStart.map({ time < $0 }) ?? true { return false }
    var hasher = Hasher()
    for index in 0..<bytes.byteCount { hasher.combine(bytes.uint8(at: index)) }
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
}
