/// Reports of links that have ended: the first in full, the others merged, so that a run may go on for as long as it will.
struct ReportBook {
  /// How many are kept in full.
  var limit = 1000
  /// How many things those may name together; each names up to 1,000 of a kind.
  var detailLimit = 100 * SessionReport.limit
  private(set) var kept: [SessionReport] = []
  private var details = 0
  private var merged: [Int: FurtherSessions] = [:]

  /// What was merged, in the order of the peripherals.
  var further: [FurtherSessions] { merged.values.sorted { $0.peripheral < $1.peripheral } }

  mutating func add(_ report: SessionReport) {
    if kept.count < limit, merged[report.peripheral] == nil, details + report.details <= detailLimit {
      details += report.details
      kept.append(report)
    } else {
      merged[report.peripheral, default: FurtherSessions(peripheral: report.peripheral)].add(report)
    }
  }
}

extension SessionReport {
  /// How many things the report names.
  fileprivate var details: Int {
    unused.count + excused.count + substitutions.count + nearMisses.count + notSendable.count + changedErrors.count
  }
}
