/// A moment in a capture: nanoseconds since 1970-01-01 00:00 UTC, kept in two parts so that no recorded value overflows.
public struct CaptureTime: Sendable, Hashable, Comparable {
  /// Whole seconds; negative before 1970.
  public var seconds: Int64
  /// 0…999,999,999, counted forward also before 1970.
  public var nanoseconds: Int32

  /// Joins both parts.
  @inlinable
  public init(seconds: Int64, nanoseconds: Int32) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }

  /// Microseconds since 1970.
  @inlinable
  public init(microseconds: Int64) {
    var (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if remainder < 0 {
      quotient &-= 1
      remainder &+= 1_000_000
    }
    self.init(seconds: quotient, nanoseconds: Int32(truncatingIfNeeded: remainder &* 1000))
  }

  /// Nanoseconds since 1970.
  init(nanoseconds: Int64) {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(seconds: remainder < 0 ? quotient - 1 : quotient, nanoseconds: Int32(remainder < 0 ? remainder + 1_000_000_000 : remainder))
  }

  @inlinable
  public static func < (left: CaptureTime, right: CaptureTime) -> Bool {
    left.seconds != right.seconds ? left.seconds < right.seconds : left.nanoseconds < right.nanoseconds
  }

  /// Nanoseconds from `start` to this moment, at the limits of `Int64` where it is further (292 years).
  public func nanoseconds(since start: CaptureTime) -> Int64 {
    let (whole, overflow) = seconds.subtractingReportingOverflow(start.seconds)
    guard !overflow else { return seconds < start.seconds ? .min : .max }
    let (scaled, tooFar) = whole.multipliedReportingOverflow(by: 1_000_000_000)
    guard !tooFar else { return whole < 0 ? .min : .max }
    let (sum, past) = scaled.addingReportingOverflow(Int64(nanoseconds) - Int64(start.nanoseconds))
    return past ? (scaled < 0 ? .min : .max) : sum
  }

  /// This moment moved by another value, at the limits of the seconds where they do not fit.
  package func adding(_ other: CaptureTime) -> CaptureTime {
    let (sum, carry) = (nanoseconds + other.nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
    let (whole, overflow) = seconds.addingReportingOverflow(other.seconds)
    if overflow { return other.seconds < 0 ? .least : .greatest }
    let (carried, past) = whole.addingReportingOverflow(Int64(sum))
    return past ? .greatest : CaptureTime(seconds: carried, nanoseconds: carry)
  }

  /// What must be added to `other` to come to this moment.
  func subtracting(_ other: CaptureTime) -> CaptureTime {
    let (whole, overflow) = seconds.subtractingReportingOverflow(other.seconds)
    if overflow { return other.seconds < 0 ? .greatest : .least }
    let rest = nanoseconds - other.nanoseconds
    guard rest < 0 else { return CaptureTime(seconds: whole, nanoseconds: rest) }
    return whole == .min ? .least : CaptureTime(seconds: whole - 1, nanoseconds: rest + 1_000_000_000)
  }

  static let least = CaptureTime(seconds: .min, nanoseconds: 0)
  static let greatest = CaptureTime(seconds: .max, nanoseconds: 999_999_999)

  /// Whole microseconds since 1970, at the limits of `Int64` where they do not fit.
  public var microseconds: Int64 {
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, past) = scaled.addingReportingOverflow(Int64(nanoseconds) / 1000)
    return past ? (scaled < 0 ? .min : .max) : sum
  }

  /// Whether the microseconds since 1970 are its own and not a limit.
  var fitsMicroseconds: Bool { CaptureTime(microseconds: microseconds).seconds == seconds }
}

extension CaptureTime: CustomStringConvertible {
  /// Epoch seconds with nine decimals, as `1552223551.939584000`, negative before 1970.
  public var description: String {
    var whole = seconds
    var fraction = nanoseconds
    var sign = ""
    if seconds < 0 {
      sign = "-"
      if fraction > 0 {
        whole += 1
        fraction = 1_000_000_000 - fraction
      }
    }
    let digits = String(fraction)
    return "\(sign)\(whole.magnitude).\(String(repeating: "0", count: 9 - digits.count))\(digits)"
  }

  /// ISO 8601 in UTC with microseconds, as `2019-03-10T13:12:31.939584Z`; epoch seconds outside the years 0…9999.
  ///
  /// Counted with the proleptic Gregorian calendar and no time zone, so that every reader writes the same text.
  public var iso8601: String {
    guard (-62_167_219_200..<253_402_300_800).contains(seconds) else { return description }
    let days = seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400
    let second = seconds - days * 86400
    // Days since 0000-03-01 in eras of 400 years, so that leap days stand at the end of a year.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let calendarMonth = month < 10 ? month + 3 : month - 9
    let year = yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0)
    func pad(_ value: Int64, _ digits: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    return "\(pad(year, 4))-\(pad(calendarMonth, 2))-\(pad(day, 2))T\(pad(second / 3600, 2)):\(pad(second / 60 % 60, 2)):"
      + "\(pad(second % 60, 2)).\(pad(Int64(nanoseconds) / 1000, 6))Z"
  }
}

extension CaptureTime {
  /// Reads `2019-03-10`, `2019-03-10T13:12`, `…:31` or `…:31.939584`, with or without a `Z`, always UTC; `nil` for anything else.
  public init?(iso8601 text: String) {
    let trimmed = text.hasSuffix("Z") ? String(text.dropLast()) : text
    let halves = trimmed.split(separator: "T", omittingEmptySubsequences: false).map(String.init)
    let date = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard halves.count <= 2, date.count == 3, let year = date[0], let month = date[1], let day = date[2], (0...9999).contains(year),
      (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var (clock, nanoseconds) = ([Int64(0), 0, 0], Int32(0))
    if halves.count == 2 {
      let parts = halves[1].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard (2...3).contains(parts.count) else { return nil }
      for (place, part) in parts.enumerated() {
        let pieces = part.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard pieces.count == 1 || place == 2 && pieces.count == 2, let value = Int64(pieces[0]),
          (0...(place == 0 ? 23 : 59)).contains(value)
        else { return nil }
        clock[place] = value
        guard pieces.count == 2 else { continue }
        guard (1...9).contains(pieces[1].count), let fraction = Int32(pieces[1]) else { return nil }
        nanoseconds = (pieces[1].count..<9).reduce(fraction) { value, _ in value * 10 }
      }
    }
    // Days since 0000-03-01, so that leap days stand at the end of a year; the reverse of iso8601.
    let shiftedYear = month > 2 ? year : year - 1
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    self.init(seconds: days * 86400 + clock[0] * 3600 + clock[1] * 60 + clock[2], nanoseconds: nanoseconds)
  }
}
