extension AirLog {
  /// Where two logs part.
  public struct Difference: Sendable, Equatable, CustomStringConvertible {
    /// The line's number, from 1, counted from the beginning of both runs.
    public var number: Int
    /// What the log has there, and what the other has; `nil` for the one that ends before.
    public var line: Line?
    public var other: Line?

    public var description: String {
      switch (line, other) {
      case (let line?, let other?): "line \(number) is \"\(AirLog.describe(line))\" in one and \"\(AirLog.describe(other))\" in the other"
      case (let line?, nil): "line \(number) is \"\(AirLog.describe(line))\" in one, and the other ends before it"
      case (nil, let other?): "one ends before line \(number), and the other goes on with \"\(AirLog.describe(other))\""
      case (nil, nil): "line \(number) is in neither"
      }
    }
  }

  /// The first line that two logs do not have in common, in what both kept (``VirtualAir/logLimit``); `nil` where they are the same.
  public func firstDifference(from other: AirLog) -> Difference? {
    let start = max(droppedLines, other.droppedLines)
    let (kept, otherKept) = (lines.dropFirst(start - droppedLines), other.lines.dropFirst(start - other.droppedLines))
    if let parted = zip(kept, otherKept).enumerated().first(where: { $1.0 != $1.1 }) {
      return Difference(number: start + parted.offset + 1, line: parted.element.0, other: parted.element.1)
    }
    guard kept.count != otherKept.count else { return nil }
    let common = min(kept.count, otherKept.count)
    return Difference(number: start + common + 1, line: kept.dropFirst(common).first, other: otherKept.dropFirst(common).first)
  }
}
