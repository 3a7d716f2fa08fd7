/// Something about a capture that its reader should know: nothing is skipped without one.
public struct Finding: Sendable, Hashable {
  public enum Severity: String, Sendable, Hashable, CaseIterable { case note, warning, problem }

  /// What was found; the raw value is stable and part of the JSON output.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    case cutLastRecord, corruptRecord, cutRecord, emptyRecord, droppedRecords, unknownRecord, comment
    case joinedParts, shortenedLog, leftOut, damagedArchive, unreadablePart
    case backwardTime, clockJump, clockWrap, unsetClock, missingTime
    case cutPacket, malformedPacket, vendorTraffic, otherDevices
    case noConnection, implicitLink, missingStart, missingFragment, truncatedPDU, oversizedPDU
    case unpairedResponse, overlappingRequest, unanswered, malformedPDU, replacedLink, failedConnection, databaseConflict
    case encryptedTraffic, directionConflict, silentLink, unknownChannel, unresolvedAddress
    case unusualBoundary, unsubscribedNotification, moreFindings
  }

  public var code: Code
  public var severity: Severity
  /// The record it was found at; `nil` where it belongs to the whole file.
  public var frame: Int?
  /// One sentence.
  public var message: String

  /// Joins the parts.
  public init(_ code: Code, _ severity: Severity, frame: Int?, _ message: String) {
    (self.code, self.severity, self.frame, self.message) = (code, severity, frame, message)
  }
}

/// Collects findings; of each code the first hundred are kept and the rest is counted, so that a hostile file cannot fill memory.
public struct FindingLog: Sendable {
  /// How many findings of one code are kept.
  public static let limit = 100
  private var kept: [Finding] = []
  /// How many of each code there were, kept or not.
  public private(set) var counts: [Finding.Code: Int] = [:]

  /// An empty log.
  public init() {}

  /// Adds one; the sentence is only made where it is kept.
  public mutating func add(_ code: Finding.Code, _ severity: Finding.Severity, frame: Int?, _ message: @autoclosure () -> String) {
    let count = counts[code, default: 0] + 1
    counts[code] = count
    if count <= Self.limit { kept.append(Finding(code, severity, frame: frame, message())) }
  }

  /// How many findings of a code there were, kept or not.
  public func count(of code: Finding.Code) -> Int { counts[code, default: 0] }

  /// All that was kept, in order of arrival, and one line for each code that had more.
  public var findings: [Finding] {
    kept
      + Finding.Code.allCases.compactMap { code in
        let more = count(of: code) - Self.limit
        return more > 0 ? Finding(.moreFindings, .note, frame: nil, "\(more) more of \(code.rawValue)") : nil
      }
  }

  /// Adds all of another log.
  public mutating func merge(_ other: FindingLog) {
    var room: [Finding.Code: Int] = counts
    for finding in other.kept {
      let count = room[finding.code, default: 0] + 1
      room[finding.code] = count
      if count <= Self.limit { kept.append(finding) }
    }
    for (code, count) in other.counts { counts[code, default: 0] += count }
  }
}
