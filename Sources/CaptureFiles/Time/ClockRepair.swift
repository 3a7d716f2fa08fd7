/// Makes the times of a capture run forward only, so that no delay is negative, and tells where the recorded ones did not.
///
/// A step back moves everything after it forward, until the recorded times are ahead again; a counter of 32 bits that began anew
/// goes on; a step of more than a day ahead inside a file is a clock that was set, and counts as none.
struct ClockRepair {
  private let isOn: Bool
  private var last: CaptureTime?
  private var hasPackets = false
  private var lastMended = CaptureTime(seconds: 0, nanoseconds: 0)
  /// What is added now, and what was added before the last step back.
  private var shift = CaptureTime(seconds: 0, nanoseconds: 0)
  private var shiftBefore = CaptureTime(seconds: 0, nanoseconds: 0)
  private static let none = CaptureTime(seconds: 0, nanoseconds: 0)
  /// A day, in nanoseconds.
  private static let longestPause: Int64 = 86400 * 1_000_000_000
  /// Nothing was recorded before Bluetooth LE was: 2009-01-01.
  static let earliest: Int64 = 1_230_768_000

  init(isOn: Bool) { self.isOn = isOn }

  /// The mended time of the next record.
  ///
  /// Notes at the beginning tell when a log was switched on; its packets may begin much later where it is a ring.
  @inline(__always)
  mutating func mend(_ time: CaptureTime, isNote: Bool, frame: Int, _ findings: inout FindingLog) -> CaptureTime {
    if !hasPackets {
      // Begun anew only from the latest time on: notes may have had any.
      if let last, time >= lastMended, time.nanoseconds(since: last) >= Self.longestPause { self.last = nil }
      hasPackets = !isNote
    }
    guard let last else { return begin(time, frame: frame, &findings) }
    let ahead = time.seconds &- last.seconds
    self.last = time
    // The usual case: a little ahead of the record before, and nothing was ever mended.
    if ahead >= 0, ahead < 86400, time >= last, shift == Self.none {
      lastMended = time
      return time
    }
    return step(time, from: last, frame: frame, &findings)
  }

  private mutating func begin(_ time: CaptureTime, frame: Int, _ findings: inout FindingLog) -> CaptureTime {
    (last, lastMended) = (time, time)
    (shift, shiftBefore) = (Self.none, Self.none)
    if time.seconds < Self.earliest {
      findings.add(
        .unsetClock, .note, frame: frame, "the times begin at \(time.iso8601): the clock of what recorded them was not set; delays hold")
    }
    return time
  }

  private mutating func step(_ time: CaptureTime, from last: CaptureTime, frame: Int, _ findings: inout FindingLog) -> CaptureTime {
    let step = time.nanoseconds(since: last)
    if step < 0 {
      if let wrapped = Self.wraps(step) {
        shift = shift.adding(wrapped.width)
        shiftBefore = shift
        findings.add(
          .clockWrap, .warning, frame: frame,
          "the time of record \(frame) begins anew: a counter of 32 bits in \(wrapped.unit) ran over; the times go on")
      } else {
        findings.add(
          .backwardTime, .warning, frame: frame,
          "the time of record \(frame) is \(Self.text(step.magnitude)) before that of the record before it; it is taken as the same moment")
        if !(time.adding(shift) >= lastMended) {
          shiftBefore = shift
          shift = lastMended.subtracting(time)
        }
      }
    } else if step >= Self.longestPause {
      findings.add(
        .clockJump, .warning, frame: frame,
        "the time of record \(frame) is \(Self.text(step.magnitude)) after that of the record before it: the clock was set; no time is taken to pass"
      )
      shift = lastMended.subtracting(time)
      shiftBefore = shift
    } else if shift != shiftBefore, time.adding(shiftBefore) >= lastMended {
      // The step back was of single records only: the clock is where it was.
      shift = shiftBefore
    }
    lastMended = max(lastMended, time.adding(shift))
    return isOn ? lastMended : time
  }

  /// Whether a step back is a counter of 32 bits that ran over: what is left of the counter's range is less than ten minutes.
  private static func wraps(_ step: Int64) -> (width: CaptureTime, unit: String)? {
    for (unit, nanoseconds) in [("microseconds", 1000 as Int64), ("milliseconds", 1_000_000)] {
      let width = nanoseconds << 32
      let ahead = step.addingReportingOverflow(width)
      if !ahead.overflow, (0..<600 * 1_000_000_000).contains(ahead.partialValue) {
        return (CaptureTime(seconds: width / 1_000_000_000, nanoseconds: Int32(width % 1_000_000_000)), unit)
      }
    }
    return nil
  }

  private static func text(_ nanoseconds: UInt64) -> String {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest / 1000)
    return "\(seconds).\(String(repeating: "0", count: 6 - digits.count))\(digits) s"
  }
}
