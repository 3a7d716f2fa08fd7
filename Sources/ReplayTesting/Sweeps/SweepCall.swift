import Foundation
import ReplayEngine

/// One call of a sweep in a test, by which another process of the same test finds it.
struct SweepCall: Equatable {
  /// File, line, and how often the line was come to before.
  var name: String

  private static let callKey = "UNDERSTUDY_SWEEP_CALL"
  private static let journalKey = "UNDERSTUDY_SWEEP_JOURNAL"
  private static let partKey = "UNDERSTUDY_SWEEP_PART"

  init(file: String, line: Int, count: Int) { name = "\(file):\(line)#\(count)" }

  /// What this process was made for, where that is a part of a sweep.
  enum Role {
    /// It runs the test; sweeps begin in it.
    case test
    /// It runs this part of this sweep, and then ends.
    case part(Shard, SweepJournal)
    /// It runs a part of another sweep of the test, which comes later.
    case otherSweep
  }

  func role(in environment: [String: String]) -> Role {
    guard let call = environment[Self.callKey], let path = environment[Self.journalKey] else { return .test }
    guard call == name, let part = environment[Self.partKey].flatMap({ try? Shard($0) }) else { return .otherSweep }
    return .part(part, SweepJournal(path: path))
  }

  /// What another process needs to know.
  func environment(for part: Shard, _ journal: SweepJournal) -> [String: String] {
    [Self.callKey: name, Self.journalKey: journal.path, Self.partKey: "\(part)"]
  }

  /// The journal of the sweep in this process, which the next run of the same test finds.
  func journal(of test: String) -> SweepJournal {
    let plain = "\(test)-\(name)".map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let file = "understudy-" + String(plain.suffix(150)) + ".journal"
    return SweepJournal(path: FileManager.default.temporaryDirectory.appendingPathComponent(file).path)
  }
}
